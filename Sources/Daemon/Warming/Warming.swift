import Exchanges
import HTTPCore
import Locking
import Observability
import Settings

/// Loads the lists of URLs that `[[warm]]` names, at once and then at intervals.
///
/// Each round reads its list again, on a worker. While a round runs, no other round of the same list begins.
final class Warming: Sendable {
    /// What schedules need from the daemon.
    struct Tools: Sendable {
        var timekeeper: any Timekeeper
        /// Runs work that blocks; returns false if it cannot.
        var workers: @Sendable (@escaping @Sendable () -> Void) -> Bool
        /// Reads a list; blocks.
        var read: @Sendable (WarmSettings) -> Result<[TargetURI], SettingsError>
        var load: WarmRound.Load
        var log: Logger
    }

    /// Events since the start.
    struct Statistics: Sendable, Equatable {
        var rounds = 0
        /// Rounds that did not begin: the one before still ran, or the list could not be read.
        var skipped = 0
        var loads = 0
        var failures = 0
    }

    private struct Schedule {
        /// Distinguishes it from an earlier one with the same settings.
        var number: Int
        var timer: (any TimerToken)?
        var isBusy = false
        var round: WarmRound?
        var fault: String?
    }

    private struct State {
        var schedules: [WarmSettings: Schedule] = [:]
        var count = 0
        var isStopped = false
        var statistics = Statistics()
    }

    private let tools: Tools
    private let state = Lock(State())

    init(_ tools: Tools) { self.tools = tools }

    var statistics: Statistics { state.withLock { $0.statistics } }

    /// What went wrong in the last round of each list, for the status.
    var faults: [String] { state.withLock { $0.schedules.values.compactMap(\.fault).sorted() } }

    /// Puts schedules in force; schedules already in force go on.
    func apply(_ settings: [WarmSettings]) {
        let (begun, ended) = state.withLock { state in
            guard !state.isStopped else { return ([] as [(WarmSettings, Int)], [] as [Schedule]) }
            var (begun, ended): ([(WarmSettings, Int)], [Schedule]) = ([], [])
            for (old, schedule) in state.schedules where !settings.contains(old) {
                state.schedules[old] = nil
                ended.append(schedule)
            }
            for new in settings where state.schedules[new] == nil {
                state.count += 1
                state.schedules[new] = Schedule(number: state.count)
                begun.append((new, state.count))
            }
            return (begun, ended)
        }
        ended.forEach(Self.end)
        for (settings, number) in begun { begin(settings, number) }
    }

    /// Begins no more rounds and loads.
    func stop() {
        let ended = state.withLock { state in
            state.isStopped = true
            defer { state.schedules = [:] }
            return Array(state.schedules.values)
        }
        ended.forEach(Self.end)
    }

    private static func end(_ schedule: Schedule) {
        schedule.timer?.cancel()
        schedule.round?.cancel()
    }

    // MARK: Rounds

    /// Begins a round, and sets the timer of the next one.
    private func begin(_ settings: WarmSettings, _ number: Int) {
        guard change(settings, number, { _ in }) else { return }
        let timer = tools.timekeeper.after(settings.every) { [weak self] in self?.begin(settings, number) }
        var isFree = false
        let isInForce = change(settings, number) { schedule in
            schedule.timer = timer
            isFree = !schedule.isBusy
            schedule.isBusy = true
        }
        guard isInForce else { return timer.cancel() }
        guard isFree else {
            tools.log.info("warming skipped: the round before still runs", ["list": settings.urls])
            return state.withLock { $0.statistics.skipped += 1 }
        }
        guard tools.workers({ [weak self] in self?.run(settings, number) }) else {
            return skip(settings, number, because: "too much work waits for a thread")
        }
    }

    private func run(_ settings: WarmSettings, _ number: Int) {
        switch tools.read(settings) {
        case .failure(let error): skip(settings, number, because: error.summary)
        case .success(let urls):
            let round = WarmRound(urls, load: tools.load) { [weak self] in self?.end(settings, number, $0) }
            guard change(settings, number, { $0.round = round }) else { return }
            state.withLock { $0.statistics.rounds += 1 }
            tools.log.info("warming", ["list": settings.urls, "urls": urls.count])
            round.start()
        }
    }

    private func skip(_ settings: WarmSettings, _ number: Int, because reason: String) {
        state.withLock { $0.statistics.skipped += 1 }
        let isInForce = change(settings, number) { schedule in
            schedule.isBusy = false
            schedule.fault = "warm: \(reason)"
        }
        if isInForce { tools.log.warning("not warmed", ["list": settings.urls, "reason": reason]) }
    }

    private func end(_ settings: WarmSettings, _ number: Int, _ report: WarmRound.Report) {
        let count = report.loaded + report.notModified + report.failed
        state.withLock { state in
            state.statistics.loads += count
            state.statistics.failures += report.failed
        }
        let fault =
            report.failed == 0
            ? nil : "warm: \(report.failed) of \(count) URLs of \(settings.urls) could not be loaded in the last round"
        let isInForce = change(settings, number) { schedule in
            schedule.isBusy = false
            schedule.round = nil
            schedule.fault = fault
        }
        guard isInForce else { return }
        tools.log.info(
            "warmed",
            [
                "list": settings.urls, "loaded": report.loaded, "not-modified": report.notModified,
                "failed": report.failed,
            ]
        )
        for reason in report.reasons { tools.log.warning("not warmed", ["list": settings.urls, "reason": reason]) }
    }

    /// Changes a schedule that is in force; returns false if it is not.
    private func change(_ settings: WarmSettings, _ number: Int, _ change: (inout Schedule) -> Void) -> Bool {
        state.withLock { state in
            guard var schedule = state.schedules[settings], schedule.number == number else { return false }
            change(&schedule)
            state.schedules[settings] = schedule
            return true
        }
    }
}
