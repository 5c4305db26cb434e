import TransportSecurity

/// What a stream that should be quiet turns out to have received.
public enum IdleInput: Equatable, Sendable {
    /// Nothing waits to be read.
    case none
    /// Unexpected bytes; the first few of them.
    case bytes([UInt8])
    /// The end, an error, or the beginning of a TLS record: what follows cannot be known.
    case ended

    /// How many unexpected bytes are reported.
    static let reported = 16
    /// Rounds of TLS's own messages, such as tickets, before a stream that brings nothing else is given up.
    static let roundLimit = 16
}

extension Stream {
    /// Reads until nothing is left to read, for a stream that has been idle and is about to be written to.
    ///
    /// One system call where the stream is quiet. TLS's own messages are handled. Bytes of content are lost: the caller
    /// wants a quiet stream.
    public func readIdleInput() -> IdleInput {
        // Bytes that are being lent just now belong to the delegate.
        if !input.isDelivering, !input.unread.isEmpty { return .bytes(Array(input.unread.prefix(IdleInput.reported))) }
        if input.hasEnded { return .ended }
        for _ in 0..<IdleInput.roundLimit {
            switch SocketCalls.peek(descriptor) {
            case .nothing: return channel?.engine.hasPartialRecord == true ? .ended : .none
            case .ended: return .ended
            case .bytes: break
            }
            guard let channel else {
                let bytes = SocketCalls.receive(upTo: IdleInput.reported, from: descriptor)
                return bytes.isEmpty ? .ended : .bytes(bytes)
            }
            let found = readIdleInput(through: channel)
            if found != .none { return found }
        }
        return .ended
    }

    /// Reads once; `.none`: a message of TLS itself.
    private func readIdleInput(through channel: SecureChannel) -> IdleInput {
        // The loop's own buffers may be lent just now.
        let buffer = ReadBuffer()
        switch receive(through: channel, into: buffer, at: 0) {
        case .bytes(let count): return .bytes(buffer.copy(0..<min(count, IdleInput.reported)))
        case .end, .failed, .insecure: return .ended
        case .wouldBlock:
            if output.needsFlush { markDirty() }
            return .none
        }
    }
}
