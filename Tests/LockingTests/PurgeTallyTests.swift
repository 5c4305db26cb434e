import Locking
import Testing

@Suite("Sums of purges") struct PurgeTallyTests {
    @Test("the sum is told once, when all have added theirs")
    func sum() {
        let sums = Lock<[Int]>([])
        let tally = PurgeTally(count: 5, pending: 3) { sum in sums.withLock { $0.append(sum) } }
        tally.add(1)
        tally.add(0)
        #expect(sums.withLock { $0 }.isEmpty)
        tally.add(10)
        tally.add(100)
        #expect(sums.withLock { $0 } == [16])
    }

    @Test("counts are combined as the caller says")
    func combined() {
        let sums = Lock<[Int]>([])
        let tally = PurgeTally(count: 5, pending: 2, by: { max($0, $1) }, { sum in sums.withLock { $0.append(sum) } })
        tally.add(7)
        tally.add(6)
        #expect(sums.withLock { $0 } == [7])
    }

    @Test("of 4,096 tags the last purges are remembered; one more, and half of them are told by their time alone")
    func remembered() {
        var purges = TagPurges()
        for tag in 1...4096 as ClosedRange<UInt64> { purges.add([tag], tag) }
        #expect(!purges.covers([9999], since: 0) && purges.covers([1], since: 0) && !purges.covers([1], since: 1))
        purges.add([4097], 4097)
        #expect(purges.covers([9999], since: 2048) && !purges.covers([9999], since: 2049))
        #expect(purges.covers([2050], since: 2049) && !purges.covers([2049], since: 2049))
        #expect(purges.covers([9999, 4097], since: 4096) && !purges.covers([4097], since: 4097))
    }

    @Test("a queue's elements can be changed where they wait")
    func update() {
        var queue = SerialQueue<Int>()
        #expect(!queue.hasElements)
        queue.append([1, 2])
        queue.update { $0 *= 10 }
        #expect(queue.hasElements && queue.elements == [10, 20])
        let (isBegun, next) = (queue.begin(), queue.next())
        #expect(isBegun && next == [10, 20])
        #expect(!queue.hasElements && !queue.isIdle)
    }
}
