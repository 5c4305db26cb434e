import Glibc

/// A client that sends and receives bytes as they are, blocking, for at most a minute a call.
final class RawClient: Sendable {
    let descriptor: Int32

    init(port: UInt16, receiveBuffer: Int32? = nil) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(result == 0, "cannot connect")
    }

    deinit { close(descriptor) }

    /// Sends all bytes; false if the connection broke.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    enum Received: Equatable { case bytes([UInt8]), end, reset, timeout }

    /// What one call of `recv` brings.
    func receiveSome(_ maximum: Int = 65536) -> Received {
        var buffer = [UInt8](repeating: 0, count: maximum)
        let count = recv(descriptor, &buffer, maximum, 0)
        if count > 0 { return .bytes(Array(buffer[..<count])) }
        if count == 0 { return .end }
        return errno == ECONNRESET ? .reset : .timeout
    }

    /// Everything to the end of the connection, and how it ended.
    func receiveAll() -> (text: String, end: Received) {
        var all: [UInt8] = []
        while true {
            let next = receiveSome()
            guard case .bytes(let bytes) = next else { return (String(decoding: all, as: UTF8.self), next) }
            all += bytes
        }
    }

    /// Bytes until `condition` holds for all of them together, or the connection ends.
    func receive(until condition: (String) -> Bool) -> String {
        var all: [UInt8] = []
        while true {
            guard case .bytes(let bytes) = receiveSome() else { return String(decoding: all, as: UTF8.self) }
            all += bytes
            let text = String(decoding: all, as: UTF8.self)
            if condition(text) { return text }
        }
    }

    func receive(until suffix: String) -> String { receive { $0.hasSuffix(suffix) } }

    func shutdownWrite() { shutdown(descriptor, Int32(SHUT_WR)) }
}

extension String {
    /// What is behind the first empty line.
    var content: String {
        guard let range = firstRange(of: "\r\n\r\n") else { return "" }
        return String(self[range.upperBound...])
    }

    private func firstRange(of part: String) -> Range<String.Index>? {
        let bytes = Array(utf8)
        let wanted = Array(part.utf8)
        guard bytes.count >= wanted.count else { return nil }
        for start in 0...(bytes.count - wanted.count) where Array(bytes[start..<start + wanted.count]) == wanted {
            return utf8.index(
                utf8.startIndex,
                offsetBy: start
            )..<utf8.index(utf8.startIndex, offsetBy: start + wanted.count)
        }
        return nil
    }

    func count(of part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = String(rest).firstRange(of: part) {
            count += 1
            rest = Substring(String(rest)[range.upperBound...])
        }
        return count
    }
}
