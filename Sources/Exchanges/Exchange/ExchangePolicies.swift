public import HTTPCore

/// How requests to origins are made: repeated, slowed down; part of a resource's configuration.
///
/// The default does neither.
public struct ExchangePolicies: Sendable {
    /// Nil: what fails is not tried again.
    public var retry: RetryPolicy?
    /// Shared by all requests that count against it; nil: there is no limit.
    public var rateLimit: RateLimiter?
    /// What waits when the origin asks for that with a 429 or 503.
    public var retryAfter = ExchangePolicies.usualRetryAfter
    /// It is not waited for longer, whatever the origin asks for; zero: not at all.
    public var retryAfterLimit = ExchangePolicies.usualRetryAfterLimit
    /// Names what TLS is spoken under, for a provider that knows the name; nil: what is usual.
    public var security: String?
    /// Names the proxy it goes through, or that it goes directly, for a provider that knows the name; nil: as is usual.
    public var proxy: String?

    public init(retry: RetryPolicy? = nil, rateLimit: RateLimiter? = nil) {
        self.retry = retry
        self.rateLimit = rateLimit
    }

    static let usualRetryAfter = RetryAfterScope.resource
    private static let usualRetryAfterLimit = Duration.seconds(300)

    /// Whether each property is as in a policy that nobody has changed.
    var isUsual: Bool {
        isEmpty && security == nil && proxy == nil && retryAfter == Self.usualRetryAfter
            && retryAfterLimit == Self.usualRetryAfterLimit
    }

    /// Whether nothing repeats or slows down a request.
    public var isEmpty: Bool {
        // Comparing with nil would copy what is there.
        if case .some = retry { return false }
        if case .some = rateLimit { return false }
        return true
    }
}

/// What waits when an origin says Retry-After (C-25.3).
public enum RetryAfterScope: String, Sendable, CaseIterable {
    /// Nothing.
    case ignore
    /// Loads that would be answered the same way: of the resource, its variant and partition.
    case resource
    /// All requests to the origin for which this is configured.
    case origin
}

extension ExchangePolicies {
    /// How long the origin asks to be left alone by a final head, as far as that is honoured; nil: not at all.
    public func pause(_ status: UInt16, _ fields: Fields, at now: HTTPDate) -> Duration? {
        guard retryAfter != .ignore, status == 429 || status == 503,
            let pause = RetryAfter.pause(fields, at: now).map({ min($0, retryAfterLimit) }), pause > .zero
        else { return nil }
        return pause
    }
}
