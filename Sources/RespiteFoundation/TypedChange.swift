public import ResourceCore
public import ResourceModel

/// An event of a resource, with what its content is as a `Value` after it (S-209).
public struct TypedChange<Value: Decodable & Sendable>: Sendable {
    /// The event and the state without types.
    public let change: ResourceChange
    /// What is known, with its header fields; nil if there is nothing, or it is no `Value`.
    public let latestEntity: Entity<Value>?
    /// How the last load failed, or why what is known is no `Value`.
    public let latestError: RequestError?

    init(_ change: ResourceChange, _ decoded: DecodedContent<Value>) {
        self.change = change
        let state = TypedState(change.state, decoded)
        latestEntity = state.latestEntity
        latestError = state.latestError
    }

    /// What happened.
    public var event: ResourceEvent { change.event }
    /// What is known; nil if there is nothing, or it is no `Value`.
    public var latestData: Value? { latestEntity?.content }
    /// Whether the resource loads.
    public var isLoading: Bool { change.state.isLoading }
}

/// A resource at one moment, with its content as a `Value`.
struct TypedState<Value: Decodable & Sendable> {
    let latestEntity: Entity<Value>?
    let latestError: RequestError?

    init(_ state: ResourceSnapshot, _ decoded: DecodedContent<Value>) {
        guard let data = state.latestData else {
            latestEntity = nil
            latestError = state.latestError
            return
        }
        do {
            latestEntity = try decoded.typed(data)
            latestError = state.latestError
        } catch {
            latestEntity = nil
            latestError = state.latestError ?? error
        }
    }
}
