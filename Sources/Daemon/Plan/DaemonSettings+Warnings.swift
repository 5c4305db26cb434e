import HTTPCore
import Settings

extension LoadedSettings {
    /// Warnings about the routes of listeners.
    var routeWarnings: [SettingsWarning] {
        var warnings: [SettingsWarning] = []
        if !values.offers(.services) {
            for service in values.services where service.inject != .all {
                warnings.append(
                    warning(
                        at: "service.\(service.name)",
                        "service \(service.name): no listener offers it, since a reverse proxy offers its origin alone; name "
                            + "\"services\" in `routes` of a [[listener]]"
                    )
                )
            }
        }
        for (index, listener) in values.listeners.enumerated() {
            let routes = values.routes(of: listener)
            guard routes.contains(.gateway), routes != [.gateway] else { continue }
            let others = routes.subtracting([.gateway]).map(\.rawValue).sorted().joined(separator: ", ")
            warnings.append(
                warning(
                    at: "listener[\(index)].routes",
                    "\(listener.address): whoever reaches this reverse proxy may use \(others) too; behind a terminator on this "
                        + "machine that is everybody"
                )
            )
        }
        if values.gateway != nil, values.access.answersToEveryName {
            warnings.append(
                warning(
                    at: "access.own-names",
                    "`access.own-names` has \"*\": a web page can make its name lead to the gateway and read the origin; list "
                        + "names such as \"shop.example\" or \"*.shop.example\", if they are known"
                )
            )
        }
        if values.access.rebindProtection == .off {
            warnings.append(
                warning(
                    at: "access.rebind-protection",
                    "`access.rebind-protection` is off: a web page can make its name lead to this machine and read what "
                        + "listens here"
                )
            )
        }
        return warnings
    }
}

extension DaemonSettings {
    /// Notes of `respite config check` about settings that are valid, but may surprise a user.
    var notes: [String] {
        guard let gateway, !access.answersToEveryName else { return [] }
        return allListeners.filter { routes(of: $0).contains(.gateway) && !answersToEveryName($0) }.map { listener in
            var names = ["localhost", "*.localhost", "127.0.0.1", "[::1]"]
            for name in [gateway.host] + access.ownNames.map(\.text) where !names.contains(name) { names.append(name) }
            return
                "\(listener.address): the gateway answers to \(names.joined(separator: ", ")); requests under another name get "
                + "421, such as those of a terminator that sets Host: list its names in `access.own-names`, or \"*\" for all, which "
                + "lets web pages whose name leads here read the origin"
        }
    }
}
