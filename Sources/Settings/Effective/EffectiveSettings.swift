public import HTTPCore

/// The settings for one URL and method, and where each is set: `respite config show URL`.
public struct EffectiveSettings: Sendable {
    /// A value in force, for all or some responses.
    public struct Value: Sendable {
        /// The setting's name, such as `ttl` or `cache.heuristic-limit`.
        public var name: String
        /// The value as TOML; nil: the response decides.
        public var value: String?
        public var origin: SettingOrigin
        /// The rule that sets it.
        public var rule: String?
        /// The responses to which it applies; nil: all.
        public var condition: String?
    }

    /// A transformer that runs.
    public struct Step: Sendable {
        public var stage: TransformStage
        /// The transformer as TOML.
        public var transformer: String
        public var origin: SettingOrigin
        public var rule: String
        public var condition: String?
    }

    /// A rule that applies.
    public struct Rule: Sendable {
        public var name: String
        public var match: String
        public var origin: SettingOrigin
    }

    public let url: TargetURI
    public let method: Method
    /// The URL after `drop-query` and `sort-query`, which is looked up and requested.
    public let uri: TargetURI
    public let service: ServiceSettings?
    public let serviceOrigin: SettingOrigin
    /// The rules in the order in which they apply.
    public let rules: [Rule]
    public let values: [Value]
    /// The transformers in the order in which they run.
    public let steps: [Step]

    public init(_ loaded: LoadedSettings, url: TargetURI, method: Method = .get) {
        self.url = url
        self.method = method
        let settings = loaded.values
        let all = settings.locatedRules
        uri = url.applying(all.compactMap(\.queryRule), for: method)
        service = settings.service(of: uri)
        let (uri, owner) = (uri, service?.name)
        let forQuery = all.filter { $0.queryRule != nil && $0.applies(to: url, method, owner: $0.service) }
        let applied = all.filter { $0.applies(to: uri, method, owner: owner) }
        let shown = all.filter { rule in (forQuery + applied).contains { $0.path == rule.path } }
        serviceOrigin = owner.map { loaded.origin(ofPath: "service.\($0).base") } ?? .standard
        rules = shown.map {
            Rule(name: $0.displayName, match: $0.settings.matchText, origin: loaded.origin(ofPath: $0.path))
        }
        let collector = EffectiveCollector(loaded: loaded, uri: uri, rules: applied, service: service)
        values = collector.values(forQuery: forQuery)
        steps = collector.steps
    }
}

extension RuleSettings {
    /// The URLs that it is for.
    fileprivate var matchText: String { hostsFile.map { "\(match), hosts of \($0)" } ?? match }
}

/// Finds the values in force among the rules that apply.
private struct EffectiveCollector {
    let loaded: LoadedSettings
    let uri: TargetURI
    let rules: [LocatedRule]
    let service: ServiceSettings?

    func values(forQuery: [LocatedRule]) -> [EffectiveSettings.Value] {
        var values: [EffectiveSettings.Value] = []
        for name in ["deny", "redirect", "fail", "delay", "rate"] { values += ruleValues(name) }
        for name in ["remove-field", "set-field"] { values += rules.compactMap { value(name, by: $0) } }
        for name in ["never-cache", "ttl"] { values += valuesOrDefault(name) }
        values += rules.reversed().compactMap { value("ttl-by-status", by: $0) }
        for name in ["stale-while-revalidate", "stale-if-error"] { values += valuesOrDefault(name) }
        let names = [
            "refresh-ahead", "ignore-client-no-cache", "cache-even", "set-cookie", "record-streams", "replay-pace",
            "key-body", "partition",
        ]
        for name in names { values += ruleValues(name) }
        values += ruleValues("connect-http")
        for name in ["drop-query", "sort-query"] { values += forQuery.compactMap { value(name, by: $0) } }
        for name in ["vary-add", "vary-ignore", "key-header", "scrub"] {
            values += rules.compactMap { value(name, by: $0) }
        }
        values += ["retry", "rate-limit", "retry-after"].compactMap { policy($0) }
        values += ["token", "verify", "client-certificate"].compactMap { ofService($0) }
        values += ofService("proxy").map { [$0] } ?? usualProxy
        values += ofService("mode").map { [$0] } ?? general("mode", as: "mode")
        for name in [
            "cache.heuristic-fraction", "cache.heuristic-limit", "cache.hit-for-miss", "upstream.retry-time",
            "storage.max-object-size",
        ] {
            values += general(name, as: name)
        }
        return values
    }

    /// The value of the last rule, preceded by those of rules that apply only to some responses.
    private func ruleValues(_ name: String) -> [EffectiveSettings.Value] {
        var found: [EffectiveSettings.Value] = []
        for rule in rules.reversed() {
            guard let value = value(name, by: rule) else { continue }
            found.append(value)
            if value.condition == nil { break }
        }
        return found
    }

    /// The same values, or the default if no rule sets any.
    private func valuesOrDefault(_ name: String) -> [EffectiveSettings.Value] {
        let found = ruleValues(name)
        if let last = found.last, last.condition == nil { return found }
        switch name {
        case "stale-if-error": return found + general("cache.stale-if-error", as: name)
        case "never-cache": return found + [.init(name: name, value: "false", origin: .standard)]
        default: return found + [.init(name: name, value: nil, origin: .standard)]
        }
    }

    /// The value of the last rule; a service comes after the general rules and before its own.
    private func policy(_ name: String) -> EffectiveSettings.Value? {
        let own = rules.filter { $0.service != nil }.compactMap { value(name, by: $0) }.last
        let general = rules.filter { $0.service == nil }.compactMap { value(name, by: $0) }.last
        return own ?? ofService(name) ?? general
    }

    private func ofService(_ name: String) -> EffectiveSettings.Value? {
        guard let service, let key = ServiceDraft.keys.first(where: { $0.name == name }),
            let value = key.format(ServiceDraft(service.masked))
        else { return nil }
        let origin = loaded.origin(ofPath: "service.\(service.name).\(name)")
        return EffectiveSettings.Value(name: name, value: value, origin: origin)
    }

    /// The general value, for URLs without a service.
    private var usualProxy: [EffectiveSettings.Value] {
        let upstream = loaded.values.upstream
        guard upstream.proxy != nil, NoProxyPattern.fits(upstream.noProxy, uri.host) else {
            return general("upstream.proxy", as: "proxy")
        }
        let origin = loaded.origin(ofPath: "upstream.no-proxy")
        return [.init(name: "proxy", value: "\"none\"", origin: origin)]
    }

    private func value(_ name: String, by rule: LocatedRule) -> EffectiveSettings.Value? {
        guard let key = RuleSettings.keys.first(where: { $0.name == name }), let value = key.format(rule.settings)
        else {
            return nil
        }
        return EffectiveSettings.Value(
            name: name,
            value: value,
            origin: loaded.origin(ofPath: "\(rule.path).\(name)"),
            rule: rule.displayName,
            condition: Self.condition(rule.settings.contentTypes, rule.settings.statuses)
        )
    }

    private func general(_ key: String, as name: String) -> [EffectiveSettings.Value] {
        SettingKey.byName[key].map { key in
            [.init(name: name, value: key.publicText(in: loaded.values), origin: loaded.origin(of: key))]
        } ?? []
    }

    var steps: [EffectiveSettings.Step] {
        var steps: [EffectiveSettings.Step] = []
        for rule in rules {
            guard let list = rule.settings.transform else { continue }
            if list.replacesEarlier { steps = [] }
            // "none" is an entry of its own in the file.
            let first = list.replacesEarlier ? 1 : 0
            for (index, setting) in list.steps.enumerated() {
                steps.append(step(setting, of: rule, path: "\(rule.path).transform[\(first + index)]"))
            }
        }
        return TransformStage.allCases.flatMap { stage in steps.filter { $0.stage == stage } }
    }

    private func step(_ setting: TransformSetting, of rule: LocatedRule, path: String) -> EffectiveSettings.Step {
        var bare = setting
        (bare.contentTypes, bare.statuses, bare.stage) = ([], [], nil)
        let types = setting.contentTypes.isEmpty ? rule.settings.contentTypes : setting.contentTypes
        let statuses = setting.statuses.isEmpty ? rule.settings.statuses : setting.statuses
        return EffectiveSettings.Step(
            stage: setting.effectiveStage,
            transformer: TransformDraft.reader.format(TransformDraft(bare)),
            origin: loaded.origin(ofPath: path),
            rule: rule.displayName,
            condition: Self.condition(types, statuses)
        )
    }

    private static func condition(_ types: [String], _ statuses: [ClosedRange<UInt16>]) -> String? {
        var parts: [String] = []
        if !types.isEmpty { parts.append("content-types = " + SettingType.list(of: .mediaTypePattern).format(types)) }
        if !statuses.isEmpty { parts.append("status = " + SettingType.list(of: .status).format(statuses)) }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
