import Locking
public import Transforms

/// Worker threads of a test: jobs run in order when the test calls `run`.
public final class ScriptedWorkers: TransformWorkers {
    private struct State {
        var queue: [@Sendable () -> Void] = []
        var isFull = false
        var isImmediate = true
        var count = 0
        var interruption: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    public init() {}

    /// Whether `runUntilIdle` of a world runs these jobs, too.
    public var isImmediate: Bool {
        get { state.withLock { $0.isImmediate } }
        set { state.withLock { $0.isImmediate = newValue } }
    }

    /// Refuses every further job, but for those of work that has begun.
    public var isFull: Bool {
        get { state.withLock { $0.isFull } }
        set { state.withLock { $0.isFull = newValue } }
    }

    /// Jobs that were submitted.
    public var submitted: Int { state.withLock { $0.count } }
    public var waiting: Int { state.withLock { $0.queue.count } }

    /// Calls `work` once, just before the next job is refused.
    public func interruptRefusal(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.interruption = work }
    }

    public func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        if isFull { state.withLock { $0.interruption.take() }?() }
        return !isFull && resume(work)
    }

    public func resume(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            state.count += 1
            state.queue.append(work)
            return true
        }
    }

    /// Runs one job; returns false if there is none.
    @discardableResult
    public func runOne() -> Bool {
        guard let work = state.withLock({ $0.queue.isEmpty ? nil : $0.queue.removeFirst() }) else { return false }
        work()
        return true
    }

    /// Runs all jobs, and those that they submit.
    ///
    /// Returns whether there was any.
    @discardableResult
    public func run() -> Bool {
        var didRun = false
        while runOne() { didRun = true }
        return didRun
    }
}
