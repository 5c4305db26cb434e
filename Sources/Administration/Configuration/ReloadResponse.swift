public import Formats
public import HTTPCore

/// The result of a reload of the settings.
public enum ReloadResponse: Sendable {
    /// The new settings are in force; `write` writes the members that list the changes.
    case done(write: @Sendable (inout JSONWriter) -> Void)
    /// The old settings stay in force; the members locate the fault.
    case refused(detail: String, members: [ProblemDocument.Member])
    /// Too many reloads wait already, or the daemon is stopping.
    case unavailable(detail: String)
}

/// How the admin API shows and reloads settings; closures are called on any thread.
public struct ConfigurationSource: Sendable {
    /// Writes all settings as members of an object, or those for a URL and method.
    public var write: @Sendable (_ url: TargetURI?, _ method: Method, inout JSONWriter) -> Void
    /// Starts a reload without blocking; the result comes once all settings are in force.
    public var reload: @Sendable (@escaping @Sendable (ReloadResponse) -> Void) -> Void

    public init(
        write: @escaping @Sendable (_ url: TargetURI?, _ method: Method, inout JSONWriter) -> Void,
        reload: @escaping @Sendable (@escaping @Sendable (ReloadResponse) -> Void) -> Void
    ) {
        self.write = write
        self.reload = reload
    }
}
