import HostLists
public import HTTPCore

/// A rule with its path in the settings, ready for matching.
public struct LocatedRule: Sendable {
    /// The path, such as `rule[0]` or `service.github.rule[0]`.
    public let path: String
    public let settings: RuleSettings
    /// The absolute pattern.
    public let glob: URLGlob
    /// The service that it belongs to; nil: a general rule.
    public let service: String?
    /// The methods to which it applies; empty: all.
    ///
    /// GET includes HEAD.
    public let methods: Set<Method>

    init?(_ settings: RuleSettings, path: String, of service: ServiceSettings? = nil) {
        guard let glob = try? URLGlob(settings.match) else { return nil }
        self.settings = settings
        self.path = path
        self.glob = glob.relative(to: service?.base)
        self.service = service?.name
        var methods = Set(settings.methods.map { Method($0) })
        if methods.contains(.get) { methods.insert(.head) }
        self.methods = methods
    }

    /// A rule whose pattern is a path, for hosts that pages link to.
    public init?(linked settings: RuleSettings, path: String) { self.init(settings, path: path) }

    /// Whether its pattern and its list of hosts fit.
    public func matches(_ uri: TargetURI) -> Bool { glob.matches(uri) && isListed(uri) }

    /// Whether every URL of the origin of `uri` fits.
    public func matchesOrigin(of uri: TargetURI) -> Bool { glob.matchesOrigin(of: uri) && isListed(uri) }

    private func isListed(_ uri: TargetURI) -> Bool { settings.hosts?.contains(uri) ?? (settings.hostsFile == nil) }

    /// Whether it applies to requests with `method` for `uri`; `owner` is the service of that URI.
    public func applies(to uri: TargetURI, _ method: Method, owner: String?) -> Bool {
        guard methods.isEmpty || methods.contains(method) else { return false }
        guard service == nil || service == owner else { return false }
        return matches(uri)
    }

    /// How it changes the query of URLs before look-up; nil: not at all.
    public var queryRule: QueryRule? {
        guard !settings.dropQuery.isEmpty || settings.sortQuery != nil else { return nil }
        return QueryRule(glob, methods: methods, dropping: settings.dropQuery, sorts: settings.sortQuery)
    }

    /// Its name in messages: `rule 1`, `rule 2 of github`.
    public var displayName: String {
        let number = path.split(separator: "[").last.flatMap { Int($0.dropLast()) } ?? 0
        return "rule \(number + 1)" + (service.map { " of \($0)" } ?? "")
    }
}

extension DaemonSettings {
    /// All rules in the order in which they apply: general ones, then those of services.
    public var locatedRules: [LocatedRule] {
        let general = rules.enumerated().compactMap { LocatedRule($1, path: "rule[\($0)]") }
        let own = services.flatMap { service in
            service.rules.enumerated().compactMap { index, rule in
                LocatedRule(rule, path: "service.\(service.name).rule[\(index)]", of: service)
            }
        }
        return general + own
    }

    /// The service of `uri`: the one with the longest base at or above it.
    public func service(of uri: TargetURI) -> ServiceSettings? {
        services.filter { uri.isUnder($0.base) }.max { $0.base.path.count < $1.base.path.count }
    }
}
