import HTTPCore
import Locking
import Observability

/// Logs that a resource shared by all clients is used up: once a minute for each setting.
final class BudgetReport: Sendable {
    private let log: Logger
    private let now: @Sendable () -> MonotonicTime
    /// For each setting: when it was logged last, and how often it has happened since.
    private let logged = Lock<[String: (at: MonotonicTime, count: Int)]>([:])

    init(_ log: Logger, now: @escaping @Sendable () -> MonotonicTime) {
        self.log = log
        self.now = now
    }

    /// Counts a refusal, and logs it if the last line was long enough ago.
    func refused(_ setting: String) {
        let now = now()
        let count: Int? = logged.withLock { logged in
            let count = (logged[setting]?.count ?? 0) + 1
            if let last = logged[setting]?.at, now - last < .seconds(60) {
                logged[setting]?.count = count
                return nil
            }
            logged[setting] = (now, 0)
            return count
        }
        guard let count else { return }
        log.warning("refused: a limit that all clients share is reached", ["setting": setting, "times": count])
    }
}
