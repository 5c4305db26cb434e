/// The partitions one request may look into, most private first (C-20.1b).
public struct Partitions: Sendable, Equatable {
    /// Answers that belong to all credentials of the request (P2); nil without any, unless a rule keeps `private` answers
    /// for those who have none.
    public var own: Partition?
    /// Answers that belong to its credentials other than Cookie (P1); nil without any.
    public var credential: Partition?
    /// Where what is for everybody is stored and looked for.
    public let common: Partition

    /// Of a request without credentials: the shared partition alone.
    public init() { common = .shared }

    public init(own: Partition?, credential: Partition?) {
        self.own = own
        self.credential = credential
        common = .shared
    }

    /// Of a request that must not meet the shared partition, since it carries a service's own credential: what it brings,
    /// `public` or not, is for that service's clients.
    /// - Parameters:
    ///   - credential: what stands in for the shared partition.
    ///   - own: of all credentials of the request.
    public init(confinedTo credential: Partition, own: Partition) {
        self.own = own
        self.credential = credential
        common = credential
    }

    init(own: Partition?, credential: Partition?, common: Partition) {
        self.own = own
        self.credential = credential
        self.common = common
    }

    /// How near `partition` is to the request: 0 is its own, nil is somebody else's.
    public func rank(of partition: Partition) -> Int? {
        if partition == own { return 0 }
        if partition == credential { return 1 }
        return partition == common ? 2 : nil
    }
}
