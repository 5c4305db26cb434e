public import Settings

/// What is kept out of a cassette.
public struct ScrubbingRules: Sendable, Equatable {
    /// Fields whose values are replaced, besides Authorization, Cookie and the like; in lower case.
    public var fields: [String]
    /// Parameters of queries and forms, and members of JSON, whose values are replaced; in lower case.
    public var parameters: [String]
    /// Paths of values in JSON that are replaced: JSONPath or pointers.
    public var paths: [String]

    public init(fields: [String] = [], parameters: [String] = [], paths: [String] = []) {
        self.fields = fields
        self.parameters = parameters
        self.paths = paths
    }

    /// The rules of settings: `cache.credential-fields`, the fields of services, `log.secret-parameters`, `scrub` of
    /// all rules; and some paths.
    public init(_ settings: DaemonSettings, paths: [String] = []) {
        let fields = settings.cache.credentialFields + settings.services.flatMap { $0.headers.map(\.name) }
        self.init(
            fields: Set(fields.map { $0.lowercased() }).sorted(),
            parameters: Set(settings.log.secretParameters.map { $0.lowercased() }).sorted(),
            paths: paths
        )
        self = union(ScrubbingRules(paths: settings.locatedRules.flatMap(\.settings.scrub)))
    }

    /// The rules of settings that nobody has changed.
    public static let standard = ScrubbingRules(DaemonSettings())

    /// These rules and others.
    public func union(_ others: ScrubbingRules) -> ScrubbingRules {
        var seen: Set<String> = []
        return ScrubbingRules(
            fields: Set(fields + others.fields).sorted(),
            parameters: Set(parameters + others.parameters).sorted(),
            paths: (paths + others.paths).filter { seen.insert($0).inserted }
        )
    }

    /// Names of parameters that mean something else in JSON, such as a token of a language model.
    private static let ambiguousNames: Set<String> = ["auth", "sig", "signature", "token"]

    /// The parameters that are also members of JSON.
    var memberNames: [String] { parameters.filter { !Self.ambiguousNames.contains($0) } }
}
