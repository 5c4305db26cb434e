public import Eventing
import HTTPCore
public import Observability

/// Who may use the admin listener, and the limits of its requests.
public struct AdminOptions: Sendable {
    /// The token that `Authorization: Bearer` must have (H-142).
    public var token: [UInt8]
    /// The token for requests that only read; empty: there is none.
    public var readToken: [UInt8] = []
    /// The listeners' addresses: `Host` must name one of them, or `localhost`, with its port (H-143).
    public var addresses: [SocketAddress]
    /// Further names for `Host`, lower-cased, with any port.
    public var hosts: [[UInt8]]
    /// Query parameters whose values recent requests do not show (H-158).
    public var secrets = SecretParameters([])
    /// How many recent requests are kept; 0: none.
    public var recentRequests = 0
    /// The most bytes of a request's content (H-146).
    public var contentLimit = 1 << 20
    /// The most bytes of content that may replace a stored response.
    public var overrideLimit = 16 << 20
    /// The least time between two progress reports of loads (S-219).
    public var progressInterval = Duration.milliseconds(200)
    /// The deepest nesting of JSON in a request's content (H-146).
    public var contentDepth = 64
    /// The most events to keep for slow or returning listeners; 4 MiB of them at most.
    public var keptEvents = 8192
    /// How often an event stream without events sends a comment.
    public var heartbeat = Duration.seconds(15)

    public init(token: [UInt8], addresses: [SocketAddress], hosts: [String] = []) {
        self.token = token
        self.addresses = addresses
        self.hosts = hosts.map { $0.utf8.map(\.asciiLowercased) }
    }
}
