import HTTPCore

/// How rules changed the metadata of one response, each change with the name of its rule.
public final class AppliedRules: Sendable, Equatable {
    /// A number of seconds that replaces the origin's.
    public struct Seconds: Sendable, Equatable {
        public let seconds: Int64
        /// The rule's name.
        public let rule: String
    }

    public let lifetime: Seconds?
    /// The lifetime by the origin's fields, if `lifetime` replaces it.
    let replaced: Lifetime?
    public let staleIfError: Seconds?
    public let staleWhileRevalidate: Seconds?
    /// The last percent of the lifetime, 1 to 99, in which a use makes us validate; nil: none.
    public let refreshAhead: Int64?
    let refreshAheadBy: String?
    /// The rule that forbids to cache the response.
    public let neverCachedBy: String?
    /// The origin's prohibitions that a rule lifts.
    let lifted: Prohibitions
    let liftedBy: String?
    /// The origin's directives, if `lifted` is not empty.
    let replacedControl: CacheControl?
    /// The rule that ignores reloads of clients.
    let clientNoCacheIgnoredBy: String?
    /// Lower-cased names that rules add to Vary.
    public let varyNames: [[UInt8]]
    public let varyAddedBy: [String]
    /// Lower-cased members of the response's Vary that rules ignore.
    public let varyIgnored: [[UInt8]]
    let varyIgnoredBy: [String]
    /// The rule's policy for Set-Cookie; nil if no rule has one, or the response has no Set-Cookie that it concerns.
    public let setCookie: SetCookiePolicy?
    let setCookieBy: String?
    /// The rule by which the response is a stream that is stored and shared.
    public let recordedBy: String?
    /// How many times as fast as they came the pieces of the stored stream are sent; nil: all at once.
    public let replaySpeed: Double?
    let replaySpeedBy: String?

    /// Nil if no rule changes anything for the response.
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
        let ahead = applying.last { $0.refreshAheadPercent != nil }
        refreshAhead = ahead?.refreshAheadPercent.flatMap { (1...99).contains($0) ? $0 : nil }
        refreshAheadBy = refreshAhead == nil ? nil : ahead?.name
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
        // A policy that strips Set-Cookie applies to responses that no longer have any.
        let counts = cookies?.setCookie == .strip || fields.contains(.setCookie)
        setCookie = counts ? cookies?.setCookie : nil
        setCookieBy = counts ? cookies?.name : nil
        recordedBy = options.recordingRule(applying, type, fields)
        let pace = recordedBy == nil ? nil : applying.last { $0.replayPace != nil }
        replaySpeed = pace?.replayPace?.factor
        replaySpeedBy = replaySpeed == nil ? nil : pace?.name
        let changesNothing =
            lifetime == nil && staleIfError == nil && staleWhileRevalidate == nil && neverCachedBy == nil
            && refreshAhead == nil && lifted.isEmpty && clientNoCacheIgnoredBy == nil && varyNames.isEmpty
            && varyIgnored.isEmpty
            && setCookie == nil && recordedBy == nil
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
            && left.refreshAhead == right.refreshAhead && left.refreshAheadBy == right.refreshAheadBy
            && left.lifted == right.lifted && left.liftedBy == right.liftedBy
            && left.clientNoCacheIgnoredBy == right.clientNoCacheIgnoredBy && left.varyNames == right.varyNames
            && left.varyAddedBy == right.varyAddedBy && left.varyIgnored == right.varyIgnored
            && left.varyIgnoredBy == right.varyIgnoredBy && left.setCookie == right.setCookie
            && left.setCookieBy == right.setCookieBy && left.recordedBy == right.recordedBy
            && left.replaySpeed == right.replaySpeed && left.replaySpeedBy == right.replaySpeedBy
    }
}

/// Changes of rules to the selecting names; a later rule for a name replaces an earlier one.
private struct VaryChanges {
    var added: [[UInt8]] = []
    var addedBy: [String] = []
    /// Ignored names, as far as the response has them.
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
            // A credential distinguishes users, who must never share a response.
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
    /// The lifetime by the origin's fields, without rules.
    var originLifetime: Lifetime {
        applied?.replaced ?? Lifetime(seconds: lifetimeSeconds, source: lifetimeSource)
    }

    /// The origin's directives, without rules.
    var originControl: CacheControl { applied?.replacedControl ?? control }

    /// Whether a rule lifts this prohibition.
    func isLifted(_ prohibition: Prohibitions) -> Bool { applied?.lifted.contains(prohibition) ?? false }

    /// Whether a rule stores or selects it differently than the origin's fields say.
    ///
    /// Such a response is only for clients that it belongs to without doubt.
    var isKeptAgainstOrigin: Bool {
        guard let applied else { return false }
        return !applied.lifted.isEmpty || applied.varyIgnored.contains([0x2A])
    }

    /// Whether `s-maxage` forbids to use the response when it is stale, except within a window.
    var forbidsStaleBySMaxAge: Bool { control.sMaxAgeSeconds != nil && !isLifted(.mustRevalidate) }

    /// The directives of a request, without directives that a rule ignores.
    func honoured(_ directives: RequestDirectives) -> RequestDirectives {
        applied?.clientNoCacheIgnoredBy == nil ? directives : directives.withoutReload
    }

    /// Whether a request asks for a reload that a rule ignores.
    public func ignoresReload(_ directives: RequestDirectives) -> Bool {
        directives.isReload && applied?.clientNoCacheIgnoredBy != nil
    }

    /// The policy for Set-Cookie: a rule's, else the setting.
    func setCookiePolicy(_ options: CachingOptions) -> SetCookiePolicy { applied?.setCookie ?? options.setCookie }

    /// Whether Set-Cookie is removed, so that no client gets it.
    public func stripsSetCookie(_ options: CachingOptions) -> Bool {
        hasSetCookie && setCookiePolicy(options) == .strip
    }

    /// The stale-if-error window of the response: a rule's, else the origin's.
    var ownStaleIfErrorSeconds: Int64? { applied?.staleIfError?.seconds ?? control.staleIfErrorSeconds }

    /// The stale-while-revalidate window of the response: a rule's, else the origin's.
    var ownStaleWhileRevalidateSeconds: Int64? {
        applied?.staleWhileRevalidate?.seconds ?? control.staleWhileRevalidateSeconds
    }

    /// Whether so little of the lifetime is left that a use makes us validate in the background (`refresh-ahead`).
    public func isRefreshedAhead(remainingSeconds: Int64) -> Bool {
        guard let percent = applied?.refreshAhead else { return false }
        // Of what was left on receipt: other caches may have kept it for most of its lifetime.
        return remainingSeconds <= DeltaSeconds.clamped(lifetimeSeconds - ageAtReceiptSeconds) * percent / 100
    }

    /// Whether a rule has this stream recorded: it is stored and shared like other responses (C-24.5).
    public var isRecordedStream: Bool { applied?.recordedBy != nil }

    /// Whether a rule forbids to cache the response.
    public var isNeverCached: Bool { applied?.neverCachedBy != nil }
}
