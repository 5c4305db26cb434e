import Locking

/// The statistics and the state of a store; safe from any thread.
final class StoreCounters: Sendable {
    private let statistics: Lock<StoreStatistics>
    private let notice: @Sendable (StoreNotice) -> Void

    init(limit: Int64, notice: @escaping @Sendable (StoreNotice) -> Void) {
        var initial = StoreStatistics()
        initial.limit = limit
        statistics = Lock(initial)
        self.notice = notice
    }

    var snapshot: StoreStatistics { statistics.withLock { $0 } }
    var state: StoreState { statistics.withLock { $0.state } }

    func change(_ body: (inout StoreStatistics) -> Void) { statistics.withLock { body(&$0) } }

    /// Sets the state; sends `notice` if that is a change.
    func enter(_ state: StoreState, _ notice: @autoclosure () -> StoreNotice?) {
        let hasChanged = statistics.withLock { statistics in
            let previous = statistics.state
            statistics.state = state
            switch (previous, state) {
            case (.full, .full), (.locked, .locked), (.disabled, .disabled): return false
            default: return previous != state
            }
        }
        if hasChanged, let notice = notice() { send(notice) }
    }

    /// The database is open, or no longer locked.
    func beginStoring() {
        let wasLocked = if case .locked = state { true } else { false }
        let notice = StoreNotice(.info, "the database is free again; what waited is stored now")
        enter(.ok, wasLocked ? notice : nil)
    }

    /// Another program has locked the database at this path.
    func showLock(of database: String, isOpen: Bool) {
        enter(
            .locked(reason: "another program has locked the database, or reads it for long", isOpen: isOpen),
            StoreNotice(
                .warning,
                "another program has locked the database; changes wait in memory until it lets go",
                [("database", database)]
            )
        )
    }

    /// Sends a notice for the log.
    func send(_ notice: StoreNotice) { self.notice(notice) }
}
