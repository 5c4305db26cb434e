import HTTPCore
import Locking

/// Retries one exchange by a `RetryPolicy`.
final class RetryAttempts: AttemptPolicy {
    private let policy: RetryPolicy
    private let timekeeper: any Timekeeper
    private let statistics: PolicyStatistics
    private let chance: @Sendable () -> Double
    private let began: MonotonicTime
    private let made = Lock(0)

    init(
        _ policy: RetryPolicy,
        _ timekeeper: any Timekeeper,
        _ statistics: PolicyStatistics,
        chance: @escaping @Sendable () -> Double
    ) {
        self.policy = policy
        self.timekeeper = timekeeper
        self.statistics = statistics
        self.chance = chance
        began = timekeeper.now
    }

    func prepare(_ request: OriginRequest, _ completion: @escaping @Sendable (AttemptStart) -> Void) {
        made.withLock { $0 += 1 }
        completion(.now(request))
    }

    func verdict(_ head: ResponseHead) -> AttemptVerdict {
        guard policy.isFailure(head.status) else { return .passOn }
        return verdict(retryAfter: RetryAfter.pause(head.fields, at: timekeeper.wallNow))
    }

    func verdict(_ failure: ExchangeFailure) -> AttemptVerdict {
        policy.isFailure(failure) ? verdict(retryAfter: nil) : .passOn
    }

    private func verdict(retryAfter: Duration?) -> AttemptVerdict {
        let pause = policy.pause(
            after: made.withLock { $0 },
            elapsed: timekeeper.now - began,
            retryAfter: retryAfter,
            chance: chance()
        )
        guard let pause else { return .passOn }
        statistics.noteRetry()
        return .again(after: pause)
    }
}
