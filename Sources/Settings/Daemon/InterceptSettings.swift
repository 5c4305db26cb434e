public import HTTPCore

/// Interception: TLS connections of clients that end in Respite.
public struct InterceptSettings: Sendable, Equatable {
    /// Hosts whose TLS ends here; none by default.
    public var hosts: [HostPattern] = []
    /// Hosts that get blind tunnels although `hosts` names them.
    public var passThrough: [HostPattern] = []
    /// Whether a client that keeps refusing our certificate for a host gets blind tunnels to it.
    public var passThroughRefused = true
    /// How long such a client gets blind tunnels.
    public var passThroughTime = Duration.seconds(3600)
    /// The directory of our CA's files; nil: the default, see `DaemonPaths`.
    public var caDirectory: String?
}
