import HTTPCore

/// Makes exchanges over another provider by the policies and the credential their requests name.
///
/// Outermost are retries, then the credential, then the rate limit, which each attempt counts against; innermost is the
/// watch on origins that are down, where there is one.
public final class PolicyProvider: ExchangeProvider {
    private let base: any ExchangeProvider
    private let timekeeper: any Timekeeper
    private let statistics: PolicyStatistics
    private let chance: @Sendable () -> Double

    /// - Parameters:
    ///   - base: makes the attempts.
    ///   - timekeeper: clock and timers.
    ///   - origins: which of them are down; shared by the providers of all loops.
    ///   - statistics: what retries, waits and refusals are counted in.
    ///   - chance: from 0 to 1, anew with each call; what jitter is made of.
    public init(
        _ base: any ExchangeProvider,
        timekeeper: any Timekeeper,
        statistics: PolicyStatistics,
        origins: CircuitBreakers? = nil,
        chance: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.base = origins.map { CircuitBreakingProvider(base, $0, timekeeper) } ?? base
        self.timekeeper = timekeeper
        self.statistics = statistics
        self.chance = chance
    }

    public var context: any DeliveryContext { base.context }

    public func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        guard !request.isPlain else { return base.start(request, receiver: receiver) }
        let policies = request.policies
        let (timekeeper, statistics, chance, base) = (timekeeper, statistics, chance, base)
        var provider = base
        if let limiter = policies.rateLimit {
            provider = AttemptProvider(provider, timekeeper) { LimitedAttempt(limiter, timekeeper, statistics) }
        }
        if let credential = request.credential {
            provider = AttemptProvider(provider, timekeeper) {
                CredentialAttempts(credential, base, timekeeper, statistics, mayRepeat: request.isWithoutContent)
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

/// Makes attempts over another provider.
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
