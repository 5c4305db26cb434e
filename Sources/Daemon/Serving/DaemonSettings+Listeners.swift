import Eventing
import HTTPCore
import Logins
import Proxying
import Settings

extension DaemonSettings {
    /// Makes the options of the responders of each listener.
    ///
    /// - Parameters:
    ///   - common: the options that all listeners share.
    ///   - addresses: the listeners' addresses, as settings name them.
    ///   - logins: the users in each file that the settings name.
    func proxyOptions(
        _ common: ProxyOptions,
        of addresses: [ListenAddress],
        logins: [String: LoginTable] = [:]
    ) -> [ProxyOptions] {
        var left = allListeners
        return addresses.map { address in
            let index = left.firstIndex { $0.address == address }
            let listener = index.map { left.remove(at: $0) } ?? ListenerSettings(address: address)
            var options = proxyOptions(common, for: listener)
            // A file without users lets nobody in.
            options.login = loginFile(of: listener).map { proxyLogin(logins[$0] ?? LoginTable()) }
            // Clients that get through are on a list, or have logged in.
            if options.login != nil { options.listsClients = true }
            return options
        }
    }

    /// The login that a listener requires, except from clients whose addresses the settings list.
    private func proxyLogin(_ table: LoginTable) -> ProxyLogin {
        let listed = access.clientsWithoutLogin
        return ProxyLogin(table: table) { peer in
            guard let address = peer.ipAddress else { return false }
            return listed.contains { $0.contains(address) }
        }
    }

    private func proxyOptions(_ common: ProxyOptions, for listener: ListenerSettings) -> ProxyOptions {
        let routes = routes(of: listener)
        var options = common
        options.routes = []
        if routes.contains(.forward) { options.routes.insert(.forward) }
        if routes.contains(.prefix) { options.routes.insert(.prefix) }
        if routes.contains(.services) { options.routes.insert(.services) }
        if routes.contains(.gateway) {
            options.gateway = gatewayBase
        }
        options.answersToEveryName = answersToEveryName(listener)
        options.servesBeyondLoopback = !listener.address.isLocal
        return options
    }

    /// The protection against names that lead to this machine or to private networks.
    var rebinding: Eventing.RebindProtection {
        var protection = Eventing.RebindProtection()
        switch access.rebindProtection {
        case .off: protection.scope = .none
        case .loopback: protection.scope = .loopback
        case .private: protection.scope = .privateNetworks
        }
        protection.named = operatorNames
        protection.isListed = { [patterns = access.privateNames] name in
            patterns.contains { $0.matches(host: Array(name.utf8)) }
        }
        return protection
    }

    /// The host names in the settings, which are trusted because an administrator chose them.
    ///
    /// Parent proxies are not among them.
    private var operatorNames: Set<String> {
        let origins = services.map(\.base.host) + services.compactMap(\.token?.url.host)
        let written =
            origins.map { String(decoding: $0, as: UTF8.self) } + [gateway?.host].compactMap(\.self) + hosts.keys
        return Set(written.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 })
    }
}
