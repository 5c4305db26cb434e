import HTTPCore
import Locking

/// Where caches do their work: jobs of one key one after the other, in the order they came, others at once (S-195, S-245).
public final class CacheQueue: Sendable {
    /// On the threads Swift's tasks share.
    public static let background = CacheQueue { work in Task.detached { work() } }

    /// What jobs are for; present while one runs or waits.
    private struct Lane: Hashable, Sendable {
        let key: any Hashable & Sendable

        static func == (left: Lane, right: Lane) -> Bool { AnyHashable(left.key) == AnyHashable(right.key) }
        func hash(into hasher: inout Hasher) { AnyHashable(key).hash(into: &hasher) }
    }

    private struct State {
        /// Jobs that wait behind the one that is running.
        var lanes: [Lane: [@Sendable () -> Void]] = [:]
        var lastReport: MonotonicTime?
    }

    private let execute: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state = Lock(State())

    /// - Parameter execute: has a thread run what it is given, soon, exactly once and not inside this call; on any
    ///   number of threads at once.
    public init(_ execute: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.execute = execute }

    /// Runs `job` behind all that were submitted for the same key.
    func submit(for key: some Hashable & Sendable, _ job: @escaping @Sendable () -> Void) {
        let lane = Lane(key: key)
        let isIdle = state.withLock { state in
            guard state.lanes[lane] == nil else {
                state.lanes[lane]?.append(job)
                return false
            }
            state.lanes[lane] = []
            return true
        }
        if isIdle { run(job, lane) }
    }

    private func run(_ job: @escaping @Sendable () -> Void, _ lane: Lane) {
        execute {
            job()
            let next: (@Sendable () -> Void)? = self.state.withLock { state in
                guard let first = state.lanes[lane]?.first else {
                    state.lanes[lane] = nil
                    return nil
                }
                state.lanes[lane]?.removeFirst()
                return first
            }
            if let next { self.run(next, lane) }
        }
    }

    /// Whether a failure may be told of: once a minute.
    func mayReport(at now: MonotonicTime) -> Bool {
        state.withLock { state in
            if let last = state.lastReport, last <= now, now - last < .seconds(60) { return false }
            state.lastReport = now
            return true
        }
    }
}
