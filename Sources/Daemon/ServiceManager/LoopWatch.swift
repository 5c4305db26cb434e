import Eventing
import Locking

/// Asks all loops in rounds whether they still run, and reports when all of them have answered.
///
/// A loop that hangs keeps its round open. No further round begins, and nothing is reported, until the loop runs again.
final class LoopWatch: Sendable {
    private let loops: [LoopHandle]
    private let allHaveAnswered: @Sendable () -> Void
    /// Loops that have not answered in this round.
    private let waiting = Lock(0)

    /// - Parameter allHaveAnswered: called on the loop that answered last, once per round.
    init(_ loops: [LoopHandle], allHaveAnswered: @escaping @Sendable () -> Void) {
        self.loops = loops
        self.allHaveAnswered = allHaveAnswered
    }

    /// Begins a round now and after each `interval`, by timers of `loop`.
    func run(every interval: Duration, on loop: EventLoop) {
        begin()
        loop.schedule(after: interval) { [self] in run(every: interval, on: loop) }
    }

    private func begin() {
        let mayBegin = waiting.withLock { waiting in
            guard waiting == 0 else { return false }
            waiting = loops.count
            return true
        }
        guard mayBegin else { return }
        for handle in loops { handle.submit { [self] _ in answer() } }
    }

    private func answer() {
        let isLast = waiting.withLock { waiting in
            waiting -= 1
            return waiting == 0
        }
        if isLast { allHaveAnswered() }
    }
}
