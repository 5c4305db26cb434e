/// What an origin forbids and a rule may allow: `cache-even`.
public enum CacheEvenWord: String, Sendable, CaseIterable {
    case noStore = "no-store"
    case noCache = "no-cache"
    case `private`
    case mustRevalidate = "must-revalidate"
}

/// What becomes of responses with Set-Cookie: `set-cookie`.
public enum SetCookieRule: String, Sendable, CaseIterable {
    case careful, refuse, reuse, `private`, strip
}

/// Whose answers are kept together: `partition`.
public enum PartitionSetting: Sendable, Hashable {
    case shared
    case credential
    case named(String)
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
