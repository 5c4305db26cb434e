import Glibc
import Locking
import TestCertificates

/// A server whose connections run a script each, on a thread of its own.
final class TestOrigin: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let accepted = Lock(0)
    private let isClosed = Lock(false)

    /// How many connections have come.
    var connections: Int { accepted.withLock { $0 } }

    /// - Parameters:
    ///   - site: makes it speak TLS.
    ///   - script: gets each connection with its number, from 0; it ends when the script returns.
    init(site: TestSite? = nil, _ script: @escaping @Sendable (OriginPeer, Int) -> Void) {
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
        Thread { [self] in serve(site, script) }.start()
    }

    private func serve(_ site: TestSite?, _ script: @escaping @Sendable (OriginPeer, Int) -> Void) {
        while true {
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0, !isClosed.withLock({ $0 }) else { break }
            let number = accepted.withLock { count in
                defer { count += 1 }
                return count
            }
            Thread { script(OriginPeer(connection, site: site), number) }.start()
        }
        Glibc.close(descriptor)
    }

    /// Takes no more connections.
    func close() {
        isClosed.withLock { $0 = true }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
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

/// One connection at a `TestOrigin`, blocking.
final class OriginPeer {
    private let descriptor: Int32
    private var unread: [UInt8] = []
    /// Its end of TLS, if it speaks that.
    let security: BlockingTLS?

    init(_ descriptor: Int32, site: TestSite? = nil) {
        self.descriptor = descriptor
        security = site?.accept(descriptor)
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    }

    deinit { close(descriptor) }

    private func receive() -> Bool {
        if let security {
            let bytes = security.receive()
            unread += bytes
            return !bytes.isEmpty
        }
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { unread += buffer[..<count] }
        return count > 0
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
        if let security { return security.send(bytes) }
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

    /// Sends no more; reading goes on.
    func shutdownWrite() { shutdown(descriptor, Int32(SHUT_WR)) }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Has the connection end with a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger_t>.size))
    }
}

private typealias linger_t = linger
