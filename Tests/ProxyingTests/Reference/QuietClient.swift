import Glibc

/// A client at the socket of a `QuietProxy`, which reads what is there and never waits.
final class QuietClient {
    let request: ReferenceRequest
    /// Where it is connected; nil once it has left.
    private(set) var connection: QuietConnection?
    private var bytes: [UInt8] = []

    init(_ request: ReferenceRequest, _ connection: QuietConnection) {
        self.request = request
        self.connection = connection
    }

    /// Reads what has come; returns whether there was anything.
    func read() -> Bool { connection?.read(into: &bytes) ?? false }

    /// The response, if it has ended.
    var reply: ReferenceReply? {
        guard let connection else { return nil }
        return ReplyText.reply(bytes, isHead: request.isHead, hasEnded: connection.hasEnded)
    }

    /// The response as far as it has come.
    var partialReply: ReferenceReply? { ReplyText.reply(bytes, isHead: request.isHead, hasEnded: true) }

    func leave() { connection = nil }
}

/// A connection to a Unix socket; closed when the last reference goes.
final class QuietConnection {
    private let descriptor: Int32
    private(set) var hasEnded = false

    init(_ path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        hasEnded = result != 0
    }

    deinit { close(descriptor) }

    /// Whether the other side has not closed it.
    var isOpen: Bool {
        var none: [UInt8] = []
        _ = read(into: &none)
        return !hasEnded
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        hasEnded = hasEnded || Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) != bytes.count
    }

    /// Ends the client's side.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Appends what has come; returns whether there was anything.
    func read(into bytes: inout [UInt8]) -> Bool {
        if hasEnded { return false }
        var count = 0
        let new = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
            count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            filled = max(0, count)
        }
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return false }
        hasEnded = count <= 0
        bytes += new
        return true
    }
}
