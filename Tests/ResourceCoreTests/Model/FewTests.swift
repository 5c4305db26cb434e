import Testing

@testable import ResourceCore

@Suite("Lists of few")
struct FewTests {
    @Test("whatever is appended and removed, it is what an array is", arguments: 0..<20 as Range<UInt64>)
    func likeArray(seed: UInt64) {
        var random = seed
        func next(_ bound: Int) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(truncatingIfNeeded: random >> 33) % bound
        }
        var (few, array) = (Few<Int>(), [Int]())
        for round in 0..<200 {
            if array.isEmpty || next(2) == 0 {
                few.append(round)
                array.append(round)
            } else {
                let place = next(array.count)
                #expect(few.remove(at: place) == array.remove(at: place))
            }
            #expect(Array(few) == array && few.count == array.count && few.first == array.first)
            #expect(few.isEmpty == array.isEmpty && few.indices.map { few[$0] } == array)
            #expect(few.firstIndex(of: round) == array.firstIndex(of: round))
        }
    }
}
