public import HTTPCore

/// All that configures the resources of a service: defaults, and closures that change them for some URIs and methods.
///
/// Closures run in the order they were added, each on the same value, so that later ones win (S-042). They may run any
/// number of times, on any thread, and have no side effects (S-047).
public struct ConfigurationList: Sendable {
    /// Changes a configuration.
    public typealias Change = @Sendable (inout Configuration) -> Void

    struct Entry: Sendable {
        let description: String
        /// Nil: all.
        let methods: Set<Method>?
        /// The named part it is for; nil: for all.
        let owner: String?
        let matches: (@Sendable (TargetURI) -> Bool)?
        let change: Change

        func applies(to uri: TargetURI, _ method: Method, owner part: String?) -> Bool {
            if let methods, !methods.contains(method) { return false }
            if let owner, owner != part { return false }
            return matches?(uri) ?? true
        }
    }

    /// What the closures begin with.
    public var defaults: Configuration
    /// What identifies resources besides their URI as sent; in order.
    ///
    /// Nobody but `Service.identity(of:for:)` applies them.
    public var queryRules: [QueryRule] = []
    /// The named parts of the service.
    public var bases = ServiceBases()
    private(set) var entries: [Entry] = []
    private let baseURL: TargetURI?

    init(defaults: Configuration, baseURL: TargetURI?) {
        self.defaults = defaults
        self.baseURL = baseURL
    }

    /// Adds a closure for the resources `pattern` means.
    ///
    /// - Parameters:
    ///   - pattern: text, a URL, a resource, an expression or a closure.
    ///   - methods: nil for all, also those nobody knows; else these alone (S-043, S-044).
    ///   - description: for people; by default the pattern's (S-049).
    ///   - change: gets the configuration made so far.
    public mutating func configure(
        _ pattern: some ConfigurationPattern,
        methods: Set<Method>? = nil,
        description: String? = nil,
        _ change: @escaping Change
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
        _ change: @escaping Change
    ) {
        entries.append(Entry(description: description, methods: methods, owner: nil, matches: nil, change: change))
    }

    /// Adds a closure for the resources of a named part: those of `bases` that belong to it and to no part below it.
    public mutating func configurePart(
        _ name: String,
        methods: Set<Method>? = nil,
        description: String? = nil,
        _ change: @escaping Change
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
