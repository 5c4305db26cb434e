/// Reports our state to the service manager, by datagrams of `NAME=value` lines as in sd_notify(3).
///
/// The protocol is a dozen lines, and systemd promises not to change it. libsystemd, which has it too, would be the
/// daemon's largest dependency.
public final class ServiceNotifier: Sendable {
    private let socket: FileDescriptor
    private let address: String

    /// - Parameter address: the value of `NOTIFY_SOCKET`: an absolute path, or `@` and an abstract name. Returns nil
    ///   for anything else, or if it is too long.
    public init?(address: String) {
        guard address.hasPrefix("/") || address.hasPrefix("@"), address.utf8.count > 1, address.utf8.count < 108,
            let socket = NoticeSocket.make()
        else { return nil }
        self.address = address
        self.socket = socket
    }

    /// Sends lines in one datagram; never blocks.
    ///
    /// - Returns: whether the manager's socket accepted it.
    @discardableResult
    public func send(_ lines: [String]) -> Bool {
        let bytes = Array(lines.map { $0.replacing("\n", with: " ") }.joined(separator: "\n").utf8)
        return NoticeSocket.send(bytes, descriptor: socket.number, to: address)
    }
}
