/// The reading half of a stream: what it knows about bytes from the peer.
struct StreamInput {
    /// Whether the owner wants bytes; while false the peer is held back by TCP.
    var isWanted = true
    /// Bytes that the delegate has not consumed yet.
    var unread: [UInt8] = []
    /// The peer has sent its last byte.
    var hasEnded = false
    /// The delegate is being lent bytes; the stream flushes when that call returns.
    var isDelivering = false
    /// The unread bytes are to be lent once more at the end of the turn.
    var wantsRedelivery = false

    /// Takes the unread bytes out.
    mutating func takeUnread() -> [UInt8] {
        var bytes: [UInt8] = []
        swap(&bytes, &unread)
        return bytes
    }
}
