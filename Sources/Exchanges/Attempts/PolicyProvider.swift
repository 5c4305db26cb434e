import HTTPCore

/// Makes exchanges over another provider, by the policies and the credential of their requests.
///
/// A denied request is not made. The layers from the outside are retries, the credential, the rate limit, and the
/// circuit breakers, if any. So each attempt counts against the rate limit.
public final class PolicyProvider: ExchangeProvider {
    private let base: any ExchangeProvider
    private let timekeeper: any Timekeeper
    private let statistics: PolicyStatistics
    private let chance: @Sendable () -> Double

    /// - Parameters:
    ///   - base: the provider that makes the attempts.
    ///   - timekeeper: clock and timers.
    ///   - statistics: counts retries, waits and refusals.
    ///   - circuitBreakers: shared by the providers of all loops.
    ///   - chance: returns a new number from 0 to 1 with each call, for jitter.
    public init(
        _ base: any ExchangeProvider,
        timekeeper: any Timekeeper,
        statistics: PolicyStatistics,
        circuitBreakers: CircuitBreakers? = nil,
        chance: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.base = circuitBreakers.map { CircuitBreakingProvider(base, $0, timekeeper) } ?? base
        self.timekeeper = timekeeper
        self.statistics = statistics
        self.chance = chance
    }

    public var context: any DeliveryContext { base.context }

    public func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        guard request.hasPolicies else { return base.start(request, receiver: receiver) }
        let policies = request.policies
        if let denial = policies.denial {
            return RefusedExchange.start(receiver, denial.failure, on: base.context)
        }
        let (timekeeper, statistics, chance, base) = (timekeeper, statistics, chance, base)
        var provider = base
        if let limiter = policies.rateLimit {
            provider = AttemptProvider(provider, timekeeper) { LimitedAttempt(limiter, timekeeper, statistics) }
        }
        if let credential = request.credential {
            provider = AttemptProvider(provider, timekeeper) {
                let mayRepeat = request.isWithoutContent || request.repeatableContent != nil
                return CredentialAttempts(credential, base, timekeeper, statistics, mayRepeat: mayRepeat)
            }
        }
        if let retry = policies.retry, retry.mayRepeat(request) {
            provider = AttemptProvider(provider, timekeeper) {
                RetryAttempts(retry, timekeeper, statistics, chance: chance)
            }
        }
        return provider.start(request, receiver: receiver)
    }
}

/// Makes exchanges in attempts over another provider.
private final class AttemptProvider: ExchangeProvider {
    private let base: any ExchangeProvider
    private let timekeeper: any Timekeeper
    private let policy: @Sendable () -> any AttemptPolicy

    init(
        _ base: any ExchangeProvider,
        _ timekeeper: any Timekeeper,
        _ policy: @escaping @Sendable () -> any AttemptPolicy
    ) {
        self.base = base
        self.timekeeper = timekeeper
        self.policy = policy
    }

    var context: any DeliveryContext { base.context }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        let exchange = AttemptedExchange(
            request,
            receiver,
            provider: base,
            policy: policy(),
            timekeeper: timekeeper
        )
        exchange.start()
        return exchange
    }
}
