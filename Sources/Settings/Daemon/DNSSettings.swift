/// How host names are looked up.
public struct DNSSettings: Sendable, Equatable {
    public var resolver = ResolverChoice.builtIn
    /// Name servers instead of those in /etc/resolv.conf.
    public var servers: [NameServer] = []
}

/// What looks up host names.
public enum ResolverChoice: String, Sendable, CaseIterable {
    /// The daemon asks name servers, unless nsswitch.conf names a source that only the C library knows.
    case builtIn = "built-in"
    /// The C library, by `getaddrinfo` on a few threads.
    case system
}
