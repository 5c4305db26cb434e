import Eventing
import Locking
import Platform
import Settings

/// Applies reloaded settings.
protocol ReloadTarget: AnyObject, Sendable {
    /// A reload begins.
    func reloadBegins()

    /// Applies a plan, and calls `done` once it is in force on all loops.
    func apply(_ plan: ServingPlan, _ report: ReloadReport, _ done: @escaping @Sendable () -> Void)

    /// A reload has ended: the new settings are in force, or the old ones still are.
    func reloadEnds(_ outcome: Reloader.Outcome)
}

/// Reloads the settings on request: one reload at a time, on its own thread, all or nothing.
///
/// A request during a reload is answered by the next reload, which reads the files after the request.
final class Reloader: Sendable {
    typealias Outcome = Result<ReloadReport, SettingsError>

    private struct State {
        var current: ServingPlan
        var isBusy = false
        /// How many jobs of `run` wait for the thread.
        var jobs = 0
        var waiting: [@Sendable (Outcome) -> Void] = []
    }

    /// The most requests that may wait for the next reload.
    private static let limit = 64
    /// The most jobs of `run` that may wait for the thread.
    private static let jobLimit = 4

    private let workers: WorkerPool
    private let read: @Sendable () throws(SettingsError) -> ServingPlan
    private let state: Lock<State>

    /// - Parameter read: reads the files and makes a plan; blocks.
    init(
        _ plan: ServingPlan,
        read: @escaping @Sendable () throws(SettingsError) -> ServingPlan
    ) throws(StartError) {
        self.read = read
        // Two places remain: one for `prepare`, which is called once, and one for a reload.
        workers = try WorkerPool.start(count: 1, name: "reload", queueLimit: Self.jobLimit + 2)
        state = Lock(State(current: plan))
    }

    /// The settings in force.
    var current: ServingPlan { state.withLock { $0.current } }

    /// Requests a reload; returns false, and never calls `completion`, if too many requests wait already.
    ///
    /// - Parameter completion: called on any thread, unless the daemon stops before.
    func reload(_ target: any ReloadTarget, _ completion: @escaping @Sendable (Outcome) -> Void) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            guard state.waiting.count < Self.limit else { return (false, false) }
            state.waiting.append(completion)
            defer { state.isBusy = true }
            return (true, !state.isBusy)
        }
        if isFirst { begin(target) }
        return isTaken
    }

    /// Does work for which the first request would have to wait, and frees memory that only the start needed.
    ///
    /// Called once after the start.
    func prepare() {
        workers.submit { [self] in
            current.prepare()
            ProcessMemory.trimAfterStart()
        }
    }

    /// Runs `work` between two reloads; returns false if too many jobs wait.
    func run(_ work: @escaping @Sendable () -> Void) -> Bool {
        let hasRoom = state.withLock { state in
            guard state.jobs < Self.jobLimit else { return false }
            state.jobs += 1
            return true
        }
        return hasRoom
            && workers.submit { [self] in
                state.withLock { $0.jobs -= 1 }
                work()
            }
    }

    func stop() { workers.stop() }

    /// Makes the thread reload.
    ///
    /// No other reload waits for the thread, so its queue has room unless the daemon stops.
    private func begin(_ target: any ReloadTarget) {
        workers.submit { [self] in
            // Take the requests made until now; the files are read after that.
            let asked = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            target.reloadBegins()
            run(target) { [self] outcome in
                target.reloadEnds(outcome)
                for completion in asked { completion(outcome) }
                let hasMore = state.withLock { state in
                    state.isBusy = !state.waiting.isEmpty
                    return state.isBusy
                }
                if hasMore { begin(target) }
            }
        }
    }

    private func run(_ target: any ReloadTarget, _ completion: @escaping @Sendable (Outcome) -> Void) {
        let old = current
        do throws(SettingsError) {
            let read = try read()
            let new = try read.keepingWhatNeedsRestart(of: old)
            new.prepare()
            let changes =
                read.loaded.changes(since: old.loaded, changedSecrets: new.changedSecrets(since: old))
                + new.changedLogins(since: old)
            let report = ReloadReport(changes: changes, warnings: new.warnings.map(\.summary))
            state.withLock { $0.current = new }
            target.apply(new, report) { completion(.success(report)) }
        } catch {
            completion(.failure(error))
        }
    }
}
