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

    init(_ settings: DaemonSettings, loops: Int) throws(EventError) {
        var byLoop = Array(repeating: [ListeningSocket](), count: loops)
        for setting in settings.listen {
            let sockets = try Self.bind(setting, count: loops)
            for (index, socket) in sockets.enumerated() { byLoop[index].append(socket) }
        }
        proxy = byLoop
        var admin: [ListeningSocket] = []
        for setting in settings.admin { admin.append(contentsOf: try Self.bind(setting, count: 1)) }
        self.admin = admin
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
