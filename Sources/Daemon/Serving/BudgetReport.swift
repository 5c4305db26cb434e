import HTTPCore
import Locking
import Observability

/// Says in the log that something all clients share is used up: once a minute for each setting, whoever keeps asking.
final class BudgetReport: Sendable {
    private let log: Logger
    private let now: @Sendable () -> MonotonicTime
    /// By setting: when that was told last, and how often it has happened since.
    private let told = Lock<[String: (at: MonotonicTime, count: Int)]>([:])

    init(_ log: Logger, now: @escaping @Sendable () -> MonotonicTime) {
        self.log = log
        self.now = now
    }

    /// Something was turned away.
    func refused(_ setting: String) {
        let now = now()
        let count: Int? = told.withLock { told in
            let count = (told[setting]?.count ?? 0) + 1
            if let last = told[setting]?.at, now - last < .seconds(60) {
                told[setting]?.count = count
                return nil
            }
            told[setting] = (now, 0)
            return count
        }
        guard let count else { return }
        log.warning("refused: what all clients share is used up", ["setting": setting, "times": count])
    }
}
