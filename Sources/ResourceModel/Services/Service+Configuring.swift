public import Configurations
public import HTTPCore
public import ResourceCore

/// Configures how resources are requested, for all code that uses them (S-038).
///
/// Closures run lazily, in the order they were added; see `Service`. After each call, every resource computes its
/// configuration anew at its next use (S-046).
extension Service {
    /// Adds a closure for the resources that `pattern` matches, after the present ones.
    ///
    /// - Parameters:
    ///   - pattern: text such as `/items/*` (see `TextGlob`), a URL, a resource, a `RegexPattern`, a
    ///     `PredicatePattern`, or a type of your own.
    ///   - requestMethods: only these (S-043, S-044); nil: all, unknown ones included.
    ///   - description: for people; by default that of the pattern (S-049).
    ///   - change: changes the configuration made so far.
    public func configure(
        _ pattern: some ConfigurationPattern,
        requestMethods: Set<Method>? = nil,
        description: String? = nil,
        _ change: @escaping Configuration.Change
    ) {
        core.register.change { $0.configure(pattern, methods: requestMethods, description: description, change) }
    }

    /// Adds a closure for the URIs that contain a match of a regular expression; see `RegexPattern`.
    public func configure<Output>(
        _ expression: sending Regex<Output>,
        requestMethods: Set<Method>? = nil,
        description: String = "expression",
        _ change: @escaping Configuration.Change
    ) {
        configure(RegexPattern(expression, description: description), requestMethods: requestMethods, change)
    }

    /// Adds a closure for the resources whose URL satisfies `predicate`.
    ///
    /// - Parameters:
    ///   - predicate: always returns the same for the same URL; called from any thread.
    ///   - requestMethods: only these; nil: all.
    ///   - description: for people.
    ///   - change: changes the configuration made so far.
    public func configure(
        whenURLMatches predicate: @escaping @Sendable (TargetURI) -> Bool,
        requestMethods: Set<Method>? = nil,
        description: String = "custom",
        _ change: @escaping Configuration.Change
    ) {
        configure(PredicatePattern(description: description, predicate), requestMethods: requestMethods, change)
    }

    /// Adds a closure for all resources.
    public func configure(
        requestMethods: Set<Method>? = nil,
        description: String = "custom",
        _ change: @escaping Configuration.Change
    ) {
        core.register.change { $0.configure(methods: requestMethods, description: description, change) }
    }
}
