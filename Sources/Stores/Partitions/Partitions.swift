/// The partitions one request may look into, most private first (C-20.1b).
public struct Partitions: Sendable, Equatable {
    /// The partition of responses for all credentials of the request together (P2).
    ///
    /// Nil without credentials, unless a rule keeps `private` responses to requests that have none.
    public var own: Partition?
    /// The partition of responses for its credentials other than Cookie (P1); nil without any.
    public var credential: Partition?
    /// The partition of responses for everybody.
    public let common: Partition
    /// The user of the request's login, for rules that keep users apart; nil: none.
    ///
    /// Without such rules it has no effect.
    public var user: String?

    /// For a request without credentials: the shared partition alone.
    public init() { common = .shared }

    public init(own: Partition?, credential: Partition?) {
        self.own = own
        self.credential = credential
        common = .shared
    }

    /// For a request with a service's own credential, which must not use the shared partition.
    ///
    /// Even `public` responses to it are only for clients of that service.
    /// - Parameters:
    ///   - credential: used instead of the shared partition.
    ///   - own: the partition of all credentials of the request.
    public init(confinedTo credential: Partition, own: Partition) {
        self.own = own
        self.credential = credential
        common = credential
    }

    package init(own: Partition?, credential: Partition?, common: Partition) {
        self.own = own
        self.credential = credential
        self.common = common
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.own == right.own && left.credential == right.credential && left.common == right.common
    }

    /// How specific `partition` is to the request: 0 for its own, 2 for the common one; nil if it may not look there.
    public func rank(of partition: Partition) -> Int? {
        if partition == own { return 0 }
        if partition == credential { return 1 }
        return partition == common ? 2 : nil
    }
}
