import CommandSyntax
import TOML

extension SettingType where Value == [RuleSettings] {
    /// General rules.
    static var rules: SettingType { rules(RuleSettings.reader, expectedRules) }

    private static var expectedRules: String { "a list of tables: write [[rule]]" }

    /// Rules of a service.
    static var serviceRules: SettingType {
        rules(RuleSettings.serviceReader, "a list of tables: write [[service.NAME.rule]]")
    }

    /// Rules of an included file: their patterns are paths.
    static var includedRules: SettingType { rules(RuleSettings.serviceReader, "a list of tables: write [[rule]]") }

    private static func rules(_ reader: TableReader<RuleSettings>, _ expected: String) -> SettingType {
        SettingType(
            name: "list of tables",
            isText: false,
            parse: { (node) throws(SettingFault) -> [RuleSettings] in
                var faults = FaultCollector()
                let rules = read(node, by: reader, expected, &faults)
                try faults.check()
                return rules
            },
            format: { rules in "[" + rules.map(reader.format).joined(separator: ", ") + "]" }
        )
    }

    /// Reads general rules as far as they have no faults, each with its index.
    static func read(_ node: TOMLNode, _ faults: inout FaultCollector) -> [RuleSettings] {
        read(node, by: RuleSettings.reader, expectedRules, &faults)
    }

    private static func read(
        _ node: TOMLNode,
        by reader: TableReader<RuleSettings>,
        _ expected: String,
        _ faults: inout FaultCollector
    ) -> [RuleSettings] {
        guard case .array(let nodes) = node.value else {
            faults.add(SettingFault(expected, insteadOf: node))
            return []
        }
        if nodes.count > RuleSettings.limit {
            faults.add(
                SettingFault(
                    message: "has more than \(RuleSettings.limit) entries",
                    position: nodes[RuleSettings.limit].position
                )
            )
            return []
        }
        return nodes.map { node in
            var rule = RuleSettings()
            faults.attempt { () throws(SettingFault) in try reader.read(node, into: &rule) }
            if rule.hostsFile != nil, rule.match.isEmpty { rule.match = "**" }
            faults.attempt { () throws(SettingFault) in try RuleCombinations(rule: rule, node: node).check() }
            return rule
        }
    }
}

extension RuleSettings {
    /// The most rules in one list.
    static let limit = 1000
}

/// Checks the members of a rule against each other.
struct RuleCombinations {
    let rule: RuleSettings
    let node: TOMLNode

    func check() throws(SettingFault) {
        // The reader reports what is no table.
        guard case .table = node.value else { return }
        var faults = FaultCollector()
        if position("match") == nil, position("match-hosts-file") == nil, !hasMisspeltMatch {
            faults.add(.missing("a rule needs `match`, the URLs it is for", at: node.position))
        }
        for check in [checkHosts, checkQuery, checkKeys, checkNone, checkNeverCache, checkRedaction, checkTransformers]
        {
            faults.attempt(check)
        }
        try faults.check()
    }

    /// Whether a member was probably meant as `match`; the reader reports it.
    private var hasMisspeltMatch: Bool {
        guard case .table(let members) = node.value else { return false }
        let names = RuleSettings.keys.map(\.name)
        return members.contains { !names.contains($0.key) && NearestName.find($0.key, in: names) == "match" }
    }

    private func checkTransformers() throws(SettingFault) {
        guard position("transform") == nil || rule.transform?.steps.isEmpty == true else { return }
        for name in ["force", "oversize"] where position(name) != nil {
            throw fault(name, "`rule.\(name)` is about the transformers of its rule, and this rule has no `transform`")
        }
    }

    /// The query is changed before any list is asked.
    private func checkHosts() throws(SettingFault) {
        guard rule.hostsFile != nil else { return }
        for name in ["drop-query", "sort-query"] where position(name) != nil {
            throw fault(name, "`rule.\(name)` cannot depend on `match-hosts-file`: make it a rule of its own")
        }
    }

    /// A rule with conditions on responses cannot cancel transformers.
    private func checkNone() throws(SettingFault) {
        guard rule.hasResponseConditions, rule.transform?.replacesEarlier == true else { return }
        throw fault(
            "transform",
            "`rule.transform`: \"none\" takes earlier transformers away for all responses, so the rule cannot have "
                + "`content-types` or `status`"
        )
    }

    /// The URL is needed to look up a response, so a condition on responses cannot change the URL.
    private func checkQuery() throws(SettingFault) {
        guard rule.hasResponseConditions else { return }
        let condition = rule.contentTypes.isEmpty ? "status" : "content-types"
        let names = [
            "deny", "redirect", "fail", "delay", "rate", "set-field", "remove-field", "retry", "rate-limit",
        ]
        for name in names where position(name) != nil {
            throw fault(
                name,
                "`rule.\(name)` is decided before there is a response, so it cannot depend on `\(condition)`: "
                    + "make it a rule of its own"
            )
        }
        if position("connect-http") != nil {
            throw fault(
                "connect-http",
                "`rule.connect-http` is about connections before there is a response, so it cannot depend on `\(condition)`: "
                    + "make it a rule of its own"
            )
        }
        for name in ["drop-query", "sort-query"] where position(name) != nil {
            throw fault(
                name,
                "`rule.\(name)` changes the URL before there is a response, so it cannot depend on `\(condition)`: "
                    + "make it a rule of its own"
            )
        }
    }

    /// The cache key is needed before there is a response.
    private func checkKeys() throws(SettingFault) {
        if rule.hasResponseConditions {
            let condition = rule.contentTypes.isEmpty ? "status" : "content-types"
            for name in ["key-header", "key-body", "partition"] where position(name) != nil {
                throw fault(
                    name,
                    "`rule.\(name)` decides where a response is looked for, so it cannot depend on `\(condition)`: "
                        + "make it a rule of its own"
                )
            }
        }
        if !rule.statuses.isEmpty, position("ttl-by-status") != nil {
            throw fault(
                "ttl-by-status",
                "`rule.ttl-by-status` says itself which statuses it is for, so leave out `status`"
            )
        }
        let added = Set((rule.varyAdd + rule.keyHeader).map { $0.lowercased() })
        if let both = rule.varyIgnore.first(where: { added.contains($0.lowercased()) }) {
            throw fault("vary-ignore", "`rule.vary-ignore` names \(both), which the same rule has responses differ by")
        }
    }

    private func checkNeverCache() throws(SettingFault) {
        guard rule.neverCache == true else { return }
        let others = [
            "ttl", "ttl-by-status", "stale-if-error", "stale-while-revalidate", "refresh-ahead",
            "ignore-client-no-cache",
            "cache-even", "set-cookie", "record-streams", "replay-pace", "vary-add", "vary-ignore", "key-header",
            "key-body", "partition",
        ]
        for name in others where position(name) != nil {
            throw fault(name, "`rule.\(name)` has no meaning with `never-cache = true`: leave one of them out")
        }
    }

    /// Redaction fails closed.
    private func checkRedaction() throws(SettingFault) {
        guard rule.transform?.steps.contains(where: \.kind.isRedaction) == true else { return }
        if rule.oversize == .pass {
            throw fault(
                "oversize",
                "`rule.oversize` cannot be \"pass\" with `redact`: what is too large would go unredacted"
            )
        }
        if rule.force == false {
            throw fault(
                "force",
                "`rule.force` cannot be false with `redact`: what says no-transform would go unredacted"
            )
        }
    }

    private func position(_ name: String) -> TextPosition? {
        guard case .table(let members) = node.value else { return nil }
        return members.first { $0.key == name }?.keyPosition
    }

    private func fault(_ name: String, _ sentence: String) -> SettingFault {
        SettingFault(sentence: sentence, position: position(name) ?? node.position)
    }
}
