import Eventing
import Locking
import Settings

/// All listening sockets of the daemon, bound before any loop serves.
///
/// Each proxy address has one socket per loop, and the system distributes connections among them. All loops share a
/// Unix socket. The admin API is on the first loop.
final class BoundSockets: Sendable {
    /// The sockets of each loop, until the loop accepts them.
    ///
    /// A socket stays open as long as it is referenced.
    private let proxy: Lock<[[ListeningSocket]]>
    /// The proxy's addresses, each once.
    let proxyAddresses: [SocketAddress]
    /// The sockets of each loop, as the settings name them.
    let listeners: [ListenAddress]
    let admin: [ListeningSocket]

    /// - Parameter inherited: sockets that replace those of the settings.
    init(_ settings: DaemonSettings, inherited: InheritedSockets = InheritedSockets(), loops: Int) throws(EventError) {
        var groups: [[ListeningSocket]] = []
        let named = settings.allListeners.map(\.address)
        for socket in inherited.proxy { groups.append(try Self.share(socket, count: loops)) }
        if groups.isEmpty {
            for setting in named { groups.append(try Self.bind(setting, count: loops)) }
            listeners = named
        } else {
            listeners = inherited.proxy.map { socket in
                let address = ListenAddress(text: socket.address.description) ?? .unix(path: "")
                return named.first { $0.endpoint == address } ?? address
            }
        }
        proxyAddresses = groups.compactMap { $0.first?.address }
        proxy = Lock(
            (0..<loops).map { index in groups.compactMap { $0.indices.contains(index) ? $0[index] : nil } }
        )
        var admin = inherited.administration
        if admin.isEmpty {
            for setting in settings.admin { admin.append(contentsOf: try Self.bind(setting, count: 1, as: "admin")) }
        }
        self.admin = admin
    }

    /// One socket for all loops.
    private static func share(_ socket: ListeningSocket, count: Int) throws(EventError) -> [ListeningSocket] {
        var sockets = [socket]
        while sockets.count < count { sockets.append(try socket.duplicate()) }
        return sockets
    }

    /// Returns the sockets of one loop, and releases them here, so that they close when the loop drains (H-153).
    func takeProxy(loop index: Int) -> [ListeningSocket] {
        proxy.withLock { sockets in
            let mine = sockets[index]
            sockets[index] = []
            return mine
        }
    }

    var adminAddresses: [SocketAddress] { admin.map(\.address) }
    /// Whether each socket of a loop is for TLS.
    var isSecure: [Bool] { listeners.map(\.isSecure) }
    /// The addresses for messages: `127.0.0.1:3128`, `https://127.0.0.1:3443`.
    var proxyNames: [String] { zip(proxyAddresses, isSecure).map { $1 ? "https://\($0)" : $0.description } }

    private static func bind(
        _ setting: ListenAddress,
        count: Int,
        as key: String = "listen"
    ) throws(EventError) -> [ListeningSocket] {
        guard let address = SocketAddress(setting.endpoint.description) else {
            throw EventError(.cannotListen, "cannot listen on \(setting): this is not an address; change `\(key)`")
        }
        var options = ListeningSocket.Options()
        options.setting = key
        guard address.port != nil else {
            return try share(try ListeningSocket(binding: address, options: options), count: count)
        }
        guard count > 1 else { return [try ListeningSocket(binding: address, options: options)] }
        // Sockets that share a port would also share it with another process: check first that the port is free.
        options.acceptsConnections = false
        var bound = try ListeningSocket(binding: address, options: options).address
        if address.port != 0 { bound = address }
        options.acceptsConnections = true
        options.sharesPort = true
        var sockets: [ListeningSocket] = []
        for _ in 0..<count { sockets.append(try ListeningSocket(binding: bound, options: options)) }
        return sockets
    }
}
