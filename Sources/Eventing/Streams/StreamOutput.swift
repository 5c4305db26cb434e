/// The writing half of a stream: what is unsent, and what happens once it is sent.
struct StreamOutput {
    /// Holds the unsent bytes; nil while there are none.
    var buffer: OutputBuffer?
    /// The delegate's `streamDidDrain` is called when no more than this many bytes are unsent.
    var lowWaterMark = 65536
    /// When the peer takes no more bytes, what it sent before is read to its end, instead of failing at once.
    var readsOnWhenWritesFail = false
    /// Bytes the system has taken for the peer so far.
    var sentBytes: Int64 = 0
    /// Something was written since the last flush.
    var needsFlush = false
    var wantsDrainNotice = false
    /// The peer is to see the end of our bytes once all are sent.
    var endsWhenSent = false
    /// No more bytes can be sent.
    var isShut = false
    /// A failure found while the delegate was calling; reported at the end of the turn.
    var pendingError: StreamError?

    var unsentBytes: Int { buffer?.count ?? 0 }

    /// Whether bytes may still be written.
    var acceptsBytes: Bool { !isShut && !endsWhenSent && pendingError == nil }

    mutating func didWrite(_ buffer: OutputBuffer) {
        if !wantsDrainNotice && buffer.count >= Stream.highWaterMark { wantsDrainNotice = true }
        needsFlush = true
    }

    /// Returns whether the delegate is to be told that the output has drained, at most once per request.
    mutating func takeDrainNotice() -> Bool {
        guard wantsDrainNotice, unsentBytes <= lowWaterMark else { return false }
        wantsDrainNotice = false
        return true
    }

    /// Gives the buffer to the loop for another stream, if it is empty.
    mutating func recycle(into buffers: inout LoopBuffers) {
        guard let spare = buffer.take(), spare.reset() else { return }
        buffers.giveBack(spare)
    }
}
