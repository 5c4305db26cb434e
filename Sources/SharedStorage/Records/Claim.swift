/// What a load must show so that its response is stored on the shared server.
struct Claim: Sendable, Equatable {
    /// The version of the resource when the load began.
    var token: String
    /// The number of the load, in 16 hexadecimal digits: later loads have higher ones.
    var number: String
    /// Nil: no other node waits for this load.
    var lease: Lease?
}

/// The right to load a variant while others wait; it ends by itself unless it is renewed.
struct Lease: Sendable, Equatable {
    /// Its key, which is also the name of the channel on which the server announces its end.
    var key: [UInt8]
    /// Names the holder, so that nobody else ends it.
    var value: [UInt8]
}
