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

    private struct State {
        /// Jobs that wait behind the running one.
        var lanes: [Lane: [@Sendable () -> Void]] = [:]
        /// Calls of `finish` that wait until no job is left.
        var waiters: [CheckedContinuation<Void, Never>] = []
        var lastReport: MonotonicTime?

        /// The next job in `lane`; after the last job of all, the waiters to resume.
        mutating func takeNext(_ lane: Lane) -> (job: (@Sendable () -> Void)?, [CheckedContinuation<Void, Never>]) {
            if lanes[lane]?.isEmpty == false { return (lanes[lane]?.removeFirst(), []) }
            lanes[lane] = nil
            guard lanes.isEmpty else { return (nil, []) }
            defer { waiters = [] }
            return (nil, waiters)
        }
    }

    private let execute: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state = Lock(State())

    /// - Parameter execute: runs what it gets on some thread, soon, exactly once and not inside this call; several at
    ///   once if it likes.
    public init(_ execute: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.execute = execute }

    /// Runs `job` after all that were submitted for the same key.
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
            let (next, waiters) = self.state.withLock { $0.takeNext(lane) }
            if let next { self.run(next, lane) }
            for waiter in waiters { waiter.resume() }
        }
    }

    /// Returns once no submitted job is left.
    public func finish() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.lanes.isEmpty { state.waiters.append(continuation) }
                return state.lanes.isEmpty
            }
            if isIdle { continuation.resume() }
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
