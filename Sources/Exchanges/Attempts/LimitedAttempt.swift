import HTTPCore
import Locking

/// Makes one exchange wait for its turn under a rate limit.
final class LimitedAttempt: AttemptPolicy {
    private let limiter: RateLimiter
    private let timekeeper: any Timekeeper
    private let statistics: PolicyStatistics
    private let isWaiting = Lock(false)

    init(_ limiter: RateLimiter, _ timekeeper: any Timekeeper, _ statistics: PolicyStatistics) {
        self.limiter = limiter
        self.timekeeper = timekeeper
        self.statistics = statistics
    }

    func prepare(_ request: OriginRequest, _ completion: @escaping @Sendable (AttemptStart) -> Void) {
        switch limiter.admit(at: timekeeper.now) {
        case .after(let wait):
            guard wait > .zero else { return completion(.now(request)) }
            statistics.noteWait()
            isWaiting.withLock { $0 = true }
            completion(.after(wait, request))
        case .refused(let retryAfter):
            statistics.noteRefusal()
            var failure = ExchangeFailure(
                .connectionLimitReached,
                "the rate limit of \(limiter.name) is reached, and too many wait already; see `rate-limit`"
            )
            failure.retryAfter = retryAfter
            completion(.failed(failure))
        }
    }

    func withdraw() {
        let wasWaiting = isWaiting.withLock { isWaiting in
            defer { isWaiting = false }
            return isWaiting
        }
        if wasWaiting { limiter.withdraw() }
    }
}
