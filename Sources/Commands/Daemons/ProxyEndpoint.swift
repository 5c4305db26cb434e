import CommandSyntax
import HTTPCore
import JSON
import Settings

/// The proxy's address for clients, as a URL for environment variables.
struct ProxyEndpoint: Equatable {
    /// `http://127.0.0.1:3128`, without a path.
    let url: String
    let host: String
    let port: UInt16

    /// The URL that asks the prefix gateway for `target`; `target` itself if it has this form already.
    func prefixed(_ target: String) -> String { target.hasPrefix(url + "/") ? target : "\(url)/\(target)" }

    /// The first listener without TLS, or else the first one.
    ///
    /// - Parameter listeners: addresses as settings and status write them.
    init(listeners: [String]) throws(CommandFailure) {
        let all = listeners.compactMap(Self.init(listener:))
        guard let best = all.first(where: { $0.url.hasPrefix("http://") }) ?? all.first else {
            let named = listeners.joined(separator: ", ")
            throw CommandFailure(
                "a variable can name none of the daemon's listeners (\(named)); let it also listen on a port of this machine",
                exitCode: 2
            )
        }
        self = best
    }

    /// Returns nil for a Unix socket, and for a port that the system has not chosen yet.
    private init?(listener: String) {
        let isSecure = listener.hasPrefix("https://")
        let text = isSecure ? String(listener.dropFirst(8)) : listener
        guard case .tcp(let address, let port)? = ListenAddress(text: text), port != 0 else { return nil }
        // A listener on every address is reached on loopback.
        let isAny = "\(address)" == "0.0.0.0" || "\(address)" == "::"
        let shown = isAny ? (address.isIPv4 ? "127.0.0.1" : "::1") : "\(address)"
        host = address.isIPv4 ? shown : "[\(shown)]"
        self.port = port
        url = "\(isSecure ? "https" : "http")://\(host):\(port)"
    }

    /// Finds it by asking the running daemon; without one, by reading the settings.
    ///
    /// - Parameter warn: called with a sentence if the settings decided and no daemon was found.
    static func find(_ command: ParsedCommand, warn: (String) -> Void) throws(CommandFailure) -> ProxyEndpoint {
        let settings = try LoadedSettings.forCommand(command).values
        guard !command.has("listen") else { return try ProxyEndpoint(settings) }
        switch try DaemonSearch(command) {
        case .found(_, let status): return try ProxyEndpoint(status: status)
        case .unknown: return try ProxyEndpoint(settings)
        case .none(let reason):
            let endpoint = try ProxyEndpoint(settings)
            let cause = reason ?? "no daemon answers at \(settings.admin.first.map { "\($0)" } ?? "any address")"
            warn(
                "\(cause), so programs with these variables may reach nothing at \(endpoint.url): start a daemon with "
                    + "`respite serve`, or `systemctl start respite`"
            )
            return endpoint
        }
    }

    /// Accepts a listener that is a forward proxy.
    ///
    /// - Parameter status: the status of the running daemon.
    init(status: JSONValue) throws(CommandFailure) {
        try self.init(forward: (status["forwardListeners"]?.elements ?? []).compactMap(\.text))
    }

    /// Accepts a listener that is a forward proxy.
    init(_ settings: DaemonSettings) throws(CommandFailure) {
        let listeners = settings.allListeners.filter { settings.routes(of: $0).contains(.forward) }
        try self.init(forward: listeners.map(\.address.description))
    }

    private init(forward listeners: [String]) throws(CommandFailure) {
        guard !listeners.isEmpty else {
            throw CommandFailure(
                "no listener is a forward proxy: a reverse proxy serves its origin only; add \"forward\" to `routes` of a "
                    + "[[listener]]",
                exitCode: 2
            )
        }
        try self.init(listeners: listeners)
    }
}
