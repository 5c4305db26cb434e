public import HTTPCore
import Platform

extension Stream {
    /// The written bytes that the system has not accepted yet.
    public var unsentBytes: Int { output.unsentBytes }

    /// Whether the producer of bytes should pause.
    ///
    /// `streamDidDrain` is called when most are sent.
    public var isSaturated: Bool { unsentBytes >= Self.highWaterMark }

    /// `streamDidDrain` is called when no more than this many bytes are unsent.
    public var lowWaterMark: Int {
        get { output.lowWaterMark }
        set { output.lowWaterMark = newValue }
    }

    /// Whether the stream still reads the peer's bytes to their end when the peer accepts no more; else it fails at
    /// once.
    ///
    /// A server that does not want the whole request responds so.
    public var readsOnWhenWritesFail: Bool {
        get { output.readsOnWhenWritesFail }
        set { output.readsOnWhenWritesFail = newValue }
    }

    /// How many bytes the system has accepted so far.
    public var sentBytes: Int64 { output.sentBytes }

    /// Lets `build` append bytes to the output; it must not remove any.
    ///
    /// For heads and small content: they leave in one send, and are copied once.
    public func append(_ build: (inout [UInt8]) -> Void) {
        guard let buffer = bufferForWriting() else { return }
        buffer.append(build)
        didWrite(buffer)
    }

    /// Sends a copy of `bytes`.
    public func write(copying bytes: Span<UInt8>) {
        guard bytes.count > 0, let buffer = bufferForWriting() else { return }
        buffer.append { $0.append(lent: bytes) }
        didWrite(buffer)
    }

    /// Sends `chunk` without copying it, unless it is small.
    public func write(_ chunk: ByteChunk) {
        guard let buffer = bufferForWriting() else { return }
        buffer.append(chunk)
        didWrite(buffer)
    }

    /// Sends a part of a file: by `sendfile`, or over TLS through a buffer.
    public func write(_ file: FileRegion) {
        guard let buffer = bufferForWriting() else { return }
        buffer.append(file)
        didWrite(buffer)
    }

    /// Sends as many of `bytes` at once as the socket accepts, and a copy of the rest later: for tunnels.
    public func writeThrough(_ bytes: Span<UInt8>) {
        guard channel == nil, output.buffer == nil, phase == .open, output.acceptsBytes, bytes.count > 0 else {
            write(copying: bytes)
            return flush()
        }
        switch SocketCalls.send(bytes, to: descriptor) {
        case .success(let count):
            output.sentBytes += Int64(count)
            if count < bytes.count { wait(toSend: bytes.extracting(count..<bytes.count)) }
        case .failure(let error) where error.isBlocked:
            wait(toSend: bytes)
        case .failure(let error):
            output.pendingError = StreamError(error.code)
            markDirty()
        }
    }

    /// Keeps a copy of `bytes`, since the socket is full.
    private func wait(toSend bytes: Span<UInt8>) {
        write(copying: bytes)
        output.needsFlush = false
        _ = didTransmit(.blocked, sent: 0, isProgress: false)
        if output.wantsDrainNotice { markDirty() }
    }

    /// Sends the written bytes now, as far as the socket accepts them.
    ///
    /// Without this call they are sent at the end of the delegate's call or of the turn.
    public func flush() {
        guard output.needsFlush else { return }
        if let error = transmit() {
            output.pendingError = error
            markDirty()
        } else if output.wantsDrainNotice || phase != .open || output.endsWhenSent {
            markDirty()
        }
    }

    /// Requests a call of `streamDidDrain` when no more than `lowWaterMark` bytes are unsent.
    ///
    /// It never comes within this call.
    public func requestDrainNotice() {
        output.wantsDrainNotice = true
        markDirty()
    }

    /// Makes the stream fail with `.sendTimeout` if unsent bytes make no progress for this long; nil: never.
    public func setSendTimeout(_ timeout: Duration?) {
        deadlines.sendTimeout = timeout?.wholeNanoseconds ?? .max
        // A stream that was blocked without a limit gets one, too.
        let isLimited = unsentBytes > 0 || deadlines.limitsSending
        if isLimited, deadlines.restartSend(at: loop.now.nanoseconds) { deadlineDidChange() }
    }

    private func bufferForWriting() -> OutputBuffer? {
        guard phase == .open, output.acceptsBytes else { return nil }
        if let buffer = output.buffer { return buffer }
        let next = loop.buffers.takeOutput()
        output.buffer = next
        return next
    }

    private func didWrite(_ buffer: OutputBuffer) {
        output.didWrite(buffer)
        if !input.isDelivering { markDirty() }
    }

    // MARK: Sending

    /// Sends as much as the socket accepts, and acts on the result; never called within a call of the delegate.
    func sendNow() {
        if let error = transmit() { return writesDidFail(error) }
        didSend()
    }

    /// Closes because the peer accepts no more bytes, unless its own bytes are to be read first.
    func writesDidFail(_ error: StreamError) {
        guard output.readsOnWhenWritesFail, phase == .open, !input.hasEnded else { return fail(error) }
        output.pendingError = nil
        output.isShut = true
        deadlines.clearSend()
        output.recycle(into: &loop.buffers)
        watchWrites(false)
        watchReads(isReading)
        didSend()
    }

    /// Sends as much as the socket accepts, and watches for room if bytes are left.
    private func transmit() -> StreamError? {
        output.needsFlush = false
        if let channel { return transmit(through: channel) }
        guard let buffer = output.buffer else { return nil }
        let before = buffer.count
        let result = buffer.send(to: descriptor)
        let sent = before - buffer.count
        return didTransmit(result, sent: sent, isProgress: sent > 0)
    }

    /// Watches for room, and the time, as the result of sending requires.
    func didTransmit(_ result: OutputBuffer.SendResult, sent: Int, isProgress: Bool) -> StreamError? {
        output.sentBytes += Int64(sent)
        switch result {
        case .drained:
            output.recycle(into: &loop.buffers)
            if watchesWrites { watchWrites(false) }
            deadlines.clearSend()
            return nil
        case .blocked:
            if !watchesWrites { watchWrites(true) }
            if isProgress || !deadlines.limitsSending, deadlines.restartSend(at: loop.now.nanoseconds) {
                deadlineDidChange()
            }
            return nil
        case .failed(let error):
            return error
        }
    }

    /// Acts on the number of unsent bytes: closes, shuts the writing side, or notifies the delegate that the output has
    /// drained.
    func didSend() {
        if unsentBytes == 0 {
            if let channel, !mayEnd(channel) { return }
            if phase == .sending { return finishClosing() }
            if output.endsWhenSent && !output.isShut { shutWrites() }
        }
        if output.wantsDrainNotice, phase == .open, output.takeDrainNotice() { receiver?.streamDidDrain(self) }
    }
}
