import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import Proxying
import Settings
import Transforms

/// A rule with everything that is made from it.
struct BuiltRule: Sendable {
    let located: LocatedRule
    private let caching: CachingRule
    private let replacesEarlier: Bool
    private let steps: [(stage: PipelineStageKey, step: PipelineStep)]
    private var policies: BuiltPolicies
    private let servesTunnelledHTTP: Bool?
    private let deny: DenyRule?
    private let edits: MessageEdits
    /// Set if the rule applies to hosts that a package index links to; `glob` is its pattern below each such host.
    private let linked: (rules: LinkedRules, glob: URLGlob)?

    /// - Parameters:
    ///   - pages: gets the links of the documents to which the rule applies.
    ///   - linked: if set, the rule applies to hosts that were linked to, not to hosts that its pattern names.
    init(
        _ located: LocatedRule,
        _ loaded: LoadedSettings,
        pages: LinkedRules? = nil,
        linked: LinkedRules? = nil
    ) throws(SettingsError) {
        self.located = located
        try Self.checkScrubbing(of: located, loaded)
        // The pattern applies below each such host, so it stays relative.
        let path = try? URLGlob(located.settings.match)
        self.linked = linked.flatMap { rules in path.map { (rules, $0) } }
        let settings = located.settings
        caching = CachingRule(
            name: located.displayName,
            contentTypes: settings.contentTypes.compactMap { MediaTypePattern($0) },
            statuses: settings.statuses,
            ttlSeconds: settings.ttl?.components.seconds,
            ttlByStatus: settings.ttlByStatus.map { StatusLifetime($0.statuses, seconds: $0.ttl.components.seconds) },
            staleIfErrorSeconds: settings.staleIfError?.components.seconds,
            staleWhileRevalidateSeconds: settings.staleWhileRevalidate?.components.seconds,
            refreshAheadPercent: settings.refreshAhead.map { Int64($0) },
            ignoresClientNoCache: settings.ignoreClientNoCache,
            cacheEven: settings.cacheEven.map { $0.reduce(into: []) { $0.formUnion($1.prohibition) } },
            neverCache: settings.neverCache,
            varyAdd: settings.varyAdd.map { Array($0.utf8) },
            varyIgnore: settings.varyIgnore.map { Array($0.utf8) },
            keyFields: settings.keyHeader.map { Array($0.utf8) },
            keyBody: try Self.keying(settings.keyBody, of: located, loaded),
            partition: settings.partition.map(RulePartition.init),
            setCookie: settings.setCookie.map(SetCookiePolicy.init),
            recordsStreams: settings.recordStreams,
            replayPace: settings.replayPace.map(ReplayPace.init)
        )
        servesTunnelledHTTP = settings.connectHTTP
        deny = settings.deny
        edits = try MessageEdits(located, loaded)
        replacesEarlier = settings.transform?.replacesEarlier ?? false
        var steps: [(PipelineStageKey, PipelineStep)] = []
        for (index, setting) in (settings.transform?.steps ?? []).enumerated() {
            // In the file, "none" is an element of the list, too.
            let path = "\(located.path).transform[\(index + (replacesEarlier ? 1 : 0))]"
            do throws(TransformOptionFault) {
                let step = try Self.step(setting, of: settings, pages)
                steps.append((setting.effectiveStage.key, step))
            } catch {
                let option = error.member.map { ".\($0)" } ?? ""
                throw loaded.error(at: path + option, "`transform\(option)`: \(error.userMessage)")
            }
        }
        self.steps = steps
        policies = BuiltPolicies(settings.retry, settings.rateLimit, settings.retryAfter, name: located.displayName)
    }

    /// Keeps the rate limiter of an earlier plan, with the requests that it has counted.
    mutating func adopt(_ earlier: BuiltRule) { policies.adopt(earlier.policies) }

    private static func keying(
        _ setting: KeyBodySetting?,
        of located: LocatedRule,
        _ loaded: LoadedSettings
    ) throws(SettingsError) -> ContentKeying? {
        do throws(TransformOptionFault) {
            return try setting?.keying(depthLimit: loaded.values.limits.transformJSONDepth)
        } catch {
            let option = "key-body" + (error.member.map { ".\($0)" } ?? "")
            throw loaded.error(at: "\(located.path).\(option)", "`\(option)`: \(error.userMessage)")
        }
    }

    /// Checks the paths of `scrub`, although only `respite record` uses them.
    private static func checkScrubbing(of located: LocatedRule, _ loaded: LoadedSettings) throws(SettingsError) {
        do throws(TransformOptionFault) {
            try located.settings.checkScrubbing()
        } catch {
            let option = error.member ?? "scrub"
            throw loaded.error(at: "\(located.path).\(option)", "`\(option)`: \(error.userMessage)")
        }
    }

    private static func step(
        _ setting: TransformSetting,
        of rule: RuleSettings,
        _ pages: LinkedRules?
    ) throws(TransformOptionFault) -> PipelineStep {
        let types = setting.contentTypes.isEmpty ? rule.contentTypes : setting.contentTypes
        return PipelineStep(
            try setting.kind.transformer(pages),
            contentTypes: types.isEmpty ? setting.kind.usualContentTypes : types.compactMap { MediaTypePattern($0) },
            statuses: setting.statuses.isEmpty ? rule.statuses : setting.statuses,
            isForced: rule.force ?? false,
            onOversize: rule.oversize == .pass ? .pass : .fail,
            keepsOriginal: rule.keepOriginal ?? false
        )
    }

    /// Adds the rule to the end of `list`.
    func configure(_ list: inout ConfigurationList, bases: ServiceBases) {
        let pattern = PredicatePattern(description: located.settings.match) { [located, linked] uri in
            if let linked { return linked.rules.match(uri, linked.glob) }
            guard located.matches(uri) else { return false }
            // A service within another one has its own rules.
            return located.service == nil || bases.owner(of: uri)?.name == located.service
        }
        let methods = located.methods.isEmpty ? nil : located.methods
        let (caching, denial, traffic) = (caching, denial, located.trafficChange)
        list.configure(pattern, methods: methods, description: located.displayName) {
            [steps, replacesEarlier, policies, servesTunnelledHTTP, deny, edits] values in
            values.caching.rules.append(caching)
            if replacesEarlier { values.pipeline.removeAllTransformers() }
            for (stage, step) in steps { values.pipeline.add(step, to: stage) }
            policies.apply(to: &values.policies)
            if let servesTunnelledHTTP { values.servesTunnelledHTTP = servesTunnelledHTTP }
            if deny != nil { values.policies.denial = denial }
            if !edits.isEmpty { edits.add(to: &values) }
            if let traffic { traffic(&values.traffic) }
        }
        configureTunnels(&list, bases: bases)
    }

    /// Refuses tunnels to origins of which the rule denies every URL.
    private func configureTunnels(_ list: inout ConfigurationList, bases: ServiceBases) {
        guard deny != nil, linked == nil, located.methods.isEmpty || located.methods.contains(.connect) else { return }
        let origins = PredicatePattern(description: located.settings.match) { [located] uri in
            located.matchesOrigin(of: uri)
                && (located.service == nil || bases.owner(of: uri)?.name == located.service)
        }
        list.configure(origins, methods: [.connect], description: located.displayName) { [denial] values in
            values.tunnelDenial = denial
        }
    }

    /// What the rule refuses; nil if it refuses nothing, or cancels an earlier refusal.
    private var denial: Denial? {
        guard case .text(let text)? = deny else { return nil }
        return Denial(text, rule: located.displayName)
    }

    /// Whether the rule may act on requests before they are served.
    var actsOnRequests: Bool { denial != nil || !edits.isEmpty || located.trafficChange != nil }
}

/// Why an option of a rule with paths or a transformer is wrong.
struct TransformOptionFault: Error {
    /// A sentence for people.
    var userMessage: String
    /// The option at fault: `path`, `redact[1]`.
    var member: String?
}
