public import HTTPCaching
public import HTTPCore

/// A change of stored responses that all nodes which share a tier have to make.
public enum SharedChange: Sendable {
    /// Drops everything of a URI.
    case purge(TargetURI)
    /// Has everything of a URI validated before its next use.
    case invalidate(TargetURI)
    /// Drops all responses with one of these tags.
    case purgeTags([CacheTag])
    /// Drops all responses of URIs that a filter selects; with its text.
    case purgeMatching(String, @Sendable (TargetURI) -> Bool)
}
