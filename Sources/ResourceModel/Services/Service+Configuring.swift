public import HTTPCore
public import ResourceCore

/// How resources are requested is told here, not where they are requested (S-038).
///
/// Closures run lazily, in the order they were added; see `Service`. Each call makes every resource find out its
/// configuration anew when it is next used, and computes nothing itself (S-046).
extension Service {
    /// Adds a closure for the resources `pattern` means, behind those there are.
    ///
    /// - Parameters:
    ///   - pattern: text such as `/items/*` (see `TextGlob`), a URL, a resource, a `RegexPattern`, a `PredicatePattern`, or
    ///     one of your own.
    ///   - requestMethods: nil for all, also those nobody knows; else these alone (S-043, S-044).
    ///   - description: for people; by default the pattern's (S-049).
    ///   - change: gets the configuration made so far.
    public func configure(
        _ pattern: some ConfigurationPattern,
        requestMethods: Set<Method>? = nil,
        description: String? = nil,
        _ change: @escaping ConfigurationList.Change
    ) {
        core.register.change { $0.configure(pattern, methods: requestMethods, description: description, change) }
    }

    /// Adds a closure for the URIs in which a regular expression is found; see `RegexPattern`.
    public func configure<Output>(
        _ expression: sending Regex<Output>,
        requestMethods: Set<Method>? = nil,
        description: String = "expression",
        _ change: @escaping ConfigurationList.Change
    ) {
        configure(RegexPattern(expression, description: description), requestMethods: requestMethods, change)
    }

    /// Adds a closure for the resources whose URL `predicate` is true for.
    ///
    /// - Parameters:
    ///   - predicate: always the same for the same URL, from any thread.
    ///   - requestMethods: nil for all; else these alone.
    ///   - description: for people.
    ///   - change: gets the configuration made so far.
    public func configure(
        whenURLMatches predicate: @escaping @Sendable (TargetURI) -> Bool,
        requestMethods: Set<Method>? = nil,
        description: String = "custom",
        _ change: @escaping ConfigurationList.Change
    ) {
        configure(PredicatePattern(description: description, predicate), requestMethods: requestMethods, change)
    }

    /// Adds a closure for all resources.
    public func configure(
        requestMethods: Set<Method>? = nil,
        description: String = "custom",
        _ change: @escaping ConfigurationList.Change
    ) {
        core.register.change { $0.configure(methods: requestMethods, description: description, change) }
    }
}
