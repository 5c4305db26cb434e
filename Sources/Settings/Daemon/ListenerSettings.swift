/// An address where clients connect, with its routes.
public struct ListenerSettings: Sendable, Equatable {
    public var address: ListenAddress
    /// Nil: the default routes for this kind of address.
    public var routes: [ListenerRoute]?
    /// Nil: that of `access.login-file`.
    public var login: ListenerLogin?

    public init(address: ListenAddress, routes: [ListenerRoute]? = nil, login: ListenerLogin? = nil) {
        self.address = address
        self.routes = routes
        self.login = login
    }
}

/// Whether a listener requires a login.
public enum ListenerLogin: Sendable, Hashable {
    case off
    /// Of a user in this file.
    case file(String)
}

extension DaemonSettings {
    /// All listeners: those of `listen`, with the default routes, then those of `[[listener]]`.
    public var allListeners: [ListenerSettings] { listen.map { ListenerSettings(address: $0) } + listeners }

    /// The routes of a listener.
    ///
    /// A reverse proxy serves only its origin. The prefix route is off for plain HTTP from other machines: browsers
    /// then do not say which page makes a request (H-065).
    public func routes(of listener: ListenerSettings) -> Set<ListenerRoute> {
        if let routes = listener.routes { return Set(routes) }
        if gateway != nil { return [.gateway] }
        return listener.address.isLocal || listener.address.isSecure
            ? [.forward, .prefix, .services] : [.forward, .services]
    }

    /// The file with the users of a listener; nil: it requires no login.
    public func loginFile(of listener: ListenerSettings) -> String? {
        switch listener.login {
        case .off?: nil
        case .file(let file)?: file
        case nil: access.loginFile
        }
    }

    /// Whether any listener offers `route`.
    public func offers(_ route: ListenerRoute) -> Bool { allListeners.contains { routes(of: $0).contains(route) } }

    /// Whether a reverse proxy at this listener answers under every name.
    ///
    /// Beyond loopback it does, unless names are listed. A web page cannot connect to a Unix socket.
    public func answersToEveryName(_ listener: ListenerSettings) -> Bool {
        if access.answersToEveryName { return true }
        if case .unix = listener.address { return true }
        return !listener.address.isLocal && access.ownNames.isEmpty
    }
}
