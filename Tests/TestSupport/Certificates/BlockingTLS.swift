import Glibc
public import TransportSecurity

/// One end of TLS over a blocking socket, for the servers of tests.
///
/// `@unchecked Sendable`: one thread at a time uses it.
public final class BlockingTLS: @unchecked Sendable {
    public let engine: TLSEngine
    private let descriptor: Int32
    /// Content that came with the end of the handshake.
    private var early: [UInt8] = []

    /// - Parameter descriptor: stays the caller's.
    public init(_ engine: TLSEngine, over descriptor: Int32) {
        self.engine = engine
        self.descriptor = descriptor
    }

    /// Goes through the handshake, a client's from its first bytes on; false if it fails.
    ///
    /// - Parameters:
    ///   - size: bytes of the first flight sent at once.
    ///   - received: bytes of the peer that have been read from the socket.
    @discardableResult
    public func shakeHands(inPiecesOf size: Int = .max, received: [UInt8] = []) -> Bool {
        if !engine.isServer { engine.begin() }
        flush(size)
        if !received.isEmpty { early += process(received.span) }
        while !engine.isEstablished, engine.ending == nil { early += receiveSome() }
        return engine.isEstablished && engine.ending == nil
    }

    /// The next bytes of content, after the handshake if need be; none at the end, or if TLS fails.
    public func receive() -> [UInt8] {
        if !early.isEmpty {
            defer { early = [] }
            return early
        }
        while engine.ending == nil {
            let bytes = receiveSome()
            if !bytes.isEmpty { return bytes }
        }
        return []
    }

    /// What one call of `recv` brings, decrypted.
    private func receiveSome() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let received = recv(descriptor, &buffer, buffer.count, 0)
        guard received > 0 else {
            engine.inputDidEnd()
            return []
        }
        return process(buffer.span.extracting(0..<received))
    }

    /// Bytes of the peer, decrypted.
    private func process(_ bytes: Span<UInt8>) -> [UInt8] {
        var room = [UInt8](repeating: 0, count: bytes.count + engine.slack)
        var span = room.mutableSpan
        let count = engine.process(bytes, into: &span)
        flush()
        return Array(room[..<count])
    }

    /// False if the peer takes no more.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        engine.write(bytes.span)
        return flush()
    }

    /// Says that nothing more comes.
    public func close() {
        engine.close()
        flush()
    }

    @discardableResult
    private func flush(_ size: Int = .max) -> Bool {
        while engine.unsentBytes > 0 {
            var isBroken = false
            engine.sendOutput { bytes in
                let count = bytes.withUnsafeBufferPointer {
                    Glibc.send(descriptor, $0.baseAddress, min($0.count, size), Int32(MSG_NOSIGNAL))
                }
                isBroken = count <= 0
                return count
            }
            if isBroken { return false }
        }
        return true
    }
}
