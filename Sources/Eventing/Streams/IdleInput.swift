import TransportSecurity

/// What a stream has received that should be quiet.
public enum IdleInput: Equatable, Sendable {
    /// Nothing.
    case none
    /// Unexpected bytes; the first few of them.
    case bytes([UInt8])
    /// The end, an error, or the beginning of a TLS record: the rest is unknown.
    case ended

    /// How many unexpected bytes are reported.
    static let reported = 16
    /// After this many rounds of TLS's own messages, such as tickets, the stream is given up.
    static let roundLimit = 16
}

extension Stream {
    /// Reads until nothing is left to read.
    ///
    /// For a stream that has been idle and is about to be written to. A quiet stream costs one system call. TLS's own
    /// messages are handled. Bytes of content are lost: the caller wants a quiet stream.
    public func readIdleInput() -> IdleInput {
        // Bytes that are being lent at the moment belong to the delegate.
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

    /// Reads once; `.none` means a message of TLS itself.
    private func readIdleInput(through channel: SecureChannel) -> IdleInput {
        // The loop's own buffers may be lent at the moment.
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
