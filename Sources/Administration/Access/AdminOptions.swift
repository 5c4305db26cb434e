public import Eventing
import HTTPCore

/// Who may ask the admin listener, and what is taken of him.
public struct AdminOptions: Sendable {
    /// What `Authorization: Bearer` must carry (H-142).
    public var token: [UInt8]
    /// Where the listeners are: `Host` names one of these addresses, or `localhost`, with its port (H-143).
    public var addresses: [SocketAddress]
    /// Further names for `Host`, lower-cased, with any port.
    public var hosts: [[UInt8]]
    /// Bytes of a request's content (H-146).
    public var contentLimit = 1 << 20
    /// Bytes of content that is put in the place of a resource's.
    public var overrideLimit = 16 << 20
    /// How often the progress of loads is told, at most (S-219).
    public var progressInterval = Duration.milliseconds(200)
    /// Nesting of JSON in a request's content (H-146).
    public var contentDepth = 64
    /// Events kept for listeners that are slow or come back; 4 MiB of them at most.
    public var keptEvents = 8192
    /// How often an event stream without events shows that it lives.
    public var heartbeat = Duration.seconds(15)

    public init(token: [UInt8], addresses: [SocketAddress], hosts: [String] = []) {
        self.token = token
        self.addresses = addresses
        self.hosts = hosts.map { $0.utf8.map(\.asciiLowercased) }
    }
}
