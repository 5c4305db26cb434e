/// Tells the process that started us how we are, in the protocol of sd_notify(3): datagrams of `NAME=value` lines.
///
/// The protocol is a dozen lines and promised to stay as it is; libsystemd, which speaks it too, would be the daemon's
/// largest dependency.
public final class ServiceNotifier: Sendable {
    private let descriptor: Int32
    private let address: String

    /// - Parameter address: the value of `NOTIFY_SOCKET`: an absolute path, or `@` and an abstract name. Nil if it is
    ///   neither, or too long.
    public init?(address: String) {
        guard address.hasPrefix("/") || address.hasPrefix("@"), address.utf8.count > 1, address.utf8.count < 108,
            let descriptor = NoticeCalls.makeSocket()
        else { return nil }
        self.address = address
        self.descriptor = descriptor
    }

    deinit { SocketCalls.close(descriptor) }

    /// Sends lines in one datagram; never waits.
    ///
    /// - Returns: whether the manager's socket took it.
    @discardableResult
    public func send(_ lines: [String]) -> Bool {
        let bytes = Array(lines.map { $0.replacing("\n", with: " ") }.joined(separator: "\n").utf8)
        return NoticeCalls.send(bytes, descriptor: descriptor, to: address)
    }
}
