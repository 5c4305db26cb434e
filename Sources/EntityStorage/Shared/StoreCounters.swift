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

    /// Sends a notice for the log.
    func send(_ notice: StoreNotice) { self.notice(notice) }
}
