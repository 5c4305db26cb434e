import Locking

/// A store's figures and state, written by its threads, read by anybody.
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

    /// Goes to `state`; `notice` is told if that is a change.
    func enter(_ state: StoreState, _ notice: @autoclosure () -> StoreNotice?) {
        let changed = statistics.withLock { statistics in
            let previous = statistics.state
            statistics.state = state
            switch (previous, state) {
            case (.full, .full), (.locked, .locked), (.disabled, .disabled): return false
            default: return previous != state
            }
        }
        if changed, let told = notice() { self.notice(told) }
    }

    func tell(_ notice: StoreNotice) { self.notice(notice) }
}
