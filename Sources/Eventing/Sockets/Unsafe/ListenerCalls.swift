import CLinux
import LibC
import Platform

extension SocketCalls {
    /// Sets the options that a TCP listener needs before it is bound.
    static func setListenerOptions(_ descriptor: Int32, isIPv6: Bool, sharesPort: Bool) {
        setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if sharesPort { setOption(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
        if isIPv6 { setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
    }

    /// Binds a Unix socket; its file never has a wider mode than `mode`.
    static func bindUnix(_ descriptor: Int32, to address: SocketAddress, mode: UInt32) -> SystemError? {
        guard case .unix(let path) = address else { return SystemError(EAFNOSUPPORT) }
        // The file gets the socket's mode, less the umask.
        _ = fchmod(descriptor, mode_t(mode))
        if let error = bind(descriptor, to: address) { return error }
        return unsafe chmod(path, mode_t(mode)) == 0 ? nil : SystemError(errno)
    }

    /// Removes the file of a socket on which nobody listens.
    ///
    /// Returns an error if a process listens, or if the file is no socket.
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
    /// Identifies a file among all others while it exists.
    struct Identity: Equatable {
        var device: UInt64
        var number: UInt64
    }

    static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// The identity of the file at this path, or of a link itself; nil if there is none.
    static func identity(_ path: String) -> Identity? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    }
}
