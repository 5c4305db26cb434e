public import HTTPCore

/// The settings caching decisions depend on.
public struct CachingOptions: Sendable {
    /// Part of the time since Last-Modified that a response without explicit lifetime is fresh (RFC 9111 §4.2.2).
    public var heuristicFraction = 0.1
    /// The longest heuristic lifetime.
    public var heuristicLimitSeconds: Int64 = 86400
    /// Targeted fields that replace Cache-Control, the first valid one wins (RFC 9213).
    public var targetedFields: [KnownField] = CachingOptions.ownTargetedFields
    public var credentials = CredentialFields()
    public var setCookie = SetCookiePolicy.careful
    public var cookies = CookieSharing.byRoute
    /// Whether the listener is bound to loopback or a Unix socket: its users are one party.
    public var isLoopbackListener = true
    /// A stale-if-error window for responses that have none of their own; 0 is off.
    public var staleIfErrorSeconds: Int64 = 0
    /// Names `Vary` may nominate; a response with more is not stored.
    public var varyNameLimit = 32
    /// Ranges answered as multipart; more give the whole.
    public var rangeLimit = 16

    /// What is wanted otherwise than the origin says, in order; later ones win.
    public var rules: [CachingRule] = []

    public init() {}

    /// Where we are no party to the origin's arrangements: only the field addressed to us counts (C-18.6).
    public static let ownTargetedFields: [KnownField] = [.respiteCacheControl]
    /// Where we work for the origin.
    public static let originTargetedFields: [KnownField] = [.respiteCacheControl, .cdnCacheControl]
}
