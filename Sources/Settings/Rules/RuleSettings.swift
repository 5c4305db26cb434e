/// What holds for the URLs that fit a pattern: one `[[rule]]`, or one of a service's own.
///
/// Nil and empty say nothing, so that what earlier rules said holds.
public struct RuleSettings: Sendable, Equatable {
    /// Absolute URL with `*` (within a segment or label) and `**` (across them); of a service's own rule: behind its base.
    public var match = ""
    /// Methods it is for; empty: all.
    public var methods: [String] = []
    /// Media types of responses it is for, `*/json`, lower-cased; empty: all.
    public var contentTypes: [String] = []
    /// Statuses of responses it is for; empty: all.
    public var statuses: [ClosedRange<UInt16>] = []

    // MARK: Caching

    /// The freshness lifetime, whatever the response says.
    public var ttl: Duration?
    /// The same for single statuses, before `ttl`; of ranges one of which is a part of the other the narrower counts.
    public var ttlByStatus: [StatusTTL] = []
    public var staleIfError: Duration?
    public var staleWhileRevalidate: Duration?
    /// Reloads of clients count for nothing; false takes back what an earlier rule said.
    public var ignoreClientNoCache: Bool?
    /// What the origin forbids and is done all the same; empty takes back what an earlier rule said.
    public var cacheEven: [CacheEvenWord]?
    /// False takes back what an earlier rule said.
    public var neverCache: Bool?
    /// Request fields the response is selected by besides its Vary.
    public var varyAdd: [String] = []
    /// Members of Vary that select nothing.
    public var varyIgnore: [String] = []
    /// Request fields that belong to the key.
    public var keyHeader: [String] = []
    public var partition: PartitionSetting?
    public var setCookie: SetCookieRule?
    /// Names of query parameters to leave out, with `*`.
    public var dropQuery: [String] = []
    public var sortQuery: Bool?

    // MARK: Loading

    public var retry: RetryRule?
    /// One limit for all URLs the rule is for.
    public var rateLimit: RateLimitRule?
    /// What waits when the origin says Retry-After.
    public var retryAfter: RetryAfterRule?
    /// Plain HTTP inside a CONNECT is served; false takes back what an earlier rule said.
    public var connectHTTP: Bool?

    // MARK: Transforming

    /// Whether the store and admin reads keep what a redaction took out.
    public var keepOriginal: Bool?
    /// Transforms also what says `no-transform`.
    public var force: Bool?
    /// What becomes of content that is too large to be transformed.
    public var oversize: OversizeRule?
    /// Nil: nothing is added.
    public var transform: TransformListSetting?

    public init() {}

    /// It looks at the response, so it cannot change which response is looked up.
    public var hasResponseConditions: Bool { !contentTypes.isEmpty || !statuses.isEmpty }

    /// Whether it could change anything.
    public var saysNothing: Bool {
        var bare = RuleSettings()
        (bare.match, bare.methods, bare.contentTypes, bare.statuses) = (match, methods, contentTypes, statuses)
        return bare == self
    }
}

/// What becomes of content that is larger than `limits.max-transform-size`.
public enum OversizeRule: String, Sendable, CaseIterable {
    /// 502.
    case fail
    /// It goes on as it is.
    case pass
}

/// What waits when an origin says Retry-After with a 429 or 503.
public enum RetryAfterRule: String, Sendable, CaseIterable {
    /// Nothing.
    case ignore
    /// The resource.
    case resource
    /// All URLs of the origin that the rule is for.
    case origin
}
