import Locking

/// A store's figures and state, written by its threads, read by anybody.
final class Board: Sendable {
    private let figures: Lock<StoreStatistics>
    private let notice: @Sendable (StoreNotice) -> Void

    init(limit: Int64, notice: @escaping @Sendable (StoreNotice) -> Void) {
        var initial = StoreStatistics()
        initial.limit = limit
        figures = Lock(initial)
        self.notice = notice
    }

    var snapshot: StoreStatistics { figures.withLock { $0 } }
    var state: StoreState { figures.withLock { $0.state } }

    func change(_ body: (inout StoreStatistics) -> Void) { figures.withLock { body(&$0) } }

    /// Goes to `state`; `notice` is told if that is a change.
    func enter(_ state: StoreState, _ notice: @autoclosure () -> StoreNotice?) {
        let changed = figures.withLock { figures in
            let previous = figures.state
            figures.state = state
            switch (previous, state) {
            case (.full, .full), (.locked, .locked), (.disabled, .disabled): return false
            default: return previous != state
            }
        }
        if changed, let told = notice() { self.notice(told) }
    }

    func tell(_ notice: StoreNotice) { self.notice(notice) }
}
