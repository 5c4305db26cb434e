import Locking
import Testing

@Suite("Questions of a target") struct QuestionIndexTests {
    @Test("a target has the questions that were added and not removed")
    func members() {
        let index = QuestionIndex()
        #expect(!index.hasAny(to: 1) && index.all(to: 1).isEmpty)
        index.add(10, 100, to: 1)
        index.add(11, 110, to: 1)
        index.add(20, 200, to: 2)
        #expect(index.all(to: 1) == [10: 100, 11: 110] && index.all(to: 2) == [20: 200])
        #expect(index.hasAny(to: 1) && index.hasAny(to: 2) && !index.hasAny(to: 3))
        index.remove(10, of: 1)
        index.remove(20, of: 2)
        index.remove(30, of: 3)
        #expect(index.all(to: 1) == [11: 110] && index.hasAny(to: 1) && !index.hasAny(to: 2))
    }

    @Test(
        "beyond the limit the oldest are too many, and a hundredth of the limit beside them",
        arguments: [(5, 5, 0), (6, 5, 1), (8, 5, 3), (100, 100, 0), (101, 100, 2), (399, 200, 201), (1, 0, 1)]
    )
    func excess(count: Int, limit: Int, expected: Int) {
        let index = QuestionIndex()
        for id in (1...UInt64(count)).shuffled() { index.add(id, id * 10, to: 1) }
        let oldest = (0..<expected).map { (UInt64($0 + 1), UInt64($0 + 1) * 10) }
        #expect(index.excess(to: 1, limit: limit) == Dictionary(uniqueKeysWithValues: oldest))
        #expect(index.excess(to: 2, limit: limit).isEmpty && index.all(to: 1).count == count)
    }
}
