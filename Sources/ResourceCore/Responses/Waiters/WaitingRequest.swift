/// A client's request that waits.
struct WaitingRequest: Sendable {
    /// Receives the result; the record reads only its request.
    let waiter: Waiter
    /// How often it moved from one load to another.
    var moves = 0

    /// After so many moves it gets a load of its own: no origin keeps a request going round.
    static let moveLimit = 3

    var id: WaiterID { ObjectIdentifier(waiter) }
    var request: ClientRequest { waiter.request }
}

/// Identifies a waiter.
typealias WaiterID = ObjectIdentifier
