/// How requests to origins are made: repeated, slowed down; part of a resource's configuration.
///
/// The default does neither.
public struct ExchangePolicies: Sendable {
    /// Nil: what fails is not tried again.
    public var retry: RetryPolicy?
    /// Shared by all requests that count against it; nil: there is no limit.
    public var rateLimit: RateLimiter?

    public init(retry: RetryPolicy? = nil, rateLimit: RateLimiter? = nil) {
        self.retry = retry
        self.rateLimit = rateLimit
    }

    public var isEmpty: Bool { retry == nil && rateLimit == nil }
}
