public import HTTPCore

/// What somebody in charge of the cache wants otherwise than the origin says, for responses of some kind.
///
/// `CachingOptions.rules` holds them in order: of what several say, the last counts. What the origin forbids (`no-store`,
/// `private`, `no-cache`, `must-revalidate`) holds unless `cacheEven` names it.
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
    /// The same for single statuses and classes of them, before `ttlSeconds`; the narrowest range counts.
    public var ttlByStatus: [StatusLifetime]
    /// The window for errors in seconds, as if the origin had given it.
    public var staleIfErrorSeconds: Int64?
    /// The window for validation in the background in seconds, as if the origin had given it.
    public var staleWhileRevalidateSeconds: Int64?
    /// True: `no-cache`, `Pragma` and `max-age=0` of a request, as reloads say, do not make what is fresh be validated.
    public var ignoresClientNoCache: Bool?
    /// What the origin forbids and is done all the same; empty takes back what an earlier rule says.
    public var cacheEven: Prohibitions?
    /// True: nothing is stored, shared or served from store; false takes back what an earlier rule says.
    public var neverCache: Bool?
    /// Request fields that tell variants apart, besides those of Vary.
    public var varyAdd: [[UInt8]]
    /// Members of Vary that tell no variants apart, `*` among them; credentials always do.
    public var varyIgnore: [[UInt8]]
    /// Request fields whose values belong to the key; has no effect on a rule with conditions.
    public var keyFields: [[UInt8]]
    /// Whose answers are kept together; has no effect on a rule with conditions.
    public var partition: RulePartition?
    public var setCookie: SetCookiePolicy?

    public init(
        name: String,
        contentTypes: [MediaTypePattern] = [],
        statuses: [ClosedRange<UInt16>] = [],
        ttlSeconds: Int64? = nil,
        ttlByStatus: [StatusLifetime] = [],
        staleIfErrorSeconds: Int64? = nil,
        staleWhileRevalidateSeconds: Int64? = nil,
        ignoresClientNoCache: Bool? = nil,
        cacheEven: Prohibitions? = nil,
        neverCache: Bool? = nil,
        varyAdd: [[UInt8]] = [],
        varyIgnore: [[UInt8]] = [],
        keyFields: [[UInt8]] = [],
        partition: RulePartition? = nil,
        setCookie: SetCookiePolicy? = nil
    ) {
        self.name = name
        self.contentTypes = contentTypes
        self.statuses = statuses
        self.ttlSeconds = ttlSeconds
        self.ttlByStatus = ttlByStatus
        self.staleIfErrorSeconds = staleIfErrorSeconds
        self.staleWhileRevalidateSeconds = staleWhileRevalidateSeconds
        self.ignoresClientNoCache = ignoresClientNoCache
        self.cacheEven = cacheEven
        self.neverCache = neverCache
        self.varyAdd = varyAdd
        self.varyIgnore = varyIgnore
        self.keyFields = keyFields
        self.partition = partition
        self.setCookie = setCookie
    }

    /// Whether only a response tells that it applies.
    public var isConditional: Bool { !contentTypes.isEmpty || !statuses.isEmpty }

    func applies(toStatus status: UInt16, _ type: MediaType?) -> Bool {
        guard statuses.isEmpty || statuses.contains(where: { $0.contains(status) }) else { return false }
        guard !contentTypes.isEmpty else { return true }
        guard let type else { return false }
        return contentTypes.contains { $0.matches(type) }
    }

    /// The lifetime it gives to a response with this status, to which it applies.
    func lifetimeSeconds(forStatus status: UInt16) -> Int64? {
        if let seconds = ttlByStatus.seconds(for: status) { return seconds }
        return !statuses.isEmpty || StatusCodes.isHeuristicallyCacheable(status) ? ttlSeconds : nil
    }
}

extension CachingOptions {
    /// The rule by which no response at all may be cached, so that requests need not ask; nil if some may.
    public var neverCachedBy: CachingRule? { unconditional(\.neverCache) }

    /// The rule by which reloads of clients count for nothing whatever the response; nil if that depends on it.
    public var clientNoCacheIgnoredBy: CachingRule? { unconditional(\.ignoresClientNoCache) }

    /// The rule that says yes for all responses, unless a later one may say no.
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

    /// Names that tell no variants apart, whatever the response; lower-cased.
    public var ignoredVaryNames: [[UInt8]] {
        var ignored: Set<[UInt8]> = []
        for rule in rules {
            ignored.subtract(rule.varyAdd.map(\.lowercased))
            if !rule.isConditional { ignored.formUnion(rule.varyIgnore.map(\.lowercased)) }
        }
        return ignored.filter { !credentials.contains($0) }.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
