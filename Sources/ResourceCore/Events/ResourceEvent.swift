public import HTTPCore

/// What happened to a resource (S-208).
public enum ResourceEvent: Sendable, Hashable {
    public enum Source: String, Sendable { case network, cache, localOverride, wipe }

    /// Sent only to a new observer, at once.
    case observerAdded
    /// A load began.
    case requested
    case requestCancelled
    case newData(Source)
    /// A 304 freshened the data.
    case notModified
    case error
    /// The store has written the resource's data to disk.
    case durable

    /// The event's name in event streams.
    public var text: String {
        switch self {
        case .observerAdded: "observerAdded"
        case .requested: "requested"
        case .requestCancelled: "requestCancelled"
        case .newData(let source): "newData(\(source.rawValue))"
        case .notModified: "notModified"
        case .error: "error"
        case .durable: "durable"
        }
    }
}

/// An event with the state after it (S-209).
public struct ResourceChange: Sendable {
    /// Ascending within the resource.
    public var sequence: UInt64
    public var event: ResourceEvent
    public var state: ResourceSnapshot

    public var uri: TargetURI { state.uri }
}
