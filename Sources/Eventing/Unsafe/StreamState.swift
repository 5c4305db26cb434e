/// The stored properties of a stream, apart from its logic.
///
/// They are exempt from the dynamic exclusivity checks: one thread uses them, and no access to one runs code that could
/// touch it again. With those of `LoopState` and `OutputBuffer` the checks were 45 % of the instructions of a kept-alive
/// answer (2,500 of 5,800, callgrind).
public class StreamState: IOSource {
    enum Phase: UInt8 {
        case open
        /// The handshake of TLS is under way; nobody else reads or writes.
        case securing
        /// Closes when everything is sent; the delegate is gone.
        case sending
        /// Reads and forgets for a while, so that the peer can read the last answer; the delegate is gone.
        case lingering
        case closed
    }

    @safe @exclusivity(unchecked) final var phase = Phase.open
    @safe @exclusivity(unchecked) final var heldDelegate: (any StreamDelegate)?
    @safe @exclusivity(unchecked) final var wantsReads = true
    @safe @exclusivity(unchecked) final var output: OutputBuffer?
    /// What it takes to speak TLS; nil on a plain stream.
    @safe @exclusivity(unchecked) final var security: StreamSecurity?
    /// Bytes the delegate has not consumed yet.
    @safe @exclusivity(unchecked) final var leftover: [UInt8] = []

    /// `streamDidDrain` comes when no more than this many bytes are unsent.
    @safe @exclusivity(unchecked) public final var lowWaterMark = 65536
    /// When the peer takes no more bytes, what it sent before is still read, to its end, instead of failing at once: the
    /// answer of a server that did not want the whole request.
    @safe @exclusivity(unchecked) public final var readsOnWhenWritesFail = false
    /// Bytes the peer's side has taken so far.
    @safe @exclusivity(unchecked) public internal(set) final var sentBytes: Int64 = 0

    /// Something was written since the last flush.
    @safe @exclusivity(unchecked) final var needsFlush = false
    @safe @exclusivity(unchecked) final var wantsDrainNotice = false
    @safe @exclusivity(unchecked) final var shutsDownWhenSent = false
    @safe @exclusivity(unchecked) final var isWriteShut = false
    @safe @exclusivity(unchecked) final var hasReachedEnd = false
    /// The delegate is being lent bytes; a flush follows anyway.
    @safe @exclusivity(unchecked) final var isDelivering = false
    @safe @exclusivity(unchecked) final var wantsRedelivery = false
    /// On the loop's list for the end of the turn.
    @safe @exclusivity(unchecked) final var isDirty = false
    /// Found while the delegate was calling; told at the end of the turn.
    @safe @exclusivity(unchecked) final var pendingError: StreamError?

    // Deadlines, in nanoseconds of the loop's clock; `.max`: none.
    @safe @exclusivity(unchecked) final var readDeadline = Int64.max
    @safe @exclusivity(unchecked) final var sendDeadline = Int64.max
    @safe @exclusivity(unchecked) final var sendTimeout = Int64.max
    @safe @exclusivity(unchecked) final var wheelNode: Int32 = -1
    /// Bytes a lingering close still reads.
    @safe @exclusivity(unchecked) final var lingerBudget = 0
}
