import HTTPCore

/// The rules for settings that depend on each other.
struct SettingsRules {
    /// Where each setting is set; those without an entry have their defaults.
    let locations: SettingLocations

    /// The settings with mistakes of their own, by path; nothing more is said about these.
    var faulty: Set<String> = []

    /// Adjusts defaults to set values, and adds a mistake where two set values contradict each other.
    func check(_ settings: inout DaemonSettings, _ mistakes: inout SettingsMistakes) {
        checkBounds(&settings, &mistakes)
        let listeners = ["listen", "listener", "gateway"]
        if areKnown(["listen", "listener", "admin"]) {
            mistakes.attempt { () throws(SettingsError) in try checkListeners(settings) }
        }
        if areKnown(listeners) { mistakes.attempt { () throws(SettingsError) in try checkRoutes(settings) } }
        if areKnown(listeners + ["tls.certificate-file", "tls.key-file"]) {
            mistakes.attempt { () throws(SettingsError) in try checkCertificate(settings) }
        }
        if areKnown(["admin"]) { mistakes.attempt { () throws(SettingsError) in try checkAdmin(settings) } }
        let access = listeners + ["access.clients", "access.allow-open-proxy", "access.login-file"]
        if areKnown(access) { mistakes.attempt { () throws(SettingsError) in try checkClients(&settings) } }
        checkServices(&settings, credentials: areKnown(access), &mistakes)
        checkVary(settings, &mistakes)
        mistakes.attempt { () throws(SettingsError) in try checkShared(settings.shared) }
        if areKnown(listeners) { mistakes.attempt { () throws(SettingsError) in try checkInterception(settings) } }
    }

    private func areKnown(_ paths: [String]) -> Bool { paths.allSatisfy { !faulty.contains($0) } }

    private func checkBounds(_ settings: inout DaemonSettings, _ mistakes: inout SettingsMistakes) {
        mistakes.attempt { () throws(SettingsError) in
            try bound(
                "storage.max-object-size",
                \.storage.maxObjectSize,
                by: "storage.limit",
                \.storage.limit.size,
                &settings
            )
        }
        mistakes.attempt { () throws(SettingsError) in
            try bound(
                "upstream.retry-time",
                \.upstream.retryTime,
                by: "upstream.retry-time-max",
                \.upstream.retryTimeMax,
                &settings
            )
        }
        mistakes.attempt { () throws(SettingsError) in
            try bound(
                "limits.chunk-extension-line",
                \.limits.chunkExtensionLine,
                by: "limits.chunk-extensions",
                \.limits.chunkExtensions,
                &settings
            )
        }
        mistakes.attempt { () throws(SettingsError) in
            try bound(
                "limits.request-target",
                \.limits.requestTarget,
                by: "limits.header-section",
                \.limits.headerSection,
                &settings
            )
        }
    }

    private func checkShared(_ shared: SharedSettings) throws(SettingsError) {
        if shared.url != nil, !shared.cluster.isEmpty {
            throw error("shared.cluster", "`shared.url` and `shared.cluster` are both set: leave one of them out")
        }
        if shared.user != nil, shared.passwordFile == nil {
            throw error("shared.user", "`shared.user` needs `shared.password-file`: name the file with its password")
        }
    }

    /// Without listeners that open tunnels, interception has no effect.
    private func checkInterception(_ settings: DaemonSettings) throws(SettingsError) {
        guard !settings.intercept.hosts.isEmpty, !settings.offers(.forward) else { return }
        throw error(
            "intercept.hosts",
            "`intercept.hosts` is for CONNECT, which no listener allows: `gateway` does not unless `routes` of a [[listener]] name "
                + "\"forward\""
        )
    }

    /// `lower` must not be above `upper`; if one is a default, it is adjusted.
    private func bound<Value: Comparable>(
        _ lower: String,
        _ lowerPath: WritableKeyPath<DaemonSettings, Value>,
        by upper: String,
        _ upperPath: WritableKeyPath<DaemonSettings, Value>,
        _ settings: inout DaemonSettings
    ) throws(SettingsError) {
        guard areKnown([lower, upper]), settings[keyPath: lowerPath] > settings[keyPath: upperPath] else { return }
        switch (locations[lower] != nil, locations[upper] != nil) {
        case (true, true):
            let place = locations[upper].map { " (\($0.origin))" } ?? ""
            throw error(lower, "`\(lower)` must not be above `\(upper)`\(place): lower it, or raise that")
        case (true, false): settings[keyPath: upperPath] = settings[keyPath: lowerPath]
        case (false, _): settings[keyPath: lowerPath] = settings[keyPath: upperPath]
        }
    }

    private func checkListeners(_ settings: DaemonSettings) throws(SettingsError) {
        var seen: Set<ListenAddress> = []
        let named =
            settings.listen.map { (address: $0, name: "listen") }
            + settings.listeners.enumerated().map { (address: $1.address, name: "listener[\($0)].address") }
            + settings.admin.map { (address: $0, name: "admin") }
        for (address, name) in named where !address.hasFreePort {
            guard seen.insert(address.endpoint).inserted else {
                let setting = name.hasPrefix("listener[") ? "listener.address" : name
                throw error(
                    name,
                    "`\(setting)` names \(address), where another listener is already: leave one of them out"
                )
            }
        }
    }

    /// A reverse proxy needs its origin and a listener.
    private func checkRoutes(_ settings: DaemonSettings) throws(SettingsError) {
        for (index, listener) in settings.listeners.enumerated()
        where settings.gateway == nil && listener.routes?.contains(.gateway) ?? false {
            throw error(
                "listener[\(index)].routes",
                "`listener.routes` names gateway, and `gateway` does not say the origin: set it, or leave the route out"
            )
        }
        if settings.gateway != nil, !settings.offers(.gateway) {
            throw error(
                "gateway",
                "`gateway` is offered nowhere: name it in `routes` of a [[listener]], or leave it out"
            )
        }
    }

    /// TLS needs a certificate and its key.
    private func checkCertificate(_ settings: DaemonSettings) throws(SettingsError) {
        let (certificate, key) = (settings.tls.certificateFile, settings.tls.keyFile)
        if (certificate == nil) != (key == nil) {
            let (has, lacks) = certificate == nil ? ("key-file", "certificate-file") : ("certificate-file", "key-file")
            throw error("tls.\(has)", "`tls.\(has)` needs `tls.\(lacks)` beside it")
        }
        guard certificate == nil, let secure = settings.allListeners.map(\.address).first(where: \.isSecure) else {
            return
        }
        throw error(location(of: secure, settings), "\(secure) needs `tls.certificate-file` and `tls.key-file`")
    }

    /// The admin API is only for this machine (H-142).
    private func checkAdmin(_ settings: DaemonSettings) throws(SettingsError) {
        if let secure = settings.admin.first(where: \.isSecure) {
            throw error("admin", "`admin` speaks plain HTTP, for this machine alone: write \(secure.endpoint)")
        }
        guard let open = settings.admin.first(where: { !$0.isLocal }) else { return }
        throw error("admin", "`admin` must be a loopback address such as 127.0.0.1:3129, or a Unix socket, not \(open)")
    }

    /// Beyond loopback only a gateway is open; everything else needs `access.clients` (H-139).
    private func checkClients(_ settings: inout DaemonSettings) throws(SettingsError) {
        let open = settings.allListeners.first { listener in
            !listener.address.isLocal && settings.routes(of: listener) != [.gateway]
                && settings.loginFile(of: listener) == nil
        }?.address
        let mayBeOpen = settings.access.allowOpenProxy || (open == nil && settings.gateway != nil)
        if locations["access.clients"] == nil, mayBeOpen {
            settings.access.clients = ["0.0.0.0/0", "::/0"].compactMap(AddressRange.init)
            return
        }
        guard !mayBeOpen, let open else { return }
        let remedy =
            "list who may use it in `access.clients`, set `access.login-file`, or "
            + "`access.allow-open-proxy = true`"
        guard locations["access.clients"] != nil else {
            throw error(location(of: open, settings), "\(open) makes a forward proxy that others can reach: \(remedy)")
        }
        guard let all = settings.access.clients.first(where: { $0.prefixLength == 0 }) else { return }
        throw error("access.clients", "\(all) makes an open proxy of \(open): \(remedy)")
    }

    /// No user gets another user's responses (C-20.3).
    private func checkVary(_ settings: DaemonSettings, _ mistakes: inout SettingsMistakes) {
        let credentials = Set((["authorization", "cookie"] + settings.cache.credentialFields).map { $0.lowercased() })
        for rule in settings.locatedRules {
            guard let name = rule.settings.varyIgnore.first(where: { credentials.contains($0.lowercased()) }) else {
                continue
            }
            mistakes.add(
                error(
                    "\(rule.path).vary-ignore",
                    "`rule.vary-ignore` names \(name), which tells users apart: their answers are never one another's"
                )
            )
        }
    }

    /// Each URL belongs to one service.
    ///
    /// - Parameter credentials: whether the settings that decide which clients may connect are known.
    private func checkServices(
        _ settings: inout DaemonSettings,
        credentials isAccessKnown: Bool,
        _ mistakes: inout SettingsMistakes
    ) {
        var names: [TargetURI: String] = [:]
        var services: [ServiceSettings] = []
        for service in settings.services {
            if let other = names[service.base] {
                mistakes.add(
                    error(
                        "service.\(service.name).base",
                        "`service.\(service.name).base` is the base of `service.\(other)` already"
                    )
                )
                continue
            }
            names[service.base] = service.name
            services.append(service)
            if isAccessKnown {
                mistakes.attempt { () throws(SettingsError) in try checkCredential(of: service, settings) }
            }
        }
        settings.services = services
    }

    /// Every client that may connect can use the fields that a service adds to requests.
    private func checkCredential(of service: ServiceSettings, _ settings: DaemonSettings) throws(SettingsError) {
        if service.token != nil, service.headers.contains(where: { $0.name.lowercased() == "authorization" }) {
            throw error(
                "service.\(service.name).token",
                "`service.\(service.name).token` and the field Authorization of its `headers` are one credential too many"
            )
        }
        guard !service.headers.isEmpty || service.token != nil, !settings.access.listsClients,
            let open = settings.allListeners.first(where: { listener in
                !listener.address.isLocal && settings.loginFile(of: listener) == nil
                    && (service.inject == .all || settings.routes(of: listener).contains(.services))
            })?.address
        else { return }
        throw error(
            "service.\(service.name).\(service.headers.isEmpty ? "token" : "headers")",
            "the \(service.headers.isEmpty ? "token" : "headers") of `service.\(service.name)` would be for all who reach \(open): list who may use the proxy in "
                + "`access.clients`"
        )
    }

    /// The setting that names a listener.
    private func location(of address: ListenAddress, _ settings: DaemonSettings) -> String {
        settings.listeners.firstIndex { $0.address == address }.map { "listener[\($0)].address" } ?? "listen"
    }

    private func error(_ key: String, _ message: String) -> SettingsError {
        locations.error(at: key, message)
    }
}

extension ListenAddress {
    /// Whether the system chooses the port, so that two equal addresses do not conflict.
    fileprivate var hasFreePort: Bool {
        switch self {
        case .tcp(_, port: 0), .tls(_, port: 0): true
        case .tcp, .tls, .unix: false
        }
    }
}
