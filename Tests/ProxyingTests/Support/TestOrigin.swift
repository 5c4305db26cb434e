import Glibc
import Locking

/// A server whose connections run a script each, on a thread of its own.
final class TestOrigin: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let accepted = Lock(0)
    private let isClosed = Lock(false)

    /// How many connections have come.
    var connections: Int { accepted.withLock { $0 } }

    /// - Parameter script: gets each connection with its number, from 0; it ends when the script returns.
    init(_ script: @escaping @Sendable (OriginPeer, Int) -> Void) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(descriptor, $0, length) == 0 && listen(descriptor, 128) == 0, "cannot listen")
                getsockname(descriptor, $0, &length)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in serve(script) }.start()
    }

    private func serve(_ script: @escaping @Sendable (OriginPeer, Int) -> Void) {
        while true {
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0, !isClosed.withLock({ $0 }) else { break }
            let number = accepted.withLock { count in
                defer { count += 1 }
                return count
            }
            Thread { script(OriginPeer(connection), number) }.start()
        }
        Glibc.close(descriptor)
    }

    /// Takes no more connections.
    func close() {
        isClosed.withLock { $0 = true }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}

extension TestOrigin {
    /// A server that answers each request of each connection by what `answer` makes of it, and keeps all requests.
    static func answering(_ answer: @escaping @Sendable (OriginRequestText) -> String) -> RecordingOrigin {
        let record = RequestRecord()
        let origin = TestOrigin { peer, _ in
            while let head = peer.readHead() {
                var request = OriginRequestText(head)
                if request.contentLength > 0 {
                    request.content = String(decoding: peer.read(request.contentLength), as: UTF8.self)
                }
                record.add(request)
                let reply = answer(request)
                guard !reply.isEmpty, peer.send(reply), !reply.contains("Connection: close") else { return }
            }
        }
        return RecordingOrigin(origin: origin, record: record)
    }
}

/// One request as an origin got it.
struct OriginRequestText: Sendable {
    let head: String
    var content = ""

    init(_ head: String) { self.head = head }

    var method: String { String(line.first ?? "") }
    var target: String { line.count > 1 ? String(line[1]) : "" }
    private var line: [Substring] { (head.split(separator: "\r\n").first ?? "").split(separator: " ") }

    /// The values of a field, in order.
    subscript(_ name: String) -> [String] { Reply.values(of: name, in: head) }

    var contentLength: Int { self["Content-Length"].first.flatMap { Int($0) } ?? 0 }
}

/// What an origin was asked.
final class RequestRecord: Sendable {
    private let all = Lock<[OriginRequestText]>([])

    func add(_ request: OriginRequestText) { all.withLock { $0.append(request) } }
    var requests: [OriginRequestText] { all.withLock { $0 } }
}

/// A server and what it was asked.
struct RecordingOrigin: Sendable {
    let origin: TestOrigin
    let record: RequestRecord

    var port: UInt16 { origin.port }
    var requests: [OriginRequestText] { record.requests }
    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
}

/// A response with a Content-Length, and a Date so that it can be stored with sense.
func response(_ status: String = "200 OK", _ fields: String..., content: String = "") -> String {
    let lines = fields.map { "\($0)\r\n" }.joined()
    return "HTTP/1.1 \(status)\r\n\(lines)Content-Length: \(content.utf8.count)\r\n\r\n\(content)"
}

/// A thread of the system's, detached.
struct Thread {
    private final class Body {
        let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }

    private let body: Body

    init(_ work: @escaping @Sendable () -> Void) { body = Body(work) }

    func start() {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(body).toOpaque()
        pthread_create(
            &thread,
            nil,
            { context in
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().work() }
                return nil
            },
            context
        )
        pthread_detach(thread)
    }
}

/// One connection at a `TestOrigin`, blocking; one thread at a time reads, one at a time sends.
final class OriginPeer: @unchecked Sendable {
    private let descriptor: Int32
    private var unread: [UInt8] = []

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    }

    deinit { close(descriptor) }

    private func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { unread += buffer[..<count] }
        return count > 0
    }

    /// Whether the connection ends, whatever comes before that; false if nothing comes for a minute.
    func hasEnded() -> Bool {
        while true {
            errno = 0
            if !receive() { return errno != EAGAIN }
        }
    }

    /// Bytes to the end of `suffix`; nil if the connection ends first.
    func read(through suffix: String) -> String? {
        let wanted = Array(suffix.utf8)
        while true {
            if unread.count >= wanted.count {
                for end in wanted.count...unread.count where Array(unread[end - wanted.count..<end]) == wanted {
                    defer { unread.removeFirst(end) }
                    return String(decoding: unread[..<end], as: UTF8.self)
                }
            }
            guard receive() else { return nil }
        }
    }

    /// Whether bytes are here that nobody has read.
    var hasInput: Bool {
        var byte: UInt8 = 0
        return !unread.isEmpty || recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    /// A request's head.
    func readHead() -> String? { read(through: "\r\n\r\n") }

    /// Exactly so many bytes, or what there is at the end of the connection.
    func read(_ count: Int) -> [UInt8] {
        while unread.count < count, receive() {}
        defer { unread.removeFirst(min(count, unread.count)) }
        return Array(unread.prefix(count))
    }

    /// Waits for the end of the connection; the bytes that came before it.
    func readAll() -> String {
        while receive() {}
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

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

    /// Sends no more; reading goes on.
    func shutdownWrite() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Has the connection end with a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger_t>.size))
    }
}

private typealias linger_t = linger
