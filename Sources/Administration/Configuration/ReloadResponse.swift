public import Formats
public import HTTPCore

/// What became of a request to read the settings again.
public enum ReloadResponse: Sendable {
    /// They are in force; `write` writes the members of the object that tells what changed.
    case done(write: @Sendable (inout JSONWriter) -> Void)
    /// The old ones stay in force; the members tell the place of the fault.
    case refused(detail: String, members: [ProblemDocument.Member])
    /// Too many wait already, or the daemon is stopping.
    case unavailable(detail: String)
}

/// The settings in force as administration shows and renews them; closures are called on any thread.
public struct ConfigurationSource: Sendable {
    /// Writes the members of the object that shows all settings, or those for a URL and method.
    public var write: @Sendable (_ url: TargetURI?, _ method: Method, inout JSONWriter) -> Void
    /// Has the settings read again, without blocking; the answer comes once all of them are in force.
    public var reload: @Sendable (@escaping @Sendable (ReloadResponse) -> Void) -> Void

    public init(
        write: @escaping @Sendable (_ url: TargetURI?, _ method: Method, inout JSONWriter) -> Void,
        reload: @escaping @Sendable (@escaping @Sendable (ReloadResponse) -> Void) -> Void
    ) {
        self.write = write
        self.reload = reload
    }
}
