import HTTPCore
import Platform
import Settings

/// Where clients reach the proxy, as variables name it.
struct ProxyEndpoint: Equatable {
    /// `http://127.0.0.1:3128`, without a path.
    let url: String
    let host: String
    let port: UInt16

    /// The URL by which the prefix gateway answers for another one; one that has this form keeps it.
    func prefixed(_ target: String) -> String {
        target.hasPrefix(url + "/") ? target : "\(url)/\(target)"
    }

    /// - Parameter listeners: as settings and status name them; without TLS wins, and what is first.
    init(listeners: [String]) throws(CommandFailure) {
        let all = listeners.compactMap(Self.init(listener:))
        guard let best = all.first(where: { $0.url.hasPrefix("http://") }) ?? all.first else {
            let named = listeners.joined(separator: ", ")
            throw CommandFailure(
                "no variable can name a listener of the daemon (\(named)); let it listen on a port of this machine, too",
                exitCode: 2
            )
        }
        self = best
    }

    /// Nil for a Unix socket, and where the port is still the system's to choose.
    private init?(listener: String) {
        let isSecure = listener.hasPrefix("https://")
        let text = isSecure ? String(listener.dropFirst(8)) : listener
        guard case .tcp(let address, let port)? = ListenAddress(text: text), port != 0 else { return nil }
        // One that listens on every address is reached at this machine's own.
        let isAny = "\(address)" == "0.0.0.0" || "\(address)" == "::"
        let shown = isAny ? (address.isIPv4 ? "127.0.0.1" : "::1") : "\(address)"
        host = address.isIPv4 ? shown : "[\(shown)]"
        self.port = port
        url = "\(isSecure ? "https" : "http")://\(host):\(port)"
    }

    /// By the running daemon if there is one, else by the settings.
    static func find(_ command: ParsedCommand) throws(CommandFailure) -> ProxyEndpoint {
        if !command.has("listen"), case .found(_, let status) = try DaemonSearch(command) {
            return try ProxyEndpoint(status: status)
        }
        let settings: DaemonSettings
        do throws(SettingsError) {
            settings = try LoadedSettings.load(command, context: .current).values
        } catch {
            throw CommandFailure("\(error)", exitCode: 2)
        }
        return try ProxyEndpoint(settings)
    }

    /// - Parameter status: of the running daemon; the listeners that are a forward proxy count.
    init(status: JSONValue) throws(CommandFailure) {
        try self.init(forward: (status["forwardListeners"]?.elements ?? []).compactMap(\.text))
    }

    /// - Parameter settings: of a daemon; the listeners that are a forward proxy count.
    init(_ settings: DaemonSettings) throws(CommandFailure) {
        let listeners = settings.allListeners.filter { settings.routes(of: $0).contains(.forward) }
        try self.init(forward: listeners.map(\.address.description))
    }

    private init(forward listeners: [String]) throws(CommandFailure) {
        guard !listeners.isEmpty else {
            throw CommandFailure(
                "no listener is a forward proxy, since a reverse proxy offers its origin alone; name \"forward\" in `routes` of a "
                    + "[[listener]]",
                exitCode: 2
            )
        }
        try self.init(listeners: listeners)
    }
}
