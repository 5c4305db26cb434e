/// Directives against caching that a rule may ignore: `cache-even`.
public enum CacheEvenWord: String, Sendable, CaseIterable {
    case noStore = "no-store"
    case noCache = "no-cache"
    case `private`
    case mustRevalidate = "must-revalidate"
}

/// How responses with Set-Cookie are stored: `set-cookie`.
public enum SetCookieRule: String, Sendable, CaseIterable {
    case careful, refuse, reuse, `private`, strip
}

/// Which requests share stored responses: `partition`.
public enum PartitionSetting: Sendable, Hashable {
    case shared
    case credential
    /// As `shared`, but apart for each user of a login.
    case user
    case named(String)
}

/// How content of requests belongs to the cache key: `key-body`.
public enum KeyBodySetting: Sendable, Hashable {
    /// `false`, which cancels earlier rules.
    case off
    case bytes
    /// As JSON, without the values at some paths, or with those at others only.
    case json(ignore: [String], only: [String])
    /// As a GraphQL request, without the values at some paths.
    case graphql(ignore: [String])
}

/// How fast pieces of stored streams are sent: `replay-pace`.
public enum ReplayPaceSetting: Sendable, Hashable {
    case instant
    /// So many times as fast as they came; 1 is `recorded`.
    case factor(Double)
}

/// A lifetime for some statuses: one member of `ttl-by-status`.
public struct StatusTTL: Sendable, Hashable {
    public var statuses: ClosedRange<UInt16>
    public var ttl: Duration

    public init(_ statuses: ClosedRange<UInt16>, _ ttl: Duration) {
        self.statuses = statuses
        self.ttl = ttl
    }
}
