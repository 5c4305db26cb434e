import CLinux
import LibC
import Platform

/// System calls on sockets and descriptors, without pointers in their signatures.
enum SocketCalls {
    /// The result of a call that may have to wait.
    enum Outcome: Equatable {
        case done
        case inProgress
        case failed(Int32)
    }

    /// The bytes that wait to be read from a socket.
    enum PeekResult {
        case bytes
        case nothing
        /// The end, or an error.
        case ended
    }

    static let streamFlags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

    static func close(_ descriptor: Int32) {
        if descriptor >= 0 { _ = LibC.close(descriptor) }
    }

    /// A new non-blocking stream socket, or an `errno`.
    static func makeSocket(family: Int32) -> Result<Int32, SystemError> {
        let descriptor = socket(family, streamFlags, 0)
        return descriptor >= 0 ? .success(descriptor) : .failure(SystemError(errno))
    }

    /// Accepts one connection as a non-blocking socket.
    ///
    /// - Returns: the socket and its peer.
    static func accept(_ listener: Int32) -> Result<(Int32, SocketAddress?), SystemError> {
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        var descriptor: Int32 = -1
        let peer = unsafe SocketAddress.reading { address, count in
            descriptor = unsafe accept4(listener, address, count, flags)
            return descriptor >= 0 ? 0 : -1
        }
        return descriptor >= 0 ? .success((descriptor, peer)) : .failure(SystemError(errno))
    }

    static func setNonBlocking(_ descriptor: Int32) {
        let flags = fcntl(descriptor, F_GETFL, 0)
        if flags >= 0 && flags & O_NONBLOCK == 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Sets an option with an integer value; callers may ignore a failure.
    @discardableResult
    static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) -> Bool {
        var value = value
        return unsafe setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// Sets how a TCP socket sends; `address` is its peer's, or a listener's own.
    ///
    /// Accepted sockets inherit it; Unix sockets have no such options. Small segments leave at once. Connections on
    /// this machine use Reno, which sends without pacing (RFC 5681). BBR, the default of many systems, models a path
    /// that loopback does not have. Its timers took three fifths of the cost of a response of 1 MiB. Every kernel has
    /// Reno and every user may choose it. If the system refuses, its own choice stays.
    static func setSending(_ descriptor: Int32, address: SocketAddress) {
        guard address.port != nil else { return }
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        guard address.isLocalOnly else { return }
        let name = "reno"
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, name, socklen_t(name.utf8.count))
    }

    /// Makes closing send a reset and drop unsent bytes.
    static func setResetOnClose(_ descriptor: Int32) {
        var value = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    static func shutdownWrites(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// The error of a connection attempt; 0 if it succeeded.
    static func pendingError(_ descriptor: Int32) -> Int32 {
        var value: Int32 = 0
        var count = socklen_t(MemoryLayout<Int32>.size)
        let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &count)
        return result == 0 ? value : errno
    }

    static func connect(_ descriptor: Int32, to address: SocketAddress) -> Outcome {
        while true {
            let result = unsafe address.withSockaddr { unsafe LibC.connect(descriptor, $0, $1) }
            guard let result else { return .failed(ENAMETOOLONG) }
            if result == 0 { return .done }
            switch errno {
            case EINTR: continue
            case EINPROGRESS: return .inProgress
            default: return .failed(errno)
            }
        }
    }

    static func bind(_ descriptor: Int32, to address: SocketAddress) -> SystemError? {
        let result = unsafe address.withSockaddr { unsafe LibC.bind(descriptor, $0, $1) }
        guard let result else { return SystemError(ENAMETOOLONG) }
        return result == 0 ? nil : SystemError(errno)
    }

    static func listen(_ descriptor: Int32, backlog: Int32) -> SystemError? {
        LibC.listen(descriptor, backlog) == 0 ? nil : SystemError(errno)
    }

    static func localAddress(_ descriptor: Int32) -> SocketAddress? {
        unsafe SocketAddress.reading { unsafe getsockname(descriptor, $0, $1) }
    }

    static func peerAddress(_ descriptor: Int32) -> SocketAddress? {
        unsafe SocketAddress.reading { unsafe getpeername(descriptor, $0, $1) }
    }

    /// Sends as much of `bytes` as the socket accepts.
    static func send(_ bytes: Span<UInt8>, to descriptor: Int32) -> Result<Int, SystemError> {
        while true {
            let count = unsafe bytes.withUnsafeBufferPointer { source in
                unsafe LibC.send(descriptor, source.baseAddress, source.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return .success(count) }
            if errno != EINTR { return .failure(SystemError(errno)) }
        }
    }

    /// Looks for bytes without consuming them.
    static func peek(_ descriptor: Int32) -> PeekResult {
        var byte: UInt8 = 0
        let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        if count > 0 { return .bytes }
        return count < 0 && errno == EAGAIN ? .nothing : .ended
    }

    /// Reads at most `limit` bytes without waiting; empty at the end or after an error.
    static func receive(upTo limit: Int, from descriptor: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return Array(bytes.prefix(max(0, count)))
    }

    static func duplicate(_ descriptor: Int32) -> Result<Int32, SystemError> {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy >= 0 ? .success(copy) : .failure(SystemError(errno))
    }

    /// Makes a connected pair of non-blocking Unix sockets.
    static func makePair() -> Result<(Int32, Int32), SystemError> {
        var pair: [Int32] = [-1, -1]
        let result = unsafe socketpair(AF_UNIX, streamFlags, 0, &pair)
        return result == 0 ? .success((pair[0], pair[1])) : .failure(SystemError(errno))
    }
}
