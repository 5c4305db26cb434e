public import HTTPCore
import TransportSecurity

extension Stream {
    /// Tells the peer, once everything written is sent, that no more comes; reading goes on.
    public func closeWrite() {
        guard phase == .open, !shutsDownWhenSent else { return }
        shutsDownWhenSent = true
        guard unsentBytes == 0 else { return }
        // Over TLS something has yet to be said.
        if security == nil { shutWrites() } else { markDirty() }
    }

    /// Closes now; what is unsent is dropped.
    ///
    /// The delegate hears nothing more.
    public func close() {
        if let security { sayGoodbye(security) }
        finishClosing()
    }

    /// Closes when everything written is sent; the delegate hears nothing more.
    public func closeAfterSending() {
        guard phase == .open else { return }
        leave(for: .sending)
        watchReads(false)
        markDirty()
    }

    /// Sends what is written, tells the peer that no more comes, and reads and forgets until the peer closes too, at most
    /// `bytes` and for `time`: then the peer can read the last answer although it was still sending (RFC 9112 §9.6).
    public func lingeringClose(bytes: Int = 262_144, time: Duration = .seconds(2)) {
        guard phase == .open else { return }
        if hasReachedEnd { return closeAfterSending() }
        leave(for: .lingering)
        lingerBudget = bytes
        shutsDownWhenSent = true
        readDeadline = (loop.now + time).nanoseconds
        deadlineDidChange()
        watchReads(true)
        markDirty()
    }

    /// Closes now with a reset, so that the peer cannot take what it has for the whole.
    public func abort() {
        if descriptor >= 0 { SocketCalls.setResetOnClose(descriptor) }
        finishClosing()
    }

    private func leave(for next: Phase) {
        phase = next
        heldDelegate = nil
        leftover = []
        readDeadline = .max
        // Nobody else ends a close that waits for a peer that does not read.
        if sendTimeout == .max { setSendTimeout(.seconds(30)) }
    }

    func shutWrites() {
        isWriteShut = true
        SocketCalls.shutdownWrites(descriptor)
    }

    func readAndForget() {
        switch loop.readBuffer.receive(from: descriptor, at: 0) {
        case .bytes(let count):
            lingerBudget -= count
            if lingerBudget <= 0 { finishClosing() }
        case .end:
            hasReachedEnd = true
            watchReads(false)
            phase = .sending
            markDirty()
        case .wouldBlock: break
        case .failed, .insecure: finishClosing()
        }
    }

    /// Closes and tells the delegate why.
    func fail(_ error: StreamError) {
        let told = phase == .open ? heldDelegate : nil
        switch error {
        case .sendTimeout, .fileTruncated, .leftoverLimit: SocketCalls.setResetOnClose(descriptor)
        case .reset, .system, .security: break
        }
        let waiting = security?.completion
        let descriptor = descriptor
        finishClosing(closesDescriptor: false)
        waiting?(.failure(error))
        told?.stream(self, didFail: error)
        // A peer that sees the end, and comes again to another loop, finds done what follows from it.
        if descriptor >= 0 { SocketCalls.close(descriptor) }
    }

    /// - Parameter closesDescriptor: false: the caller does.
    func finishClosing(closesDescriptor: Bool = true) {
        guard phase != .closed else { return }
        phase = .closed
        if wheelNode >= 0 {
            loop.state.wheel.remove(wheelNode)
            wheelNode = -1
        }
        recycleOutput()
        leftover = []
        security?.completion = nil
        release(closing: closesDescriptor)
        heldDelegate = nil
    }
}

extension Stream: DeadlineOwner {
    /// Calls `streamDidReachDeadline` once, up to 100 ms after `time`; to set it later again costs one store.
    public func setReadDeadline(at time: MonotonicTime) {
        guard phase == .open else { return }
        let isLater = time.nanoseconds >= readDeadline
        readDeadline = time.nanoseconds
        if !isLater { deadlineDidChange() }
    }

    /// Calls `streamDidReachDeadline` once when `delay` has passed.
    public func setReadDeadline(after delay: Duration) { setReadDeadline(at: loop.now + delay) }

    /// The same without the arithmetic of `Duration`, for time-outs set with every request.
    public func setReadDeadline(afterNanoseconds delay: Int64) {
        let (time, overflow) = loop.now.nanoseconds.addingReportingOverflow(delay)
        setReadDeadline(at: MonotonicTime(nanoseconds: overflow ? .max : time))
    }

    public func clearReadDeadline() {
        if phase == .open { readDeadline = .max }
    }

    var wheelDeadline: Int64 { min(readDeadline, sendDeadline) }

    /// Has the wheel look at this stream in time.
    func deadlineDidChange() {
        if wheelNode >= 0 { loop.state.wheel.lower(wheelNode) } else { wheelNode = loop.state.wheel.insert(self) }
    }

    func deadlineDidPass(now: Int64) {
        if sendDeadline <= now {
            sendDeadline = .max
            return fail(.sendTimeout)
        }
        readDeadline = .max
        switch phase {
        case .open: heldDelegate?.streamDidReachDeadline(self)
        case .securing: fail(.security(TLSError(.timeout)))
        case .sending, .lingering, .closed: finishClosing()
        }
    }
}
