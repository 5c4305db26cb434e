import HTTPCore
import Locking
import Testing

@testable import EntityStorage

@Suite("What waits for the writer")
struct WriteQueueTests {
    /// What happened, in order; safe from any thread.
    private final class Course<Step: Sendable>: Sendable {
        private let steps = Lock<[Step]>([])
        var all: [Step] { steps.withLock { $0 } }
        func add(_ step: Step) { steps.withLock { $0.append(step) } }
    }

    @Test("a look-up behind a change of its URI wakes the writer at once, and one of another URI does not wait")
    func lookUp() throws {
        let (wakes, reads) = (Course<Bool>(), Course<String>())
        let limits = StoreLimits(limit: 64 << 20, maximumObjectSize: 1 << 20)
        let queue = WriteQueue(limits: limits, byteLimit: 1 << 20, countLimit: 100) { wakes.add($0) }
        // Given a change that waits until its batch is due
        #expect(queue.add(.invalidate(uri("/changed")) { _ in }))
        #expect(wakes.all == [false])
        // When look-ups come
        queue.afterChanges(of: uri("/other")) { _ in reads.add("other") }
        queue.afterChanges(of: uri("/changed")) { _ in reads.add("changed") }
        // Then the writer is woken for the one that waits
        #expect(reads.all == ["other"])
        #expect(wakes.all == [false, true])
        guard case .rows(let rows)? = queue.take(), case .reading(let read)? = queue.take() else {
            Issue.record("the change does not come before the look-up")
            return
        }
        queue.didEnd(rows)
        read(HiddenChanges())
        #expect(reads.all == ["other", "changed"])
    }
}
