public import HostLists

/// Settings for the URLs that match a pattern: a `[[rule]]`, or a rule of a service.
///
/// Nil and empty values leave those of earlier rules in force. Stored properties: one for each key of a rule.
public struct RuleSettings: Sendable, Equatable {
    /// An absolute URL with `*` (within a segment or label) and `**` (across them).
    ///
    /// In a rule of a service, it is the part after the service's base.
    public var match = ""
    /// The file of a list of hosts to which it applies; nil: all.
    public var hostsFile: String?
    /// The hosts of `hostsFile`, once it has been read.
    public var hosts: HostList?
    /// The methods to which it applies; empty: all.
    public var methods: [String] = []
    /// The media types of responses to which it applies, such as `*/json`, lower-cased; empty: all.
    public var contentTypes: [String] = []
    /// The statuses of responses to which it applies; empty: all.
    public var statuses: [ClosedRange<UInt16>] = []

    // MARK: Caching

    /// The freshness lifetime, whatever the response says.
    public var ttl: Duration?
    /// The lifetime by status; it overrides `ttl`.
    ///
    /// Of nested ranges the narrower applies.
    public var ttlByStatus: [StatusTTL] = []
    public var staleIfError: Duration?
    public var staleWhileRevalidate: Duration?
    /// Percent of the lifetime: a response with less left is validated when it is used; 0 cancels an earlier rule.
    public var refreshAhead: Int?
    /// Whether reloads of clients are ignored; false cancels an earlier rule.
    public var ignoreClientNoCache: Bool?
    /// Directives against caching that are ignored; empty cancels an earlier rule.
    public var cacheEven: [CacheEvenWord]?
    /// Whether responses are never stored; false cancels an earlier rule.
    public var neverCache: Bool?
    /// Request fields that select the response, besides those of its Vary.
    public var varyAdd: [String] = []
    /// Members of Vary that select nothing.
    public var varyIgnore: [String] = []
    /// Request fields that belong to the cache key.
    public var keyHeader: [String] = []
    /// How content of POST and QUERY belongs to the cache key.
    public var keyBody: KeyBodySetting?
    /// Paths of JSON values that no cassette may have.
    public var scrub: [String] = []
    public var partition: PartitionSetting?
    public var setCookie: SetCookieRule?
    /// Whether streams are stored with the times of their pieces.
    public var recordStreams: Bool?
    public var replayPace: ReplayPaceSetting?
    /// Names of query parameters to remove, with `*`.
    public var dropQuery: [String] = []
    public var sortQuery: Bool?

    // MARK: Acting on requests

    /// Whether requests are refused, tunnels included; false cancels an earlier rule.
    public var deny: DenyRule?
    /// Where clients are sent; false cancels an earlier rule.
    public var redirect: RedirectRule?
    /// Which requests fail, for tests of clients; false cancels an earlier rule.
    public var fail: FailRule?
    /// How long requests wait before anything is done; zero cancels an earlier rule.
    public var delay: Duration?
    /// How fast content is sent; false cancels an earlier rule.
    public var rate: SendRateRule?
    /// Fields that are set, besides those of earlier rules.
    public var setField: SetFieldSettings?
    /// Names of fields that are removed, besides those of earlier rules.
    public var removeField: RemoveFieldSettings?

    // MARK: Loading

    public var retry: RetryRule?
    /// One limit for all URLs of the rule.
    public var rateLimit: RateLimitRule?
    /// Which requests wait when the origin server sends Retry-After.
    public var retryAfter: RetryAfterRule?
    /// Whether plain HTTP inside a CONNECT is served here; false cancels an earlier rule.
    public var connectHTTP: Bool?

    // MARK: Transforming

    /// Whether store and admin API keep what a redaction removes.
    public var keepOriginal: Bool?
    /// Whether responses with `no-transform` are transformed, too.
    public var force: Bool?
    /// What happens to content that is too large to be transformed.
    public var oversize: OversizeRule?
    /// Nil: the rule adds no transformer.
    public var transform: TransformListSetting?

    public init() {}

    /// Whether it has conditions on the response; such a rule cannot change the cache key.
    public var hasResponseConditions: Bool { !contentTypes.isEmpty || !statuses.isEmpty }

    /// Whether the rule changes nothing.
    public var saysNothing: Bool {
        var bare = RuleSettings()
        (bare.match, bare.methods, bare.contentTypes, bare.statuses) = (match, methods, contentTypes, statuses)
        (bare.hostsFile, bare.hosts) = (hostsFile, hosts)
        return bare == self
    }
}

/// What happens to content larger than `limits.max-transform-size`.
public enum OversizeRule: String, Sendable, CaseIterable {
    /// The response becomes 502.
    case fail
    /// The content passes unchanged.
    case pass
}

/// Which requests wait when an origin server sends a 429 or 503 with Retry-After.
public enum RetryAfterRule: String, Sendable, CaseIterable {
    /// None.
    case ignore
    /// Requests for the resource.
    case resource
    /// Requests for all URLs of the origin that match the rule.
    case origin
}
