import Glibc

/// A client on loopback that sends and receives plain bytes; each call blocks for a minute at most.
public final class RawClient: Sendable {
    public typealias Received = TestSocket.Received

    private let socket: TestSocket

    public var descriptor: Int32 { socket.descriptor }

    public init(port: UInt16, receiveBuffer: Int32? = nil) {
        do {
            socket = try TestSocket(port: port, receiveBuffer: receiveBuffer)
        } catch {
            preconditionFailure("\(error)")
        }
        socket.setTimeout(seconds: 60)
    }

    /// Sends all bytes; false if the connection broke.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool { (try? socket.send(bytes)) != nil }

    @discardableResult
    public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Whether there is something to receive now.
    public var hasReceived: Bool { socket.hasReceived }

    /// The result of one read.
    public func receiveSome(_ maximum: Int = 65_536) -> Received { socket.receiveSome(maximum) }

    /// Everything up to the end of the connection, and how it ended.
    public func receiveAll() -> (text: String, end: Received) {
        let (bytes, end) = receiveAllBytes()
        return (String(decoding: bytes, as: UTF8.self), end)
    }

    /// Everything up to the end of the connection, and how it ended.
    public func receiveAllBytes() -> (bytes: [UInt8], end: Received) {
        var all: [UInt8] = []
        while true {
            let next = receiveSome()
            guard case .bytes(let bytes) = next else { return (all, next) }
            all += bytes
        }
    }

    /// Receives until `condition` is true for all bytes together, or the connection ends.
    public func receive(until condition: (String) -> Bool) -> String {
        var all: [UInt8] = []
        while true {
            guard case .bytes(let bytes) = receiveSome() else { return String(decoding: all, as: UTF8.self) }
            all += bytes
            let text = String(decoding: all, as: UTF8.self)
            if condition(text) { return text }
        }
    }

    public func receive(until suffix: String) -> String { receive { $0.hasSuffix(suffix) } }

    /// Makes the connection end with a reset when this object goes.
    public func resetOnClose() { socket.resetWhenClosed() }

    public func shutdownWrite() { socket.finishSending() }
}

extension String {
    /// The text after the first empty line.
    public var content: String {
        guard let range = byteRange(of: "\r\n\r\n") else { return "" }
        return String(self[range.upperBound...])
    }

    /// How often `part` occurs.
    public func count(of part: String) -> Int {
        var count = 0
        var rest = self
        while let range = rest.byteRange(of: part) {
            count += 1
            rest = String(rest[range.upperBound...])
        }
        return count
    }

    /// Where `part` occurs first, by bytes: CRLF is one character, which may hide a LF.
    private func byteRange(of part: String) -> Range<String.Index>? {
        let bytes = Array(utf8)
        let wanted = Array(part.utf8)
        guard bytes.count >= wanted.count else { return nil }
        for start in 0...(bytes.count - wanted.count) where bytes[start...].starts(with: wanted) {
            let lower = utf8.index(utf8.startIndex, offsetBy: start)
            return lower..<utf8.index(lower, offsetBy: wanted.count)
        }
        return nil
    }
}
