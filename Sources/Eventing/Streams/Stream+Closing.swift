public import HTTPCore
import TransportSecurity

extension Stream {
    /// Ends the writing side once all written bytes are sent; reading continues.
    public func closeWrite() {
        guard phase == .open, !output.endsWhenSent else { return }
        output.endsWhenSent = true
        guard unsentBytes == 0 else { return }
        // TLS has to send close_notify first.
        if channel == nil { shutWrites() } else { markDirty() }
    }

    /// Closes now and drops unsent bytes.
    ///
    /// The delegate gets no further call.
    public func close() {
        if let channel { sendCloseNotify(channel) }
        finishClosing()
    }

    /// Closes once all written bytes are sent; the delegate gets no further call.
    public func closeAfterSending() {
        guard phase == .open else { return }
        leave(for: .sending)
        watchReads(false)
        markDirty()
    }

    /// Sends the written bytes, ends the writing side, and drops bytes from the peer until it closes, too.
    ///
    /// So the peer can read the last response although it was still sending (RFC 9112 §9.6).
    ///
    /// - Parameters:
    ///   - bytes: the most that is read.
    ///   - time: the longest that this takes.
    public func lingeringClose(bytes: Int = 262_144, time: Duration = .seconds(2)) {
        guard phase == .open else { return }
        if input.hasEnded { return closeAfterSending() }
        leave(for: .lingering)
        lingerBudget = bytes
        output.endsWhenSent = true
        deadlines.read = (loop.now + time).nanoseconds
        deadlineDidChange()
        watchReads(true)
        markDirty()
    }

    /// Closes now with a reset, so that the peer cannot take the received bytes for a complete message.
    public func abort() {
        if descriptor >= 0 { SocketCalls.setResetOnClose(descriptor) }
        finishClosing()
    }

    private func leave(for next: Phase) {
        phase = next
        receiver = nil
        input.unread = []
        deadlines.read = .max
        // Nothing else would end the close if the peer does not read.
        if deadlines.sendTimeout == .max { setSendTimeout(.seconds(30)) }
    }

    func shutWrites() {
        output.isShut = true
        SocketCalls.shutdownWrites(descriptor)
    }

    func readAndDrop() {
        switch loop.buffers.input.receive(from: descriptor, at: 0) {
        case .bytes(let count):
            lingerBudget -= count
            if lingerBudget <= 0 { finishClosing() }
        case .end:
            input.hasEnded = true
            watchReads(false)
            phase = .sending
            markDirty()
        case .wouldBlock: break
        case .failed, .insecure: finishClosing()
        }
    }

    /// Closes, then reports `error` to the delegate, or to the handshake's completion.
    func fail(_ error: StreamError) {
        let delegate = phase == .open ? receiver : nil
        switch error {
        case .sendTimeout, .fileTruncated, .unreadLimit: SocketCalls.setResetOnClose(descriptor)
        case .reset, .system, .security: break
        }
        let completion = channel?.completion
        let descriptor = descriptor
        finishClosing(closesDescriptor: false)
        completion?(.failure(error))
        delegate?.stream(self, didFail: error)
        // The peer sees the end only now: whatever the delegate does about it is done before the peer can connect
        // again.
        if descriptor >= 0 { SocketCalls.close(descriptor) }
    }

    /// - Parameter closesDescriptor: false: the caller closes it.
    func finishClosing(closesDescriptor: Bool = true) {
        guard phase != .closed else { return }
        phase = .closed
        if deadlines.node >= 0 {
            loop.wheel.remove(deadlines.node)
            deadlines.node = -1
        }
        output.recycle(into: &loop.buffers)
        input.unread = []
        channel?.completion = nil
        release(closing: closesDescriptor)
        receiver = nil
    }
}

extension Stream: DeadlineOwner {
    /// Calls `streamDidReachDeadline` once, up to 100 ms after `time`; setting it to later costs one store.
    public func setReadDeadline(at time: MonotonicTime) {
        guard phase == .open else { return }
        let isLater = time.nanoseconds >= deadlines.read
        deadlines.read = time.nanoseconds
        if !isLater { deadlineDidChange() }
    }

    /// Calls `streamDidReachDeadline` once when `delay` has passed.
    public func setReadDeadline(after delay: Duration) { setReadDeadline(at: loop.now + delay) }

    /// Does the same without the arithmetic of `Duration`, for time-outs set with every request.
    public func setReadDeadline(afterNanoseconds delay: Int64) {
        let (time, overflow) = loop.now.nanoseconds.addingReportingOverflow(delay)
        setReadDeadline(at: MonotonicTime(nanoseconds: overflow ? .max : time))
    }

    public func clearReadDeadline() {
        if phase == .open { deadlines.read = .max }
    }

    var wheelDeadline: Int64 { deadlines.earliest }

    /// Makes the wheel look at this stream in time.
    func deadlineDidChange() {
        if deadlines.node >= 0 { loop.wheel.lower(deadlines.node) } else { deadlines.node = loop.wheel.insert(self) }
    }

    func deadlineDidPass(now: Int64) {
        if deadlines.send <= now {
            deadlines.clearSend()
            return fail(.sendTimeout)
        }
        deadlines.read = .max
        switch phase {
        case .open: receiver?.streamDidReachDeadline(self)
        case .securing: fail(.security(TLSError(.timeout)))
        case .sending, .lingering, .closed: finishClosing()
        }
    }
}
