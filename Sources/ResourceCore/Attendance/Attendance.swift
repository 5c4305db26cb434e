import Synchronization

/// One request waiting for, or following, what a Resource loads.
public final class Attendance: Sendable {
    let request: ClientRequest
    let attendant: any Attendant
    let resource: Resource
    /// The load it belongs to; 0 while it waits for the store.
    ///
    /// Written under the resource's lock.
    private let number = Atomic<UInt64>(0)
    private let cancelled = Atomic<Bool>(false)
    /// How often it was sent from one load to another.
    private let moves = Atomic<Int>(0)

    init(request: ClientRequest, attendant: any Attendant, resource: Resource) {
        self.request = request
        self.attendant = attendant
        self.resource = resource
    }

    /// The client left, or needs no more of a response it follows: the load loses its interest.
    ///
    /// Needless once a followed body was read to its end. Harmless when repeated; from any thread.
    public func cancel() {
        guard !cancelled.exchange(true, ordering: .relaxed) else { return }
        resource.cancel(self)
    }

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    var loadNumber: UInt64 {
        get { number.load(ordering: .relaxed) }
        set { number.store(newValue, ordering: .relaxed) }
    }

    /// Counts a move; false if there were too many, so that no origin keeps a request going round.
    func mayMove() -> Bool { moves.add(1, ordering: .relaxed).newValue <= 3 }
}
