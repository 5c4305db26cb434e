public import HTTPCore
import Platform

extension Stream {
    /// The bytes written and not yet taken by the system.
    public var unsentBytes: Int { output?.count ?? 0 }

    /// Whether whoever produces bytes should stop; `streamDidDrain` comes when they are mostly sent.
    public var isSaturated: Bool { unsentBytes >= Self.highWaterMark }

    /// Lets `build` append bytes to what is to be sent; it may not take any away.
    ///
    /// For heads and small content: they leave in one send, copied once.
    public func append(_ build: (inout [UInt8]) -> Void) {
        guard let output = outputForWriting() else { return }
        output.append(build)
        didWrite(output)
    }

    /// Sends a copy of `bytes`.
    public func write(copying bytes: Span<UInt8>) {
        guard bytes.count > 0, let output = outputForWriting() else { return }
        output.append { $0.append(lent: bytes) }
        didWrite(output)
    }

    /// Sends `bytes` at once as far as the socket takes them, and a copy of the rest when it can: for what passes through.
    public func pass(_ bytes: Span<UInt8>) {
        guard security == nil, output == nil, phase == .open, !isWriteShut, !shutsDownWhenSent, pendingError == nil,
            bytes.count > 0
        else {
            write(copying: bytes)
            return flush()
        }
        switch SocketCalls.send(bytes, to: descriptor) {
        case .success(let count):
            sentBytes += Int64(count)
            if count < bytes.count { wait(toSend: bytes.extracting(count..<bytes.count)) }
        case .failure(let error) where error.isBlocked:
            wait(toSend: bytes)
        case .failure(let error):
            pendingError = StreamError(error.code)
            markDirty()
        }
    }

    /// The socket is full.
    private func wait(toSend bytes: Span<UInt8>) {
        write(copying: bytes)
        needsFlush = false
        _ = note(.blocked, sent: 0, isProgress: false)
        if wantsDrainNotice { markDirty() }
    }

    /// Sends `chunk` without copying it, unless it is small.
    public func write(_ chunk: ByteChunk) {
        guard let output = outputForWriting() else { return }
        output.append(chunk)
        didWrite(output)
    }

    /// Sends a part of a file: by `sendfile`, over TLS by way of a buffer.
    public func write(_ file: FileRegion) {
        guard let output = outputForWriting() else { return }
        output.append(file)
        didWrite(output)
    }

    /// Sends now what was written, as far as the socket takes it.
    ///
    /// Without it that happens soon anyway.
    public func flush() {
        guard needsFlush else { return }
        if let error = transmit() {
            pendingError = error
            markDirty()
        } else if wantsDrainNotice || phase != .open || shutsDownWhenSent {
            markDirty()
        }
    }

    /// Asks for `streamDidDrain` when no more than `lowWaterMark` bytes are unsent; never called within this call.
    public func requestDrainNotice() {
        wantsDrainNotice = true
        markDirty()
    }

    /// Fails the stream with `.sendTimeout` if unsent bytes make no progress for this long; nil: waits for ever.
    public func setSendTimeout(_ timeout: Duration?) {
        sendTimeout = timeout?.wholeNanoseconds ?? .max
        if sendDeadline != .max { restartSendDeadline() }
    }

    private func outputForWriting() -> OutputBuffer? {
        guard phase == .open, !isWriteShut, !shutsDownWhenSent, pendingError == nil else { return nil }
        if let output { return output }
        let next = loop.state.spareOutput.take() ?? loop.state.spareOutputs.popLast() ?? OutputBuffer()
        output = next
        return next
    }

    private func didWrite(_ output: OutputBuffer) {
        if !wantsDrainNotice && output.count >= Self.highWaterMark { wantsDrainNotice = true }
        needsFlush = true
        if !isDelivering { markDirty() }
    }

    /// Sends, and acts on what came of it.
    ///
    /// Not from within a call of the delegate.
    func flushAndSettle() {
        if let error = transmit() { return writesDidFail(error) }
        settle()
    }

    /// The peer takes no more: the end, unless what it sent is to be read first.
    func writesDidFail(_ error: StreamError) {
        guard readsOnWhenWritesFail, phase == .open, !hasReachedEnd else { return fail(error) }
        pendingError = nil
        isWriteShut = true
        sendDeadline = .max
        recycleOutput()
        watchWrites(false)
        watchReads(isReading)
        settle()
    }

    /// Sends as much as the socket takes, and watches for room if something is left.
    private func transmit() -> StreamError? {
        needsFlush = false
        if let security { return transmitSecurely(security) }
        guard let output else { return nil }
        let before = output.count
        let outcome = output.send(to: descriptor)
        let sent = before - output.count
        return note(outcome, sent: sent, isProgress: sent > 0)
    }

    /// Acts on what came of sending.
    func note(_ outcome: OutputBuffer.SendOutcome, sent: Int, isProgress: Bool) -> StreamError? {
        sentBytes += Int64(sent)
        switch outcome {
        case .drained:
            recycleOutput()
            if watchesWrites { watchWrites(false) }
            sendDeadline = .max
            return nil
        case .blocked:
            if !watchesWrites { watchWrites(true) }
            if isProgress || sendDeadline == .max { restartSendDeadline() }
            return nil
        case .failed(let error):
            return error
        }
    }

    /// What follows from how much is unsent now: a notice, a shutdown, the close.
    func settle() {
        let unsent = unsentBytes
        if unsent == 0 {
            if let security, !mayEnd(security) { return }
            if phase == .sending { return finishClosing() }
            if shutsDownWhenSent && !isWriteShut { shutWrites() }
        }
        if wantsDrainNotice && unsent <= lowWaterMark && phase == .open {
            wantsDrainNotice = false
            heldDelegate?.streamDidDrain(self)
        }
    }

    func recycleOutput() {
        guard let spare = output.take(), spare.reset() else { return }
        // Without a name for the loop's state: that would retain it.
        if !loop.state.hasSpareOutput {
            loop.state.spareOutput = spare
        } else if loop.state.spareOutputs.count < 64 {
            loop.state.spareOutputs.append(spare)
        }
    }

    private func restartSendDeadline() {
        guard sendTimeout != .max else {
            sendDeadline = .max
            return
        }
        sendDeadline = (loop.now + .nanoseconds(sendTimeout)).nanoseconds
        deadlineDidChange()
    }
}
