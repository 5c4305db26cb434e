public import HTTPCore

/// Overrides the origin's fields, for responses of some kind.
///
/// `CachingOptions.rules` has them in order; of several that apply, the last counts. What the origin forbids
/// (`no-store`, `private`, `no-cache`, `must-revalidate`) stays forbidden unless `cacheEven` names it.
public struct CachingRule: Sendable, Equatable {
    /// The name by which explanations refer to it.
    public var name: String
    /// The types of content that the rule applies to; empty for all.
    public var contentTypes: [MediaTypePattern]
    /// The statuses that the rule applies to; empty for all.
    ///
    /// If it is empty, only heuristically cacheable statuses get a lifetime (RFC 9110 §15.1).
    public var statuses: [ClosedRange<UInt16>]
    /// The freshness lifetime in seconds, in place of `s-maxage`, `max-age`, Expires and the heuristic.
    ///
    /// The age counts as always, with the time that other caches have kept the response.
    public var ttlSeconds: Int64?
    /// Lifetimes for some statuses, which count before `ttlSeconds`; of several ranges the narrowest counts.
    public var ttlByStatus: [StatusLifetime]
    /// The stale-if-error window in seconds, as if the origin had given it.
    public var staleIfErrorSeconds: Int64?
    /// The stale-while-revalidate window in seconds, as if the origin had given it.
    public var staleWhileRevalidateSeconds: Int64?
    /// Percent of the lifetime: a response with less left is validated in the background when it is used.
    public var refreshAheadPercent: Int64?
    /// If true, a reload (`no-cache`, `Pragma` or `max-age=0`) does not make us validate a fresh response.
    public var ignoresClientNoCache: Bool?
    /// The prohibitions of the origin that are lifted; an empty set restores what an earlier rule lifts.
    public var cacheEven: Prohibitions?
    /// If true, nothing is stored, shared or served from the store; false revokes an earlier rule.
    public var neverCache: Bool?
    /// Request fields that select variants besides those of Vary.
    public var varyAdd: [[UInt8]]
    /// Members of Vary that do not select variants, such as `*`; credentials always do.
    public var varyIgnore: [[UInt8]]
    /// Request fields whose values belong to the key; ignored if the rule has conditions.
    public var keyFields: [[UInt8]]
    /// How content of POST and QUERY becomes a part of the key; ignored if the rule has conditions.
    public var keyBody: ContentKeying?
    /// Which clients share responses; ignored if the rule has conditions.
    public var partition: RulePartition?
    public var setCookie: SetCookiePolicy?
    /// Whether streams are stored and shared once they are complete, with the times of their pieces; nil: those that
    /// answer questions by `keyBody`.
    public var recordsStreams: Bool?
    /// How fast the pieces of stored streams are sent.
    public var replayPace: ReplayPace?

    public init(
        name: String,
        contentTypes: [MediaTypePattern] = [],
        statuses: [ClosedRange<UInt16>] = [],
        ttlSeconds: Int64? = nil,
        ttlByStatus: [StatusLifetime] = [],
        staleIfErrorSeconds: Int64? = nil,
        staleWhileRevalidateSeconds: Int64? = nil,
        refreshAheadPercent: Int64? = nil,
        ignoresClientNoCache: Bool? = nil,
        cacheEven: Prohibitions? = nil,
        neverCache: Bool? = nil,
        varyAdd: [[UInt8]] = [],
        varyIgnore: [[UInt8]] = [],
        keyFields: [[UInt8]] = [],
        keyBody: ContentKeying? = nil,
        partition: RulePartition? = nil,
        setCookie: SetCookiePolicy? = nil,
        recordsStreams: Bool? = nil,
        replayPace: ReplayPace? = nil
    ) {
        self.name = name
        self.contentTypes = contentTypes
        self.statuses = statuses
        self.ttlSeconds = ttlSeconds
        self.ttlByStatus = ttlByStatus
        self.staleIfErrorSeconds = staleIfErrorSeconds
        self.staleWhileRevalidateSeconds = staleWhileRevalidateSeconds
        self.refreshAheadPercent = refreshAheadPercent
        self.ignoresClientNoCache = ignoresClientNoCache
        self.cacheEven = cacheEven
        self.neverCache = neverCache
        self.varyAdd = varyAdd
        self.varyIgnore = varyIgnore
        self.keyFields = keyFields
        self.keyBody = keyBody
        self.partition = partition
        self.setCookie = setCookie
        self.recordsStreams = recordsStreams
        self.replayPace = replayPace
    }

    /// Whether it depends on the response if the rule applies.
    public var isConditional: Bool { !contentTypes.isEmpty || !statuses.isEmpty }

    func applies(toStatus status: UInt16, _ type: MediaType?) -> Bool {
        guard statuses.isEmpty || statuses.contains(where: { $0.contains(status) }) else { return false }
        guard !contentTypes.isEmpty else { return true }
        guard let type else { return false }
        return contentTypes.contains { $0.matches(type) }
    }

    /// The lifetime that the rule sets for a response with this status.
    func lifetimeSeconds(forStatus status: UInt16) -> Int64? {
        if let seconds = ttlByStatus.seconds(for: status) { return seconds }
        return !statuses.isEmpty || StatusCodes.isHeuristicallyCacheable(status) ? ttlSeconds : nil
    }
}

extension CachingOptions {
    /// The rule that forbids caching of all responses; nil if some may be cached.
    public var neverCachedBy: CachingRule? { unconditional(\.neverCache) }

    /// The rule that ignores reloads of clients for all responses; nil if that depends on the response.
    public var clientNoCacheIgnoredBy: CachingRule? { unconditional(\.ignoresClientNoCache) }

    /// The last rule that sets `claim` for all responses to true, unless a later one may set it to false.
    private func unconditional(_ claim: KeyPath<CachingRule, Bool?>) -> CachingRule? {
        for rule in rules.reversed() {
            guard let value = rule[keyPath: claim] else { continue }
            if !value { return nil }
            if !rule.isConditional { return rule }
        }
        return nil
    }

    /// Names that some rule adds to Vary, lower-cased.
    public var addedVaryNames: [[UInt8]] { rules.flatMap(\.varyAdd).map(\.lowercased) }

    /// Names that never select variants, whatever the response; lower-cased.
    public var ignoredVaryNames: [[UInt8]] {
        var ignored: Set<[UInt8]> = []
        for rule in rules {
            ignored.subtract(rule.varyAdd.map(\.lowercased))
            if !rule.isConditional { ignored.formUnion(rule.varyIgnore.map(\.lowercased)) }
        }
        return ignored.filter { !credentials.contains($0) }.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
