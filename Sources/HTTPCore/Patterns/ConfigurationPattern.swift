/// Selects the resources that a configuration is for: by a URL pattern, a URI, a resource or a predicate (S-067).
public protocol ConfigurationPattern: Sendable {
    /// For people; shown if an entry has no description of its own.
    var patternDescription: String { get }

    /// Returns a predicate that is true for matching URIs, in a service with this base URL.
    ///
    /// Called once, when the entry is added. The predicate is called from any thread, under no lock.
    func matcher(base: TargetURI?) -> @Sendable (TargetURI) -> Bool
}

/// A pattern relative to the base URL, or absolute; see `TextGlob` (S-056).
extension String: ConfigurationPattern {
    public var patternDescription: String { self }

    public func matcher(base: TargetURI?) -> @Sendable (TargetURI) -> Bool {
        let glob = TextGlob(self, base: base)
        return { glob.matches($0) }
    }
}

/// A pattern from settings, which can match the query, too.
extension URLGlob: ConfigurationPattern {
    public var patternDescription: String { text }

    public func matcher(base: TargetURI?) -> @Sendable (TargetURI) -> Bool {
        let glob = relative(to: base)
        return { glob.matches($0) }
    }
}

/// Exactly this URI, query included.
extension TargetURI: ConfigurationPattern {
    public var patternDescription: String { text }

    public func matcher(base: TargetURI?) -> @Sendable (TargetURI) -> Bool { { $0 == self } }
}

/// The URIs for which a closure returns true.
public struct PredicatePattern: ConfigurationPattern {
    public let patternDescription: String
    private let predicate: @Sendable (TargetURI) -> Bool

    /// - Parameters:
    ///   - description: for people.
    ///   - predicate: always returns the same for the same URI; called from any thread.
    public init(description: String = "custom", _ predicate: @escaping @Sendable (TargetURI) -> Bool) {
        patternDescription = description
        self.predicate = predicate
    }

    public func matcher(base: TargetURI?) -> @Sendable (TargetURI) -> Bool { predicate }
}
