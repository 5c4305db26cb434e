import HTTPCore
import Locking
import Testing

@testable import Observability

/// Spans that wait for the collector.
@Suite struct SpanQueueTests {
    private static func span(_ number: Int64) -> TracedSpan {
        let time = MonotonicTime(nanoseconds: number)
        return TracedSpan(.server, .root(), parent: nil, start: time, end: time, method: .get, target: [])
    }

    @Test("a full queue drops further spans and counts them; batches come in order")
    func full() {
        let queue = SpanQueue(capacity: 5, batch: 2)
        for number in 0..<8 as Range<Int64> { queue.add(Self.span(number)) }
        #expect(queue.count == 5 && queue.dropped == 3)
        var numbers: [[Int64]] = []
        while queue.count > 0 { numbers.append(queue.takeBatch().map(\.start.nanoseconds)) }
        #expect(numbers == [[0, 1], [2, 3], [4]] && queue.takeBatch().isEmpty)
        queue.noteDropped(2)
        #expect(queue.dropped == 5)
    }

    @Test("a queue has room for 4096 spans, of which 512 are exported at once, unless it is told otherwise")
    func usual() {
        let queue = SpanQueue()
        for number in 0..<4097 as Range<Int64> { queue.add(Self.span(number)) }
        #expect(queue.count == 4096 && queue.dropped == 1 && queue.batch == 512)
        #expect(queue.takeBatch().count == 512)
    }

    @Test("the first span and a complete batch wake the exporter, and no other span does")
    func wakes() {
        let queue = SpanQueue(capacity: 10, batch: 3)
        let wakes = Lock(0)
        queue.whenAdded { wakes.withLock { $0 += 1 } }
        var counts: [Int] = []
        for number in 0..<5 as Range<Int64> {
            queue.add(Self.span(number))
            counts.append(wakes.withLock { $0 })
        }
        #expect(counts == [1, 1, 2, 2, 2])
    }
}
