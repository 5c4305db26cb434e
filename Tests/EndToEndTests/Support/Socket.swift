import CLinux
import Glibc
import TestCertificates

/// A blocking TCP socket whose operations end in time; closed with its last holder.
final class Socket: Sendable {
    let descriptor: Int32
    /// Its end of TLS, if it speaks that.
    private let security: BlockingTLS?

    init(adopting descriptor: Int32, site: TestSite? = nil) {
        self.descriptor = descriptor
        security = site?.accept(descriptor)
        setTimeout(seconds: 120 * Sanitizer.patience)
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The client's end of TLS over a descriptor, which becomes this object's.
    init(adopting descriptor: Int32, security: BlockingTLS) {
        self.descriptor = descriptor
        self.security = security
    }

    deinit { close(descriptor) }

    /// Connects to a port of `127.0.0.HOST`; `receiveBuffer` bounds what the kernel takes for a slow reader.
    convenience init(host: UInt8 = 1, port: UInt16, receiveBuffer: Int32? = nil) throws {
        let descriptor = socket(AF_INET, streamType, 0)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let result = withLoopback(host, port: port) { connect(descriptor, $0, $1) }
        self.init(adopting: descriptor)
        guard result == 0 else { throw HarnessError("connect to port \(port): errno \(errno)") }
    }

    /// How long one operation may take.
    func setTimeout(seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        if let security {
            guard security.send(bytes) else { throw HarnessError("send: the peer takes no more") }
            return
        }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw HarnessError("send: errno \(errno) after \(sent) bytes") }
            sent += count
        }
    }

    /// The bytes that are there, at least one; none at the end.
    func receive(_ maximum: Int = 65_536) throws -> [UInt8] {
        if let security { return security.receive() }
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: maximum) { buffer, filled in
                count = recv(descriptor, buffer.baseAddress, maximum, 0)
                filled = max(count, 0)
            }
            if count >= 0 { return bytes }
            if errno != EINTR { throw HarnessError("receive: errno \(errno)") }
        }
    }

    /// Says so by TLS, if it speaks that, as a server does before it closes.
    func sayGoodbye() { security?.close() }

    /// Says that nothing more will be sent.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Wakes a thread that is blocked on this socket, for good.
    func interrupt() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Makes the close at the last holder's end a reset.
    func resetWhenClosed() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }
}

/// A listening socket on loopback.
final class ListeningSocket: Sendable {
    let descriptor: Int32
    let port: UInt16

    /// Listens on `127.0.0.HOST`, on a free port unless one is given.
    init(host: UInt8 = 1, port wanted: UInt16 = 0, backlog: Int32 = 1024) throws {
        descriptor = socket(AF_INET, streamType, 0)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        let descriptor = descriptor
        guard withLoopback(host, port: wanted, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, backlog) == 0
        else {
            throw HarnessError("listen: errno \(errno)")
        }
        port = localPort(of: descriptor)
    }

    deinit { close(descriptor) }

    /// The next connection; `nil` after `interrupt()`.
    func accept(_ site: TestSite? = nil) -> Socket? {
        while true {
            let accepted = accept4(descriptor, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
            if accepted >= 0 { return Socket(adopting: accepted, site: site) }
            if errno != EINTR && errno != ECONNABORTED { return nil }
        }
    }

    /// Wakes `accept()` for good and refuses connections from now on.
    func interrupt() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// A port of 127.0.0.1 that nobody listens on, another one with each call.
///
/// It is below those that the system gives out by itself: else a test that runs meanwhile could be given it.
func unusedPort() throws -> UInt16 {
    while true {
        let port = UInt16.random(in: 12_000..<32_000)
        guard givenPorts.update({ $0.insert(port).inserted }) else { continue }
        if (try? ListeningSocket(port: port)) != nil { return port }
    }
}

private let givenPorts = Monitor<Set<UInt16>>([])

private let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

private func withLoopback<R>(
    _ host: UInt8 = 1,
    port: UInt16,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
) -> R {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (0x7F00_0000 + UInt32(host)).bigEndian
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
}

private func localPort(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
        _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return UInt16(bigEndian: address.sin_port)
}
