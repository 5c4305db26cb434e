import Locking
import ResourceCore

/// Worker threads of a test: what is submitted runs when the test says so, in order.
final class ScriptedWorkers: TransformWorkers {
    private struct State {
        var queue: [@Sendable () -> Void] = []
        var isFull = false
        var isImmediate = true
        var count = 0
    }

    private let state = Lock(State())
    /// Done once, before work is refused.
    let interruption = LockedBox<(@Sendable () -> Void)?>(nil)

    /// Works along whenever the world settles.
    var isImmediate: Bool {
        get { state.withLock { $0.isImmediate } }
        set { state.withLock { $0.isImmediate = newValue } }
    }

    /// Takes nothing more.
    var isFull: Bool {
        get { state.withLock { $0.isFull } }
        set { state.withLock { $0.isFull = newValue } }
    }

    /// Jobs that were submitted.
    var submitted: Int { state.withLock { $0.count } }
    var waiting: Int { state.withLock { $0.queue.count } }

    func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        if isFull { interruption.change { $0.take() }?() }
        return state.withLock { state in
            if state.isFull { return false }
            state.count += 1
            state.queue.append(work)
            return true
        }
    }

    /// Does one job; false if there is none.
    @discardableResult
    func runOne() -> Bool {
        guard let work = state.withLock({ $0.queue.isEmpty ? nil : $0.queue.removeFirst() }) else { return false }
        work()
        return true
    }

    /// Does all there is.
    @discardableResult
    func run() -> Bool {
        var didRun = false
        while runOne() { didRun = true }
        return didRun
    }
}
