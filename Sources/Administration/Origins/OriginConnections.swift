/// The connections to one origin.
public struct OriginConnections: Sendable, Equatable {
    /// Scheme, host and port, such as `http://origin.example:8080`.
    public var origin: String
    /// Connections open or being made, idle ones among them, and requests that wait for a connection.
    public var connections: Int
    public var idle: Int
    public var waiting: Int

    public init(origin: String, connections: Int, idle: Int, waiting: Int) {
        self.origin = origin
        self.connections = connections
        self.idle = idle
        self.waiting = waiting
    }
}
