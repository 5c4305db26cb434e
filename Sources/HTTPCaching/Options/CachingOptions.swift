public import HTTPCore

/// The settings that caching decisions depend on.
public struct CachingOptions: Sendable {
    /// A response without explicit lifetime is fresh for this part of the time since Last-Modified (RFC 9111 §4.2.2).
    public var heuristicFraction = 0.1
    /// The longest heuristic lifetime.
    public var heuristicLimitSeconds: Int64 = 86400
    /// Targeted fields that replace Cache-Control; the first valid one counts (RFC 9213).
    public var targetedFields: [KnownField] = CachingOptions.ownTargetedFields
    public var credentials = CredentialFields()
    public var setCookie = SetCookiePolicy.careful
    public var cookies = CookieSharing.byRoute
    /// Whether the listener is bound to loopback or a Unix socket: its users are one party.
    public var isLoopbackListener = true
    /// A stale-if-error window for responses without one of their own; 0 is off.
    public var staleIfErrorSeconds: Int64 = 0
    /// A response whose `Vary` has more names is not stored.
    public var varyNameLimit = 32
    /// A request for more ranges than this gets the whole.
    public var rangeLimit = 16

    /// Rules that override the origin's fields; of several that apply, the last counts.
    public var rules: [CachingRule] = []
    /// Whether they are for requests whose content may belong to the key.
    public var isForQuestions = false

    public init() {}

    /// The field for this program alone, for routes on which we do not work for the origin (C-18.6).
    public static let ownTargetedFields: [KnownField] = [.respiteCacheControl]
    /// The fields that count on routes on which we work for the origin.
    public static let originTargetedFields: [KnownField] = [.respiteCacheControl, .cdnCacheControl]
}
