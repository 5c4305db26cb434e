public import HTTPCore

/// What happened to a resource (S-208).
public enum ResourceEvent: Sendable, Hashable {
    public enum Source: String, Sendable { case network, cache, localOverride, wipe }

    /// To a new observer alone, at once.
    case observerAdded
    /// A load began.
    case requested
    case requestCancelled
    case newData(Source)
    /// A 304 freshened the data.
    case notModified
    case error
    /// What the resource holds has reached the store's disk.
    case durable

    /// A word for event streams.
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
