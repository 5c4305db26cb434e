import Locking
import Testing

@testable import ResourceModel

/// Who waits for work, and what for.
@Suite("Open work")
struct OpenWorkTests {
    /// Open work that several tasks wait for.
    private final class Work: Sendable {
        private let state = Lock((work: OpenWork(), waits: [Bool]()))

        /// Whether each who came to wait had to, in order.
        var waits: [Bool] { state.withLock { $0.waits } }

        func begin() -> Int { state.withLock { $0.work.begin() } }

        /// A task that waits for all that is open.
        func wait() {
            _ = Task.immediate { [self] in
                await withCheckedContinuation { continuation in
                    let waits = state.withLock { state in
                        state.waits.append(state.work.wait(continuation))
                        return state.waits.last == true
                    }
                    if !waits { continuation.resume() }
                }
            }
        }

        /// Ends work, and returns how many need wait no longer.
        func end(_ epoch: Int) -> Int {
            let due = state.withLock { $0.work.end(epoch) }
            for waiter in due { waiter.resume() }
            return due.count
        }
    }

    @Test("nobody waits where nothing is open")
    func nothing() {
        let work = Work()
        work.wait()
        let epoch = work.begin()
        work.wait()
        #expect(work.end(epoch) == 1)
        work.wait()
        #expect(work.waits == [false, true, false])
    }

    @Test("who waits is released with the last work that had begun before, whatever began since and ended first")
    func order() {
        let work = Work()
        let (first, second) = (work.begin(), work.begin())
        work.wait()
        work.wait()
        let third = work.begin()
        work.wait()
        let fourth = work.begin()
        #expect([third, first, second, fourth].map { work.end($0) } == [0, 0, 3, 0])
        #expect(work.waits == [true, true, true])
    }

    @Test("who waits for later work waits for the earlier, too, and no longer than for those")
    func epochs() {
        let work = Work()
        let first = work.begin()
        work.wait()
        let second = work.begin()
        work.wait()
        #expect([first, second].map { work.end($0) } == [1, 1])
        // All begins anew.
        let third = work.begin()
        work.wait()
        let fourth = work.begin()
        #expect([fourth, third].map { work.end($0) } == [0, 1])
        work.wait()
        #expect(work.waits == [true, true, true, false])
    }
}
