public import HTTPCore

/// TLS of clients that is opened on the way.
public struct InterceptSettings: Sendable, Equatable {
    /// Hosts whose TLS ends here; none unless somebody says so.
    public var hosts: [HostPattern] = []
    /// Hosts that get blind tunnels although `hosts` names them.
    public var passThrough: [HostPattern] = []
    /// Whether a host whose certificate of ours a client refuses again and again gets blind tunnels.
    public var passThroughRefused = true
    /// How long it gets them.
    public var passThroughTime = Duration.seconds(3600)
    /// Where the files of our CA are; nil: the usual place, see `DaemonPaths`.
    public var caDirectory: String?
}
