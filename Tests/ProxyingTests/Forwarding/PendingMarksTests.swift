import Locking
import TestDoubles
import Testing

@testable import Proxying

/// Marks that a response waits for.
@Suite struct PendingMarksTests {
    @Test("what waits for marks goes on once, when the last of them is at rest")
    func last() {
        let marks = PendingMarks()
        let count = Lock(0)
        let ends = (0..<2).map { _ in marks.begin() }
        #expect(marks.wait { count.withLock { $0 += 1 } })
        ends[0](true)
        #expect(count.withLock { $0 } == 0)
        ends[1](true)
        #expect(count.withLock { $0 } == 1)
        marks.begin()(true)
        #expect(count.withLock { $0 } == 1)
    }

    @Test("without a mark nothing waits, also after the last one is at rest")
    func none() {
        let marks = PendingMarks()
        let count = Lock(0)
        #expect(!marks.wait { count.withLock { $0 += 1 } })
        marks.begin()(true)
        #expect(!marks.wait { count.withLock { $0 += 1 } })
        #expect(count.withLock { $0 } == 0)
    }

    @Test("a mark that does not come to rest holds up what waits for it")
    func lost() {
        let marks = PendingMarks()
        let count = Lock(0)
        let end = marks.begin()
        #expect(marks.wait { count.withLock { $0 += 1 } })
        end(false)
        #expect(count.withLock { $0 } == 0)
    }

    /// Notes its end.
    private final class Waiting: Sendable {
        private let isGone: LockedBox<Bool>

        init(_ isGone: LockedBox<Bool>) { self.isGone = isGone }

        deinit { isGone.change { $0 = true } }
    }

    @Test("what is forgotten does not go on any more, and nothing of it is retained")
    func forgotten() {
        let (marks, isGone) = (PendingMarks(), LockedBox(false))
        let end = marks.begin()
        func wait() -> Bool {
            let waiting = Waiting(isGone)
            return marks.wait { withExtendedLifetime(waiting) {} }
        }
        #expect(wait() && !isGone.value)
        marks.forget()
        #expect(isGone.value)
        end(true)
    }
}
