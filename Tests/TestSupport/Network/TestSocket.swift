import CLinux
import Glibc

/// A blocking TCP socket whose operations have a time limit; closed when the last reference goes.
public final class TestSocket: Sendable {
    public let descriptor: Int32
    /// Our end of TLS; nil: plain TCP.
    public let security: BlockingTLS?

    /// A server's end of a connection, with TLS if there is a `site`.
    public init(adopting descriptor: Int32, site: TestSite? = nil) {
        self.descriptor = descriptor
        security = site?.accept(descriptor)
        setTimeout(seconds: 120 * Sanitizer.patience)
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// A client's end of TLS over a descriptor, which this object takes over.
    public init(adopting descriptor: Int32, security: BlockingTLS) {
        self.descriptor = descriptor
        self.security = security
    }

    deinit { close(descriptor) }

    /// Connects to a port of `127.0.0.HOST`.
    ///
    /// - Parameter receiveBuffer: how many bytes the kernel keeps for a reader that is slow.
    public convenience init(host: UInt8 = 1, port: UInt16, receiveBuffer: Int32? = nil) throws {
        let descriptor = socket(AF_INET, streamType, 0)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let result = withLoopback(host, port: port) { connect(descriptor, $0, $1) }
        self.init(adopting: descriptor)
        guard result == 0 else { throw HarnessError("connect to port \(port): errno \(errno)") }
    }

    /// Limits the time of each operation.
    public func setTimeout(seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    public func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    public func send(_ bytes: [UInt8]) throws {
        if let security {
            guard security.send(bytes) else { throw HarnessError("send: the peer reads no more") }
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

    /// The result of one read.
    public enum Received: Equatable, Sendable { case bytes([UInt8]), end, reset, timeout }

    /// The bytes that have arrived, at least one, or why there are none.
    public func receiveSome(_ maximum: Int = 65_536) -> Received {
        if let security {
            let bytes = security.receive()
            return bytes.isEmpty ? .end : .bytes(bytes)
        }
        let (bytes, error) = read(maximum)
        switch error {
        case 0: return bytes.isEmpty ? .end : .bytes(bytes)
        case ECONNRESET: return .reset
        default: return .timeout
        }
    }

    /// Whether there is something to receive now.
    public var hasReceived: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// How many bytes there are to receive now, `maximum` at most.
    public func available(upTo maximum: Int) -> Int {
        var buffer = [UInt8](repeating: 0, count: maximum)
        return max(0, recv(descriptor, &buffer, maximum, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)))
    }

    /// The bytes that have arrived, at least one; none at the end of the connection.
    public func receive(_ maximum: Int = 65_536) throws -> [UInt8] {
        if let security { return security.receive() }
        let (bytes, error) = read(maximum)
        guard error == 0 else { throw HarnessError("receive: errno \(error)") }
        return bytes
    }

    private func read(_ maximum: Int) -> (bytes: [UInt8], error: Int32) {
        while true {
            var (count, error) = (0, 0 as Int32)
            let bytes = [UInt8](unsafeUninitializedCapacity: maximum) { buffer, filled in
                count = recv(descriptor, buffer.baseAddress, maximum, 0)
                error = count < 0 ? errno : 0
                filled = max(count, 0)
            }
            if error != EINTR { return (bytes, error) }
        }
    }

    /// Sends close_notify if this is TLS, as a server does before it closes.
    public func closeSecurity() { security?.close() }

    /// Announces that nothing more will be sent; reading continues.
    public func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes all present and later calls on this socket return.
    public func interrupt() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Makes the connection end with a reset when this object goes.
    public func resetWhenClosed() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }
}
