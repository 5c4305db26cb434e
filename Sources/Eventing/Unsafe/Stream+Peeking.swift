import Glibc

extension Stream {
    /// Whether octets, the end or an error wait to be read; one system call.
    ///
    /// For a connection that has been idle and is about to be used again.
    public var hasInput: Bool {
        if !leftover.isEmpty || hasReachedEnd { return true }
        var octet: UInt8 = 0
        let flags = Int32(MSG_PEEK | MSG_DONTWAIT)
        let isQuiet = unsafe recv(descriptor, &octet, 1, flags) < 0 && errno == EAGAIN
        if isQuiet { return false }
        return security.map { hasSecureInput($0) } ?? true
    }
}
