import HTTPCore
import Locking
import ResourceCore

/// Runs jobs of caches: those of one key in the order they came, those of different keys at once (S-195, S-245).
public final class CacheQueue: Sendable {
    /// On the threads that Swift's tasks share.
    public static let background = CacheQueue { work in Task.detached { work() } }

    /// The key of jobs; present while one runs or waits.
    private struct Lane: Hashable, Sendable {
        let key: any Hashable & Sendable

        static func == (left: Lane, right: Lane) -> Bool { AnyHashable(left.key) == AnyHashable(right.key) }
        func hash(into hasher: inout Hasher) { AnyHashable(key).hash(into: &hasher) }
    }

    private struct Job {
        /// Its epoch in the open work.
        let epoch: Int
        let work: @Sendable () -> Void
    }

    private struct State {
        /// Jobs that wait behind the running one.
        var lanes: [Lane: [Job]] = [:]
        var jobs = OpenWork()
        var lastReport: MonotonicTime?

        /// The next job in `lane`, if one waits.
        mutating func takeNext(_ lane: Lane) -> Job? {
            if lanes[lane]?.isEmpty == false { return lanes[lane]?.removeFirst() }
            lanes[lane] = nil
            return nil
        }
    }

    private let execute: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state = Lock(State())

    /// - Parameter execute: runs what it gets on some thread, soon, exactly once and not inside this call; several at
    ///   once if it likes.
    public init(_ execute: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.execute = execute }

    /// Runs `work` after all that was submitted for the same key.
    func submit(for key: some Hashable & Sendable, _ work: @escaping @Sendable () -> Void) {
        let lane = Lane(key: key)
        let due = state.withLock { state -> Job? in
            let job = Job(epoch: state.jobs.begin(), work: work)
            guard state.lanes[lane] == nil else {
                state.lanes[lane]?.append(job)
                return nil
            }
            state.lanes[lane] = []
            return job
        }
        if let due { run(due, lane) }
    }

    private func run(_ job: Job, _ lane: Lane) {
        execute {
            job.work()
            let (next, waiters) = self.state.withLock { ($0.takeNext(lane), $0.jobs.end(job.epoch)) }
            if let next { self.run(next, lane) }
            for waiter in waiters { waiter.resume() }
        }
    }

    /// Returns once all jobs are done that were submitted before, and all that resources have to submit.
    ///
    /// So what a completed load brought has been written, also if another thread was about to submit it. Jobs that come
    /// later are not waited for.
    public func finish() async {
        await ComingWrites.shared.finish()
        await withCheckedContinuation { continuation in
            if !state.withLock({ $0.jobs.wait(continuation) }) { continuation.resume() }
        }
    }

    /// Whether a failure may be logged: once a minute.
    func mayReport(at now: MonotonicTime) -> Bool {
        state.withLock { state in
            if let last = state.lastReport, last <= now, now - last < .seconds(60) { return false }
            state.lastReport = now
            return true
        }
    }
}
