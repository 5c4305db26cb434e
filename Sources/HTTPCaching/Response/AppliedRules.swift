import HTTPCore

/// What rules changed of how one response is judged, each with the name of the rule.
public final class AppliedRules: Sendable, Equatable {
    /// A number that replaces the origin's.
    public struct Seconds: Sendable, Equatable {
        public let seconds: Int64
        /// The rule's name.
        public let rule: String
    }

    public let lifetime: Seconds?
    /// What the origin's fields give as lifetime, where `lifetime` replaces it.
    let replaced: Lifetime?
    public let staleIfError: Seconds?
    public let staleWhileRevalidate: Seconds?
    /// The rule by which the response is not cached.
    public let neverCachedBy: String?
    /// What the origin says against storing or reusing, and does not count.
    let lifted: Prohibitions
    let liftedBy: String?
    /// What the origin's directives were, where `lifted` is not empty.
    let replacedControl: CacheControl?
    /// The rule by which reloads of clients count for nothing.
    let clientNoCacheIgnoredBy: String?
    /// Lower-cased names added to Vary, and the rules that did it.
    public let varyNames: [[UInt8]]
    public let varyAddedBy: [String]
    /// Lower-cased members of the response's Vary that tell nothing apart, and the rules by which they do not.
    public let varyIgnored: [[UInt8]]
    let varyIgnoredBy: [String]
    /// What becomes of Set-Cookie; nil if no rule says so, or there is none to keep or refuse.
    public let setCookie: SetCookiePolicy?
    let setCookieBy: String?

    /// Nil if no rule has anything to say about the response.
    init?(
        _ options: CachingOptions,
        status: UInt16,
        fields: Fields,
        replacing origin: Lifetime,
        _ control: CacheControl
    ) {
        let type = fields.withValue(of: .contentType) { MediaType($0) } ?? nil
        let applying = options.rules.filter { $0.applies(toStatus: status, type) }
        if applying.isEmpty { return nil }
        lifetime = Self.last(applying) { $0.lifetimeSeconds(forStatus: status) }
        replaced = lifetime == nil ? nil : origin
        staleIfError = Self.last(applying, \.staleIfErrorSeconds)
        staleWhileRevalidate = Self.last(applying, \.staleWhileRevalidateSeconds)
        let never = applying.last { $0.neverCache != nil }
        neverCachedBy = never?.neverCache == true ? never?.name : nil
        let even = applying.last { $0.cacheEven != nil }
        lifted = even?.cacheEven?.intersection(control.prohibitions) ?? []
        liftedBy = lifted.isEmpty ? nil : even?.name
        replacedControl = lifted.isEmpty ? nil : control
        let ignoring = applying.last { $0.ignoresClientNoCache != nil }
        clientNoCacheIgnoredBy = ignoring?.ignoresClientNoCache == true ? ignoring?.name : nil
        let vary = VaryChanges(applying, fields, options.credentials)
        (varyNames, varyAddedBy) = (vary.added, vary.addedBy)
        (varyIgnored, varyIgnoredBy) = (vary.ignored, vary.ignoredBy)
        let cookies = applying.last { $0.setCookie != nil }
        // What was taken off is not there any more to tell of itself.
        let counts = cookies?.setCookie == .strip || fields.contains(.setCookie)
        setCookie = counts ? cookies?.setCookie : nil
        setCookieBy = counts ? cookies?.name : nil
        let changesNothing =
            lifetime == nil && staleIfError == nil && staleWhileRevalidate == nil && neverCachedBy == nil
            && lifted.isEmpty && clientNoCacheIgnoredBy == nil && varyNames.isEmpty && varyIgnored.isEmpty
            && setCookie == nil
        if changesNothing { return nil }
    }

    private static func last(_ rules: [CachingRule], _ value: (CachingRule) -> Int64?) -> Seconds? {
        for rule in rules.reversed() {
            if let seconds = value(rule) {
                return Seconds(seconds: DeltaSeconds.clamped(seconds), rule: rule.name)
            }
        }
        return nil
    }

    public static func == (left: AppliedRules, right: AppliedRules) -> Bool {
        left.lifetime == right.lifetime && left.replaced == right.replaced && left.staleIfError == right.staleIfError
            && left.staleWhileRevalidate == right.staleWhileRevalidate && left.neverCachedBy == right.neverCachedBy
            && left.lifted == right.lifted && left.liftedBy == right.liftedBy
            && left.clientNoCacheIgnoredBy == right.clientNoCacheIgnoredBy && left.varyNames == right.varyNames
            && left.varyAddedBy == right.varyAddedBy && left.varyIgnored == right.varyIgnored
            && left.varyIgnoredBy == right.varyIgnoredBy && left.setCookie == right.setCookie
            && left.setCookieBy == right.setCookieBy
    }
}

/// What rules do to the names that select, in their order: a later rule takes back what an earlier one says of a name.
private struct VaryChanges {
    var added: [[UInt8]] = []
    var addedBy: [String] = []
    /// Those among the response's own names.
    var ignored: [[UInt8]] = []
    var ignoredBy: [String] = []

    init(_ rules: [CachingRule], _ fields: Fields, _ credentials: CredentialFields) {
        guard rules.contains(where: { !$0.varyAdd.isEmpty || !$0.varyIgnore.isEmpty }) else { return }
        let own = (fields.combined(.vary)?.plainMembers ?? []).map(\.lowercased)
        for rule in rules {
            for name in rule.varyAdd.map(\.lowercased) {
                ignored.removeAll { $0 == name }
                if !added.contains(name) { added.append(name) }
            }
            // A credential tells users apart: their answers are never one.
            for name in rule.varyIgnore.map(\.lowercased) where !credentials.contains(name) {
                added.removeAll { $0 == name }
                if own.contains(name), !ignored.contains(name) { ignored.append(name) }
            }
        }
        addedBy = rules.filter { $0.varyAdd.contains { added.contains($0.lowercased) } }.map(\.name)
        ignoredBy = rules.filter { $0.varyIgnore.contains { ignored.contains($0.lowercased) } }.map(\.name)
    }
}

extension ResponseMetadata {
    /// How long the response is fresh by the origin's fields, whatever rules say.
    var originLifetime: Lifetime {
        applied?.replaced ?? Lifetime(seconds: lifetimeSeconds, source: lifetimeSource)
    }

    /// The origin's directives, whatever rules say.
    var originControl: CacheControl { applied?.replacedControl ?? control }

    /// Whether a rule lifts one of these.
    func isLifted(_ prohibition: Prohibitions) -> Bool { applied?.lifted.contains(prohibition) ?? false }

    /// It is kept, or selected, against the origin's word: then it is never for others than those whose it surely is.
    var isKeptAgainstOrigin: Bool {
        guard let applied else { return false }
        return !applied.lifted.isEmpty || applied.varyIgnored.contains([0x2A])
    }

    /// Stale content needs a window, whatever its age.
    var forbidsStaleBySMaxAge: Bool { control.sMaxAgeSeconds != nil && !isLifted(.mustRevalidate) }

    /// What is asked of the response, without what a rule has ignored.
    func honoured(_ directives: RequestDirectives) -> RequestDirectives {
        applied?.clientNoCacheIgnoredBy == nil ? directives : directives.withoutReload
    }

    /// Whether a request asks for a reload that a rule has ignored.
    public func ignoresReload(_ directives: RequestDirectives) -> Bool {
        directives.isReload && applied?.clientNoCacheIgnoredBy != nil
    }

    /// What becomes of Set-Cookie.
    func setCookiePolicy(_ options: CachingOptions) -> SetCookiePolicy { applied?.setCookie ?? options.setCookie }

    /// Whether Set-Cookie is taken off, so that nobody gets it.
    public func stripsSetCookie(_ options: CachingOptions) -> Bool {
        hasSetCookie && setCookiePolicy(options) == .strip
    }

    /// The window for errors that the response has: a rule's, else the origin's.
    var ownStaleIfErrorSeconds: Int64? { applied?.staleIfError?.seconds ?? control.staleIfErrorSeconds }

    /// The window for validation in the background: a rule's, else the origin's.
    var ownStaleWhileRevalidateSeconds: Int64? {
        applied?.staleWhileRevalidate?.seconds ?? control.staleWhileRevalidateSeconds
    }

    /// Whether a rule forbids to cache the response.
    public var isNeverCached: Bool { applied?.neverCachedBy != nil }
}
