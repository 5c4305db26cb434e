import Glibc

/// One blocking connection to a port of loopback, a minute a call at most.
final class RawClient: Sendable {
    private let descriptor: Int32

    init(port: UInt16, receiveBuffer: Int32? = nil) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
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

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            sent += count
        }
    }

    /// What one call of `recv` brings; empty at the end, after a reset and when nothing comes.
    func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : []
    }

    /// Everything to the end of the connection.
    func receiveAll() -> [UInt8] {
        var all: [UInt8] = []
        while case let piece = receive(), !piece.isEmpty { all += piece }
        return all
    }
}

/// A whole response.
struct Answer {
    var status: Int
    var fields: [(name: String, value: String)]
    var content: [UInt8]

    init?(_ bytes: [UInt8]) {
        let end = Array("\r\n\r\n".utf8)
        guard let split = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return nil }
        let lines = String(decoding: bytes[..<split], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, let status = Int(first.split(separator: " ")[1]) else { return nil }
        self.status = status
        fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (parts[0].lowercased(), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
        content = Array(bytes[(split + 4)...])
    }

    subscript(name: String) -> String? { fields.first { $0.name == name.lowercased() }?.value }
    var text: String { String(decoding: content, as: UTF8.self) }
}
