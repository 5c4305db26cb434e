public import HTTPCaching
public import HTTPCore

/// A change of stored responses that all nodes of a shared tier must make.
public enum SharedChange: Sendable {
    /// Drops everything of a URI.
    case purge(TargetURI)
    /// Has everything of a URI validated before its next use.
    case invalidate(TargetURI)
    /// Drops all responses with one of these tags.
    case purgeTags([CacheTag])
    /// Drops all responses of the URIs that a filter selects: its text, and its condition.
    case purgeMatching(String, @Sendable (TargetURI) -> Bool)

    /// Drops everything.
    public static let purgeAll = SharedChange.purgeMatching("**") { _ in true }

    /// The URI that it concerns; nil: it may concern many.
    public var uri: TargetURI? {
        switch self {
        case .purge(let uri), .invalidate(let uri): uri
        case .purgeTags, .purgeMatching: nil
        }
    }

    /// The change; and the same for the URI that `identity` maps its URI to, if that is another one.
    package func all(under identity: (TargetURI) -> TargetURI) -> [SharedChange] {
        guard let uri, case let other = identity(uri), other != uri else { return [self] }
        return [self, of(other)]
    }

    private func of(_ uri: TargetURI) -> SharedChange {
        switch self {
        case .purge: .purge(uri)
        case .invalidate: .invalidate(uri)
        case .purgeTags, .purgeMatching: self
        }
    }
}
