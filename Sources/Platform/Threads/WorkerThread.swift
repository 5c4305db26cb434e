/// A thread that runs jobs one after the other, in the order of submission.
///
/// For work that blocks, which must not run on an event loop. The thread keeps this object alive until `stop()`. It
/// ends once it has run the submitted jobs.
public final class WorkerThread: Sendable {
    public typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        /// By their times, which are on `SystemClock.awakeNanoseconds()`.
        var delayed: [(due: Int64, job: Job)] = []
        var isStopped = false
    }

    private let state = Monitor(State())

    /// Starts the thread; a precondition fails if the system does not start one.
    public init(name: String) {
        do throws(SystemError) {
            _ = try Thread(name: name) { [self] in run() }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Queues `job`.
    ///
    /// - Returns: false, without effect, after `stop()`.
    @discardableResult
    public func submit(_ job: @escaping Job) -> Bool {
        let isAccepted = state.withLock { state in
            guard !state.isStopped else { return false }
            state.jobs.append(job)
            return true
        }
        if isAccepted { state.wakeOne() }
        return isAccepted
    }

    /// Runs `job` after all queued ones, and blocks until it has run; without effect after `stop()`.
    ///
    /// Never call it on this worker's own thread.
    public func perform(_ job: @escaping Job) {
        let latch = Latch()
        let isAccepted = submit {
            job()
            latch.open()
        }
        if isAccepted { latch.wait() }
    }

    /// Queues `job` once `delay` has passed; drops it if the worker stops before.
    public func submit(after delay: Duration, _ job: @escaping Job) {
        let due = SystemClock.awakeNanoseconds() + max(0, delay.limitedNanoseconds)
        state.withLock { state in
            guard !state.isStopped else { return }
            let index = state.delayed.firstIndex { $0.due > due } ?? state.delayed.endIndex
            state.delayed.insert((due, job), at: index)
        }
        state.wakeOne()
    }

    /// Runs the queued jobs, drops the delayed ones, then ends the thread; does not wait for it.
    public func stop() {
        // Release them outside the lock: their captures may submit jobs in their deinitializers.
        let dropped = state.withLock { state in
            state.isStopped = true
            defer { state.delayed = [] }
            return state.delayed
        }
        state.wakeOne()
        _ = dropped
    }

    // MARK: The thread

    private func run() {
        while let batch = nextBatch() {
            for job in batch { job() }
        }
    }

    /// Waits for jobs; nil once the worker has stopped and no jobs are left.
    private func nextBatch() -> [Job]? {
        state.wait(wakingAt: { $0.delayed.first?.due }) { state -> [Job]?? in
            Self.moveDueJobs(&state)
            if !state.jobs.isEmpty {
                var batch: [Job] = []
                swap(&batch, &state.jobs)
                return .some(batch)
            }
            return state.isStopped ? .some(nil) : nil
        }
    }

    private static func moveDueJobs(_ state: inout State) {
        guard !state.delayed.isEmpty else { return }
        let now = SystemClock.awakeNanoseconds()
        let due = state.delayed.prefix { $0.due <= now }
        guard !due.isEmpty else { return }
        state.jobs.append(contentsOf: due.map(\.job))
        state.delayed.removeFirst(due.count)
    }
}
