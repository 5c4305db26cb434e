import Eventing
import Locking
import Platform
import Settings

/// What settings are put in force in.
protocol ReloadTarget: AnyObject, Sendable {
    /// A reading begins.
    func reloadBegins()

    /// Puts a plan in force, and calls `done` once it is so everywhere.
    func apply(_ plan: ServingPlan, _ report: ReloadReport, _ done: @escaping @Sendable () -> Void)

    /// The new settings are in force, or the old ones still are.
    func reloadEnds(_ outcome: Reloader.Outcome)
}

/// Reads the settings again when told to: one reading at a time, on a thread of its own, all or nothing.
///
/// Who asks while a reading is under way is answered by the next one, which begins after he asked.
final class Reloader: Sendable {
    typealias Outcome = Result<ReloadReport, SettingsError>

    private struct State {
        var current: ServingPlan
        var isBusy = false
        var waiting: [@Sendable (Outcome) -> Void] = []
    }

    /// Those who may wait for the next reading.
    private static let limit = 64

    private let workers: WorkerPool
    private let read: @Sendable () throws(SettingsError) -> ServingPlan
    private let state: Lock<State>

    /// - Parameter read: makes a plan of what the files say now; blocks.
    init(
        _ plan: ServingPlan,
        read: @escaping @Sendable () throws(SettingsError) -> ServingPlan
    ) throws(StartError) {
        self.read = read
        workers = try WorkerPool.start(count: 1, name: "reload", queueLimit: 4)
        state = Lock(State(current: plan))
    }

    /// The settings in force.
    var current: ServingPlan { state.withLock { $0.current } }

    /// Has the settings read; false if too many wait already, and `completion` is then never called.
    ///
    /// - Parameter completion: called on any thread; not if the daemon stops before.
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

    /// Once all serves: has done what the first request would wait for, and given back what only the start needed.
    func prepare() {
        workers.submit { [self] in
            current.prepare()
            ProcessMemory.trimAfterStart()
        }
    }

    /// Runs `work` between two readings; false if the thread has enough to do.
    func run(_ work: @escaping @Sendable () -> Void) -> Bool { workers.submit(work) }

    func stop() { workers.stop() }

    private func begin(_ target: any ReloadTarget) {
        workers.submit { [self] in
            // Those who have asked until now; the files are read after that.
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
            let changes = read.loaded.changes(since: old.loaded, changedSecrets: new.changedSecrets(since: old))
            let report = ReloadReport(changes: changes)
            state.withLock { $0.current = new }
            target.apply(new, report) { completion(.success(report)) }
        } catch {
            completion(.failure(error))
        }
    }
}
