/// The partitions one request may look into, most private first (C-20.1b).
public struct Partitions: Sendable, Equatable {
    /// Answers that belong to all credentials of the request (P2); nil without any.
    public var own: Partition?
    /// Answers that belong to its credentials other than Cookie (P1); nil without any.
    public var credential: Partition?

    /// Of a request without credentials: the shared partition alone.
    public init() {}

    public init(own: Partition?, credential: Partition?) {
        self.own = own
        self.credential = credential
    }

    /// How near `partition` is to the request: 0 is its own, nil is somebody else's.
    public func rank(of partition: Partition) -> Int? {
        if partition == own { return 0 }
        if partition == credential { return 1 }
        return partition == .shared ? 2 : nil
    }
}
