import HTTPCore
import TestSupport
import Testing

@Suite("Lists of few")
struct TinyArrayTests {
    @Test("whatever is appended and removed, it is what an array is", arguments: 0..<20 as Range<UInt64>)
    func likeArray(seed: UInt64) {
        var random = FixedRandom(seed: seed)
        var (few, array) = (TinyArray<Int>(), [Int]())
        for round in 0..<200 {
            if array.isEmpty || Bool.random(using: &random) {
                few.append(round)
                array.append(round)
            } else {
                let place = Int.random(in: array.indices, using: &random)
                #expect(few.remove(at: place) == array.remove(at: place))
            }
            #expect(Array(few) == array && few.count == array.count && few.first == array.first)
            #expect(few.isEmpty == array.isEmpty && few.indices.map { few[$0] } == array)
            #expect(few.firstIndex(of: round) == array.firstIndex(of: round))
        }
    }
}
