import Eventing
import Settings

/// All listening sockets of the daemon, bound before any loop serves.
///
/// Each proxy address has one socket per loop, among which the system spreads connections; administration lives on the
/// first loop.
final class BoundSockets: Sendable {
    /// By loop.
    let proxy: [[ListeningSocket]]
    let admin: [ListeningSocket]

    /// - Parameter inherited: take the place of what the settings name.
    init(_ settings: DaemonSettings, inherited: InheritedSockets = InheritedSockets(), loops: Int) throws(EventError) {
        var groups: [[ListeningSocket]] = []
        for socket in inherited.proxy { groups.append(try Self.share(socket, count: loops)) }
        if groups.isEmpty {
            for setting in settings.listen { groups.append(try Self.bind(setting, count: loops)) }
        }
        proxy = (0..<loops).map { index in groups.compactMap { $0.indices.contains(index) ? $0[index] : nil } }
        var admin = inherited.administration
        if admin.isEmpty {
            for setting in settings.admin { admin.append(contentsOf: try Self.bind(setting, count: 1)) }
        }
        self.admin = admin
    }

    /// One socket for all loops.
    private static func share(_ socket: ListeningSocket, count: Int) throws(EventError) -> [ListeningSocket] {
        var sockets = [socket]
        while sockets.count < count { sockets.append(try socket.duplicate()) }
        return sockets
    }

    /// The proxy's own addresses, each once.
    var proxyAddresses: [SocketAddress] { proxy.first?.map(\.address) ?? [] }
    var adminAddresses: [SocketAddress] { admin.map(\.address) }

    private static func bind(_ setting: ListenAddress, count: Int) throws(EventError) -> [ListeningSocket] {
        guard let address = SocketAddress(setting.description) else {
            throw EventError(.cannotListen, "cannot listen on \(setting): it is no address; change `listen`")
        }
        guard address.port != nil, count > 1 else { return [try ListeningSocket(binding: address)] }
        // Sockets that share a port would share it with another process too: see first that nobody has it.
        var bound = try ListeningSocket(binding: address).address
        if address.port != 0 { bound = address }
        var options = ListeningSocket.Options()
        options.sharesPort = true
        var sockets: [ListeningSocket] = []
        for _ in 0..<count { sockets.append(try ListeningSocket(binding: bound, options: options)) }
        return sockets
    }
}
