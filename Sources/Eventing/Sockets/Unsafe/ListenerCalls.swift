import CLinux
import Glibc
import Platform

extension SocketCalls {
    /// The options a TCP listener needs before it has its address.
    static func setListenerOptions(_ descriptor: Int32, isIPv6: Bool, sharesPort: Bool) {
        setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if sharesPort { setOption(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
        if isIPv6 { setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
    }

    /// Binds a Unix socket so that its file never has a wider mode than `mode`.
    static func bindUnix(_ descriptor: Int32, to address: SocketAddress, mode: UInt32) -> SystemError? {
        guard case .unix(let path) = address else { return SystemError(EAFNOSUPPORT) }
        // The file gets the socket's own mode, less the umask.
        _ = fchmod(descriptor, mode_t(mode))
        if let error = bind(descriptor, to: address) { return error }
        return unsafe chmod(path, mode_t(mode)) == 0 ? nil : SystemError(errno)
    }

    /// Removes a socket file nobody listens on; an error if somebody does, or if it is no socket.
    static func removeStaleSocket(_ path: String) -> SystemError? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return SystemError(EEXIST) }
        guard case .success(let probe) = makeSocket(family: AF_UNIX) else { return SystemError(EADDRINUSE) }
        defer { close(probe) }
        guard connect(probe, to: .unix(path: path)) == .failed(ECONNREFUSED) else { return SystemError(EADDRINUSE) }
        Files.remove(path)
        return nil
    }
}

enum Files {
    /// What tells a file from all others while it is there.
    struct Identity: Equatable {
        var device: UInt64
        var number: UInt64
    }

    static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// Of what has this path, a link itself included; nil if nothing has it.
    static func identity(_ path: String) -> Identity? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    }
}
