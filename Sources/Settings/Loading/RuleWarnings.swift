import HTTPCore

/// Finds rules that can have no effect.
struct RuleWarnings {
    let loaded: LoadedSettings

    private var settings: DaemonSettings { loaded.values }

    /// - Parameter included: how many general rules come from included files; others may override them on purpose.
    func all(included: Int) -> [SettingsWarning] {
        let rules = settings.locatedRules
        return rules.flatMap { ineffective($0) } + shadowed(rules, included: included)
    }

    // MARK: One rule

    private func ineffective(_ rule: LocatedRule) -> [SettingsWarning] {
        if rule.settings.saysNothing {
            let message =
                "\(rule.displayName) (\(rule.settings.match)) changes nothing: it says which URLs it is for, and no more"
            return [loaded.warning(at: rule.path, message)]
        }
        let methods = rule.settings.methods
        guard !methods.isEmpty, !methods.contains("GET"), !methods.contains("HEAD") else { return unread(rule) }
        if methods.allSatisfy({ $0 == "CONNECT" || $0 == "TRACE" }) {
            if methods.contains("CONNECT"), rule.settings.deny != nil, rule.mayFitOrigins { return [] }
            let message =
                methods.contains("CONNECT")
                ? "\(rule.displayName) has no effect: CONNECT opens a tunnel, in which nothing is read; "
                    + "`intercept.hosts` names the hosts whose tunnels are"
                : "\(rule.displayName) has no effect: TRACE is never allowed"
            return [loaded.warning(at: "\(rule.path).methods", message)]
        }
        return mayAsk(rule) ? [] : uncached(rule) + unrepeated(rule)
    }

    /// Whether some of its requests may be questions, whose responses are stored: QUERY, or POST by a rule.
    private func mayAsk(_ rule: LocatedRule) -> Bool {
        let methods = rule.settings.methods
        guard methods.contains("POST") else { return methods.contains("QUERY") }
        return settings.locatedRules.contains { $0.settings.keyBody.map { $0 != .off } ?? false }
    }

    /// Members that are about stored responses, in a rule for methods whose responses are not stored.
    private func uncached(_ rule: LocatedRule) -> [SettingsWarning] {
        let names = rule.settings.setNames
        let idle = RuleSettings.cachingNames.filter(names.contains)
        guard let first = idle.first else { return [] }
        let shown = idle.map { "`rule.\($0)`" }.joined(separator: ", ")
        let message =
            "\(shown) \(idle.count == 1 ? "has" : "have") no effect for \(rule.settings.methods.joined(separator: ", ")): "
            + "only responses to GET and HEAD are stored"
        return [loaded.warning(at: "\(rule.path).\(first)", message)]
    }

    private func unrepeated(_ rule: LocatedRule) -> [SettingsWarning] {
        let methods = rule.settings.methods
        guard case .when = rule.settings.retry, methods.allSatisfy({ $0 == "POST" || $0 == "PATCH" }) else { return [] }
        let message =
            "`rule.retry` has no effect for \(methods.joined(separator: ", ")): such a request is never repeated, since that "
            + "could do its work twice"
        return [loaded.warning(at: "\(rule.path).retry", message)]
    }

    /// A rule for https URLs where these go through tunnels only.
    private func unread(_ rule: LocatedRule) -> [SettingsWarning] {
        if rule.deniesTunnels { return [] }
        guard rule.service == nil, rule.settings.match.lowercased().hasPrefix("https://"),
            settings.intercept.hosts.isEmpty, !settings.offers(.prefix),
            !settings.offers(.services) || settings.services.isEmpty, settings.gateway?.isSecure != true
        else { return [] }
        let message =
            "\(rule.displayName) has no effect on https URLs that go through CONNECT, in whose tunnels nothing is read; name "
            + "\"prefix\" in `routes` of a [[listener]], or the hosts in `intercept.hosts`"
        return [loaded.warning(at: "\(rule.path).match", message)]
    }

    // MARK: Rules that later ones override

    private func shadowed(_ rules: [LocatedRule], included: Int) -> [SettingsWarning] {
        let overrides = RuleOverrides(rules)
        var warnings: [SettingsWarning] = []
        for (index, rule) in rules.enumerated() where !rule.settings.saysNothing {
            if index < included { continue }
            guard let winner = overrides.winner(over: index).map({ rules[$0] }) else { continue }
            let place = loaded.origin(ofPath: winner.path).description
            let message =
                "\(rule.displayName) (\(rule.settings.match)) has no effect: \(winner.displayName) (\(place)) comes later, is for "
                + "the same URLs and sets the same"
            warnings.append(loaded.warning(at: rule.path, message))
        }
        return warnings
    }
}

extension LocatedRule {
    /// Whether its pattern may be for every URL of some origin.
    fileprivate var mayFitOrigins: Bool { glob.hasEveryPath || !glob.isAbsolute }

    /// Whether CONNECT to the origins of its pattern is denied.
    fileprivate var deniesTunnels: Bool {
        guard case .text? = settings.deny, glob.hasEveryPath else { return false }
        return methods.isEmpty || methods.contains(.connect)
    }
}

extension RuleSettings {
    /// The members that are about stored responses.
    static let cachingNames = [
        "ttl", "ttl-by-status", "stale-while-revalidate", "stale-if-error", "refresh-ahead", "ignore-client-no-cache",
        "cache-even", "set-cookie", "record-streams", "replay-pace", "never-cache", "vary-add", "vary-ignore",
        "key-header", "key-body", "partition",
    ]

    /// The members that the rule sets.
    var setNames: Set<String> { Set(Self.keys.filter { $0.format(self) != nil }.map(\.name)) }
}
