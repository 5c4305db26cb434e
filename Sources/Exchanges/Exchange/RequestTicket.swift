import Synchronization

/// What goes with a request through a provider that may answer in place of the origin.
public final class RequestTicket: Sendable {
    /// What the caller knows of its load; the provider knows the type.
    public let load: any Sendable
    private let isAnswered = Atomic<Bool>(false)

    public init(_ load: any Sendable) { self.load = load }

    /// Notes that the response is not the origin's own, but one that nodes share.
    public func noteSharedAnswer() { isAnswered.store(true, ordering: .releasing) }

    /// Whether the response is one that nodes share.
    public var hasSharedAnswer: Bool { isAnswered.load(ordering: .acquiring) }
}
