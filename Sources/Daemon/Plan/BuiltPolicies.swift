import Exchanges
import ResourceCore
import Settings

/// The policies of a rule or service for requests to origins, with the state that these requests share.
struct BuiltPolicies: Sendable {
    private let retry: RetryRule?
    private let limit: RateLimitRule?
    private let retryAfter: RetryAfterRule?
    private var limiter: RateLimiter?

    /// - Parameter name: the rule or service in messages.
    init(_ retry: RetryRule?, _ limit: RateLimitRule?, _ retryAfter: RetryAfterRule? = nil, name: String) {
        self.retryAfter = retryAfter
        self.retry = retry
        self.limit = limit
        if case .limit(let settings) = limit { limiter = RateLimiter(RateLimiter.Rate(settings), name: name) }
    }

    /// Keeps the earlier limiter if its settings are the same, so that a reload forgets no counted requests.
    mutating func adopt(_ earlier: BuiltPolicies) {
        guard let limiter, let known = earlier.limiter, limiter.rate == known.rate, limiter.name == known.name else {
            return
        }
        self.limiter = known
    }

    func apply(to policies: inout ExchangePolicies) {
        switch retry {
        case .when(let settings)?: policies.retry = RetryPolicy(settings)
        case .never?: policies.retry = nil
        case nil: break
        }
        if limit != nil { policies.rateLimit = limiter }
        switch retryAfter {
        case .ignore?: policies.retryAfter = .ignore
        case .resource?: policies.retryAfter = .resource
        case .origin?: policies.retryAfter = .origin
        case nil: break
        }
    }
}

extension RateLimiter.Rate {
    init(_ settings: RateLimitSettings) {
        self.init(
            requests: settings.rate.requests,
            interval: settings.rate.interval,
            burst: settings.effectiveBurst,
            maximumWait: settings.maxWait
        )
    }
}

extension RetryPolicy {
    init(_ settings: RetrySettings) {
        self.init()
        attempts = settings.attempts
        delay = settings.delay
        maximumDelay = settings.maxDelay
        total = settings.total
        statuses = settings.statuses
    }
}
