public import HTTPCore

/// The configuration of a service's resources: defaults, and closures that change them for some URIs and methods.
///
/// Closures run in the order they were added, each on the result of the one before, so later ones win (S-042). They run
/// any number of times, on any thread, and must have no side effects (S-047).
public struct ConfigurationList: Sendable {
    struct Entry: Sendable {
        let description: String
        /// Nil: all methods.
        let methods: Set<Method>?
        /// The named part that the entry is for; nil: the whole service.
        let owner: String?
        let matches: (@Sendable (TargetURI) -> Bool)?
        let change: Configuration.Change

        func applies(to uri: TargetURI, _ method: Method, owner part: String?) -> Bool {
            if let methods, !methods.contains(method) { return false }
            if let owner, owner != part { return false }
            return matches?(uri) ?? true
        }
    }

    /// The configuration that the first closure receives.
    public var defaults: Configuration
    /// Rules that change the query of a URI before it identifies a resource; in order.
    ///
    /// Only `Service.identity(of:for:)` applies them.
    public var queryRules: [QueryRule] = []
    /// The named parts of the service: in the daemon, the services of the settings.
    public var bases = ServiceBases()
    /// Whether a closure may deny requests or act on them, so that callers ask before they serve.
    public var actsOnRequests = false
    private(set) var entries: [Entry] = []
    private let baseURL: TargetURI?

    package init(defaults: Configuration, baseURL: TargetURI?) {
        self.defaults = defaults
        self.baseURL = baseURL
    }

    /// Adds a closure for the resources that `pattern` matches.
    ///
    /// - Parameters:
    ///   - pattern: text, a URL, a resource, an expression or a closure.
    ///   - methods: only these (S-043, S-044); nil: all, unknown ones included.
    ///   - description: for people; by default that of the pattern (S-049).
    ///   - change: changes the configuration made so far.
    public mutating func configure(
        _ pattern: some ConfigurationPattern,
        methods: Set<Method>? = nil,
        description: String? = nil,
        _ change: @escaping Configuration.Change
    ) {
        entries.append(
            Entry(
                description: description ?? pattern.patternDescription,
                methods: methods,
                owner: nil,
                matches: pattern.matcher(base: baseURL),
                change: change
            )
        )
    }

    /// Adds a closure for all resources.
    public mutating func configure(
        methods: Set<Method>? = nil,
        description: String = "custom",
        _ change: @escaping Configuration.Change
    ) {
        entries.append(Entry(description: description, methods: methods, owner: nil, matches: nil, change: change))
    }

    /// Adds a closure for the resources of a named part.
    ///
    /// These are the URIs below its base, without those below the base of a part within it.
    public mutating func configurePart(
        _ name: String,
        methods: Set<Method>? = nil,
        description: String? = nil,
        _ change: @escaping Configuration.Change
    ) {
        entries.append(
            Entry(
                description: description ?? "service \(name)",
                methods: methods,
                owner: name,
                matches: nil,
                change: change
            )
        )
    }
}
