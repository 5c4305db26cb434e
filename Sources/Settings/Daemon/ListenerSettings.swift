/// Where clients connect, and what they may ask for there.
public struct ListenerSettings: Sendable, Equatable {
    public var address: ListenAddress
    /// Nil: what is usual for such an address.
    public var routes: [ListenerRoute]?

    public init(address: ListenAddress, routes: [ListenerRoute]? = nil) {
        self.address = address
        self.routes = routes
    }
}

extension DaemonSettings {
    /// All listeners: those of `listen`, with the usual routes, then those of `[[listener]]`.
    public var allListeners: [ListenerSettings] { listen.map { ListenerSettings(address: $0) } + listeners }

    /// What a listener offers.
    ///
    /// A reverse proxy offers its origin and nothing else. The prefix gateway is off where plain HTTP comes from other
    /// machines: browsers say nothing there of the page that asks (H-065).
    public func routes(of listener: ListenerSettings) -> Set<ListenerRoute> {
        if let routes = listener.routes { return Set(routes) }
        if gateway != nil { return [.gateway] }
        return listener.address.isLocal || listener.address.isSecure
            ? [.forward, .prefix, .services] : [.forward, .services]
    }

    /// Whether any listener offers `route`.
    public func offers(_ route: ListenerRoute) -> Bool { allListeners.contains { routes(of: $0).contains(route) } }

    /// Whether a reverse proxy at this listener answers to every name.
    ///
    /// Beyond loopback it is everybody's anyway, unless names are listed; a web page cannot connect to a Unix socket.
    public func answersToEveryName(_ listener: ListenerSettings) -> Bool {
        if access.answersToEveryName { return true }
        if case .unix = listener.address { return true }
        return !listener.address.isLocal && access.ownNames.isEmpty
    }
}
