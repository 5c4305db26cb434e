import Glibc
public import TransportSecurity

/// One end of TLS over a blocking socket, for the servers of tests.
///
/// `@unchecked Sendable`: one thread at a time uses it.
public final class BlockingTLS: @unchecked Sendable {
    public let engine: TLSEngine
    private let descriptor: Int32

    /// - Parameter descriptor: stays the caller's.
    public init(_ engine: TLSEngine, over descriptor: Int32) {
        self.engine = engine
        self.descriptor = descriptor
    }

    /// The next octets of content, after the handshake if need be; none at the end, or if TLS fails.
    public func receive() -> [UInt8] {
        var room = [UInt8](repeating: 0, count: 16_384 + TLSEngine.slack)
        while engine.ending == nil {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            let received = recv(descriptor, &buffer, buffer.count, 0)
            guard received > 0 else {
                engine.inputDidEnd()
                break
            }
            var span = room.mutableSpan
            let count = engine.process(buffer.span.extracting(0..<received), into: &span)
            flush()
            if count > 0 { return Array(room[..<count]) }
        }
        return []
    }

    /// False if the peer takes no more.
    @discardableResult
    public func send(_ octets: [UInt8]) -> Bool {
        engine.write(octets.span)
        return flush()
    }

    /// Says that nothing more comes.
    public func close() {
        engine.close()
        flush()
    }

    @discardableResult
    private func flush() -> Bool {
        while engine.unsentBytes > 0 {
            var isBroken = false
            engine.sendOutput { octets in
                let count = octets.withUnsafeBufferPointer {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                isBroken = count <= 0
                return count
            }
            if isBroken { return false }
        }
        return true
    }
}
