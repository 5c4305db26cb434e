public import HTTPCore

/// How requests to origins are made; by default they are neither repeated nor limited.
///
/// Part of a resource's configuration.
public struct ExchangePolicies: Sendable {
    /// Nil if failures are not retried.
    public var retry: RetryPolicy?
    /// The limiter, which all requests that count against it share; nil if there is no limit.
    public var rateLimit: RateLimiter?
    /// What waits if the origin asks for a pause with a 429 or 503.
    public var retryAfter = ExchangePolicies.defaultRetryAfter
    /// The longest pause, whatever the origin asks for; zero for none.
    public var retryAfterLimit = ExchangePolicies.defaultRetryAfterLimit
    /// The name of TLS settings that the provider knows; nil for the standard ones.
    public var security: String?
    /// The name of a parent proxy, or of the direct route, that the provider knows; nil for the standard route.
    public var proxy: String?
    /// Set if no request may be made.
    public var denial: Denial?

    public init(retry: RetryPolicy? = nil, rateLimit: RateLimiter? = nil) {
        self.retry = retry
        self.rateLimit = rateLimit
    }

    static let defaultRetryAfter = RetryAfterScope.resource
    private static let defaultRetryAfterLimit = Duration.seconds(300)

    /// Whether each property has its default value.
    var isDefault: Bool {
        isEmpty && security == nil && proxy == nil && retryAfter == Self.defaultRetryAfter
            && retryAfterLimit == Self.defaultRetryAfterLimit
    }

    /// Whether nothing repeats, slows down or refuses a request.
    public var isEmpty: Bool {
        if denial != nil { return false }
        // Comparing with nil would copy the value.
        if case .some = retry { return false }
        if case .some = rateLimit { return false }
        return true
    }
}

/// Which requests wait when an origin sends Retry-After (C-25.3).
public enum RetryAfterScope: String, Sendable, CaseIterable {
    /// Nothing.
    case ignore
    /// Loads that would get the same response: of the same resource, variant and partition.
    case resource
    /// All requests to the origin that have this setting.
    case origin
}

extension ExchangePolicies {
    /// The pause that a final head asks for, as far as we honour it; nil for none.
    public func pause(_ status: UInt16, _ fields: Fields, at now: HTTPDate) -> Duration? {
        guard retryAfter != .ignore, status == 429 || status == 503,
            let pause = RetryAfter.pause(fields, at: now) ?? Self.seconds(RateLimitFields(fields)?.exhaustion)
        else { return nil }
        return limited(pause)
    }

    /// The pause for all requests to the origin after a response whose quota is used up; nil for none.
    ///
    /// A status does not matter: the last request that a quota allows gets an ordinary response.
    func quotaPause(_ limits: RateLimitFields) -> Duration? {
        retryAfter == .origin ? Self.seconds(limits.exhaustion).flatMap(limited) : nil
    }

    /// How long loads that nobody waits for leave a quota alone that is nearly used up; nil if they need not.
    func thrift(_ limits: RateLimitFields) -> Duration? {
        retryAfter == .ignore ? nil : Self.seconds(limits.scarcity).flatMap(limited)
    }

    private func limited(_ pause: Duration) -> Duration? {
        let pause = min(pause, retryAfterLimit)
        return pause > .zero ? pause : nil
    }

    private static func seconds(_ number: Int64?) -> Duration? { number.map { .seconds(min($0, 1 << 31)) } }
}
