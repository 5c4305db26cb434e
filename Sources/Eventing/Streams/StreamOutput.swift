/// The writing half of a stream: its unsent bytes, and what happens once they are sent.
struct StreamOutput {
    /// The unsent bytes; nil while there are none.
    var buffer: OutputBuffer?
    /// `streamDidDrain` is called when no more than this many bytes are unsent.
    var lowWaterMark = 65536
    /// Whether the peer's bytes are read to their end when it accepts no more, instead of failing at once.
    var readsOnWhenWritesFail = false
    /// How many bytes the system has accepted so far.
    var sentBytes: Int64 = 0
    /// Whether something was written since the last flush.
    var needsFlush = false
    var wantsDrainNotice = false
    /// Whether the peer gets the end of our bytes once all are sent.
    var endsWhenSent = false
    /// Whether no more bytes can be sent.
    var isShut = false
    /// A failure found during a call of the delegate; reported at the end of the turn.
    var pendingError: StreamError?

    var unsentBytes: Int { buffer?.count ?? 0 }

    /// Whether bytes may still be written.
    var acceptsBytes: Bool { !isShut && !endsWhenSent && pendingError == nil }

    mutating func didWrite(_ buffer: OutputBuffer) {
        if !wantsDrainNotice && buffer.count >= Stream.highWaterMark { wantsDrainNotice = true }
        needsFlush = true
    }

    /// Returns whether to call `streamDidDrain`, at most once per request.
    mutating func takeDrainNotice() -> Bool {
        guard wantsDrainNotice, unsentBytes <= lowWaterMark else { return false }
        wantsDrainNotice = false
        return true
    }

    /// Returns an empty buffer to the loop, for another stream.
    mutating func recycle(into buffers: inout LoopBuffers) {
        guard let spare = buffer.take(), spare.reset() else { return }
        buffers.addSpare(spare)
    }
}
