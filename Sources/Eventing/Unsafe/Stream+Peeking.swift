import Glibc
import TransportSecurity

/// What a stream that should be quiet turns out to be.
public enum IdleInput: Equatable, Sendable {
    /// Nothing waits to be read.
    case none
    /// Bytes that nobody asked for; the first few of them.
    case bytes([UInt8])
    /// The end, an error, or the beginning of a record of TLS: nothing can be said of what follows.
    case ended
}

extension Stream {
    /// How many bytes of what nobody asked for are told.
    private static let beginning = 16
    /// Rounds of TLS's own business, such as tickets, before a stream that brings nothing else is given up.
    private static let roundLimit = 16

    /// Reads until nothing is left to read, for a stream that has been idle and is about to be written to; one system call
    /// where it is quiet.
    ///
    /// What TLS itself has to say is dealt with. Bytes of content are lost: whoever asks wants a quiet stream.
    public func readIdleInput() -> IdleInput {
        // What is being lent just now is the delegate's.
        if !isDelivering, !leftover.isEmpty { return .bytes(Array(leftover.prefix(Self.beginning))) }
        if hasReachedEnd { return .ended }
        for _ in 0..<Self.roundLimit {
            var byte: UInt8 = 0
            let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
            if count < 0, errno == EAGAIN { return security?.engine.hasPartialRecord == true ? .ended : .none }
            guard count > 0 else { return .ended }
            guard let security else { return readBeginning() }
            let found = readSecureInput(security)
            if found != .none { return found }
        }
        return .ended
    }

    private func readBeginning() -> IdleInput {
        var bytes = [UInt8](repeating: 0, count: Self.beginning)
        let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count > 0 ? .bytes(Array(bytes.prefix(count))) : .ended
    }

    /// Reads once; `.none`: that was the protocol's own business.
    private func readSecureInput(_ security: StreamSecurity) -> IdleInput {
        // The loop's own buffers may be lent just now.
        let buffer = ReadBuffer()
        switch receiveSecurely(security, into: buffer, at: 0) {
        case .bytes(let count): return .bytes(buffer.copy(0..<min(count, Self.beginning)))
        case .end, .failed, .insecure: return .ended
        case .wouldBlock:
            if needsFlush { markDirty() }
            return .none
        }
    }
}
