/// The partitions one request may look into, most private first (C-20.1b).
public struct Partitions: Sendable, Equatable {
    /// Answers that belong to all credentials of the request (P2); nil without any.
    public var own: Partition?
    /// Answers that belong to its credentials other than Cookie (P1); nil without any.
    public var credential: Partition?
    /// Whether the shared partition is neither looked into nor stored in.
    ///
    /// For requests that carry a service's own credential: what they bring, `public` or not, is for that service's
    /// clients.
    public let isConfined: Bool

    /// Of a request without credentials: the shared partition alone.
    public init() { isConfined = false }

    public init(own: Partition?, credential: Partition?) {
        self.own = own
        self.credential = credential
        isConfined = false
    }

    /// Of a request that must not meet the shared partition.
    /// - Parameters:
    ///   - credential: what stands in for the shared partition.
    ///   - own: of all credentials of the request.
    public init(confinedTo credential: Partition, own: Partition) {
        self.own = own
        self.credential = credential
        isConfined = true
    }

    /// How near `partition` is to the request: 0 is its own, nil is somebody else's.
    public func rank(of partition: Partition) -> Int? {
        if partition == own { return 0 }
        if partition == credential { return 1 }
        return partition == .shared && !isConfined ? 2 : nil
    }

    /// Where what is for everybody is stored.
    var forEverybody: Partition? { isConfined ? credential : .shared }
}
