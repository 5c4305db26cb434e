public import HTTPCore

/// Says which resources a configuration is for: a URL pattern, one URI, one resource, or anything else that can tell and
/// has a description (S-067).
public protocol ConfigurationPattern: Sendable {
    /// For people: shown where an entry has no description of its own.
    var patternDescription: String { get }

    /// What tells whether a URI is meant, in a service with this base URL.
    ///
    /// Called once, when the entry is added; what it returns is called from any thread, under no lock.
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

/// A pattern of settings, where a query can be told.
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

/// The URIs a closure is true for.
public struct PredicatePattern: ConfigurationPattern {
    public let patternDescription: String
    private let predicate: @Sendable (TargetURI) -> Bool

    /// - Parameters:
    ///   - description: for people.
    ///   - predicate: always the same for the same URI, from any thread.
    public init(description: String = "custom", _ predicate: @escaping @Sendable (TargetURI) -> Bool) {
        patternDescription = description
        self.predicate = predicate
    }

    public func matcher(base: TargetURI?) -> @Sendable (TargetURI) -> Bool { predicate }
}
