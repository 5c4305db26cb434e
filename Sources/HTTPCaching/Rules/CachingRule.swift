public import HTTPCore

/// What somebody in charge of the cache wants otherwise than the origin says, for responses of some kind.
///
/// `CachingOptions.rules` holds them in order: of what several say, the last counts. A rule never makes a response storable
/// that the origin forbids to store (`no-store`, `private`), nor lifts `no-cache` and `must-revalidate`.
public struct CachingRule: Sendable, Equatable {
    /// For people: where a decision names what it rests on.
    public var name: String
    /// Applies to responses with content of these types only; empty: to all.
    public var contentTypes: [MediaTypePattern]
    /// Applies to these statuses only; empty: to all, but then a lifetime is given to heuristically cacheable ones only
    /// (RFC 9110 §15.1).
    public var statuses: [ClosedRange<UInt16>]
    /// The freshness lifetime in seconds, in place of what `s-maxage`, `max-age`, Expires and the heuristic give.
    ///
    /// The age counts as always, what other caches spent of the lifetime included.
    public var ttlSeconds: Int64?
    /// The window for errors in seconds, as if the origin had given it.
    public var staleIfErrorSeconds: Int64?
    /// The window for validation in the background in seconds, as if the origin had given it.
    public var staleWhileRevalidateSeconds: Int64?
    /// True: nothing is stored, shared or served from store; false takes back what an earlier rule says.
    public var neverCache: Bool?
    /// Request fields that tell variants apart, besides those of Vary.
    public var varyAdd: [[UInt8]]

    public init(
        name: String,
        contentTypes: [MediaTypePattern] = [],
        statuses: [ClosedRange<UInt16>] = [],
        ttlSeconds: Int64? = nil,
        staleIfErrorSeconds: Int64? = nil,
        staleWhileRevalidateSeconds: Int64? = nil,
        neverCache: Bool? = nil,
        varyAdd: [[UInt8]] = []
    ) {
        self.name = name
        self.contentTypes = contentTypes
        self.statuses = statuses
        self.ttlSeconds = ttlSeconds
        self.staleIfErrorSeconds = staleIfErrorSeconds
        self.staleWhileRevalidateSeconds = staleWhileRevalidateSeconds
        self.neverCache = neverCache
        self.varyAdd = varyAdd
    }

    /// Whether only a response tells that it applies.
    public var isConditional: Bool { !contentTypes.isEmpty || !statuses.isEmpty }

    func applies(toStatus status: UInt16, _ type: MediaType?) -> Bool {
        guard statuses.isEmpty || statuses.contains(where: { $0.contains(status) }) else { return false }
        guard !contentTypes.isEmpty else { return true }
        guard let type else { return false }
        return contentTypes.contains { $0.matches(type) }
    }

    /// Whether it gives a lifetime to a response with this status, to which it applies.
    func givesLifetime(toStatus status: UInt16) -> Bool {
        ttlSeconds != nil && (!statuses.isEmpty || StatusCodes.isHeuristicallyCacheable(status))
    }
}

extension CachingOptions {
    /// The rule by which no response at all may be cached, so that requests need not ask; nil if some may.
    public var neverCachedBy: CachingRule? {
        for rule in rules.reversed() {
            guard let neverCache = rule.neverCache else { continue }
            if !neverCache { return nil }
            if !rule.isConditional { return rule }
        }
        return nil
    }

    /// Names that some rule adds to Vary, lower-cased.
    public var addedVaryNames: [[UInt8]] { rules.flatMap(\.varyAdd).map(\.lowercased) }
}
