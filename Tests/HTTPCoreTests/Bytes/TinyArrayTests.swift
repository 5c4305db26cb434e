import HTTPCore
import TestSupport
import Testing

@Suite("Small arrays")
struct TinyArrayTests {
    @Test("whatever is appended and removed, it is what an array is", arguments: 0..<20 as Range<UInt64>)
    func likeArray(seed: UInt64) {
        var random = FixedRandom(seed: seed)
        var (tiny, array) = (TinyArray<Int>(), [Int]())
        for round in 0..<200 {
            if array.isEmpty || Bool.random(using: &random) {
                tiny.append(round)
                array.append(round)
            } else {
                let index = Int.random(in: array.indices, using: &random)
                #expect(tiny.remove(at: index) == array.remove(at: index))
            }
            #expect(Array(tiny) == array && tiny.count == array.count && tiny.first == array.first)
            #expect(tiny.isEmpty == array.isEmpty && tiny.indices.map { tiny[$0] } == array)
            #expect(tiny.firstIndex(of: round) == array.firstIndex(of: round))
        }
    }

    @Test("of two lists that are put together all elements stay, in order", arguments: 0..<4, 0..<4)
    func joined(first: Int, second: Int) {
        var list = TinyArray<Int>(0..<first)
        let more = TinyArray<Int>(first..<(first + second))
        list += more
        #expect(Array(list) == Array(0..<(first + second)) && list.count == first + second)
    }
}
