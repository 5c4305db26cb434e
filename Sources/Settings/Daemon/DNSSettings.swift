/// How host names are looked up.
public struct DNSSettings: Sendable, Equatable {
    public var resolver = ResolverChoice.builtIn
    /// Name servers in place of those in /etc/resolv.conf.
    public var servers: [NameServer] = []
}

/// Who looks host names up.
public enum ResolverChoice: String, Sendable, CaseIterable {
    /// The daemon asks name servers itself, where nsswitch.conf names no source that only the C library knows.
    case builtIn = "built-in"
    /// The C library, by `getaddrinfo` on a few threads.
    case system
}
