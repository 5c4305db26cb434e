// The one table from which the file, the command line, `respite config` and etc/respite.toml are made.

extension SettingKey {
    /// All settings, in the order of the documentation.
    public static let all: [SettingKey] =
        general + memory + storage + limits + upstream + cache + dns + tunnel + log + tls + intercept + access

    /// Settings by name.
    static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The tables settings stand in, such as `limits` or `access.destinations`.
    static let sections = Set(
        all.flatMap { key in
            key.section.indices.filter { key.section[$0] == "." }.map { String(key.section[..<$0]) }
                + [String(key.section)]
        }
    ).subtracting([""])

    private static let general: [SettingKey] = [
        SettingKey(
            "listen",
            \.listen,
            .list(of: .listenAddress, atLeast: 1),
            "Where clients connect, by TLS behind https://; sockets handed over by systemd replace it."
        ),
        SettingKey(
            "admin",
            \.admin,
            .list(of: .listenAddress),
            "Where the admin API answers: loopback or Unix sockets; empty for nowhere."
        ),
        SettingKey(
            "admin-token-file",
            \.adminTokenFile,
            .optional("", .path),
            "Where the admin token is kept; empty: admin-token in the storage directory."
        ),
        SettingKey(
            "admin-hosts",
            \.adminHosts,
            .list(of: .hostName),
            "Names besides its own addresses under which the admin API answers."
        ),
        SettingKey("loops", \.loops, .count(0...256), "Threads that serve clients; 0: one per core."),
        SettingKey(
            "mode",
            \.mode,
            .choice,
            "How the network is treated: ask origins, probe failing ones, ask nobody, or replay."
        ),
        SettingKey(
            "gateway",
            \.gateway,
            .optional("", .origin),
            "The origin to stand before as a reverse proxy, which then is all there is; empty: a forward proxy."
        ),
        SettingKey(
            "gateway-host",
            \.gatewayHost,
            .choice,
            "The name a reverse proxy gives the origin in Host: the origin's own or the client's, which then belongs to the key."
        ),
        SettingKey(
            "hosts",
            \.hosts,
            .hosts,
            "Addresses for host names, in place of the resolver's: { \"a.example\" = \"192.0.2.1\" }.",
            combine: { $0.merge($1) { _, new in new } }
        ),
    ]

    private static let memory: [SettingKey] = [
        SettingKey(
            "memory.limit",
            \.memory.limit,
            .size(.mebibytes(1)...(.gibibytes(4096))),
            "Stored responses kept in memory, their fields included."
        )
    ]

    private static let storage: [SettingKey] = [
        SettingKey(
            "storage.directory",
            \.storage.directory,
            .location,
            "Where responses are kept at rest: a new or empty directory, or a store; empty: respite in the user's cache directory; none: nowhere."
        ),
        SettingKey(
            "storage.limit",
            \.storage.limit,
            .size(.mebibytes(32)...(.gibibytes(1 << 20))),
            "Database, its log and body files together, at every instant."
        ),
        SettingKey(
            "storage.max-object-size",
            \.storage.maxObjectSize,
            .size(.kibibytes(1)...(.gibibytes(1 << 20))),
            "Larger responses are relayed and not stored."
        ),
        SettingKey(
            "storage.keep-private",
            \.storage.keepPrivate,
            .choice,
            "Where responses are kept that belong to a credential or a partition: disk, or memory only (up to 64 KiB each)."
        ),
    ]

    private static let dns: [SettingKey] = [
        SettingKey(
            "dns.resolver",
            \.dns.resolver,
            .choice,
            "Who looks host names up: the daemon itself, or the C library on a few threads, which slow name servers occupy."
        ),
        SettingKey(
            "dns.servers",
            \.dns.servers,
            .list(of: .nameServer),
            "Name servers the daemon asks, in this order; empty: those of /etc/resolv.conf."
        ),
    ]

    private static let tunnel: [SettingKey] = [
        SettingKey(
            "tunnel.idle-timeout",
            \.tunnel.idleTimeout,
            .anyDuration,
            "A tunnel, WebSocket or event stream without bytes for so long ends."
        ),
        SettingKey(
            "tunnel.lifetime",
            \.tunnel.lifetime,
            .optional("off", .anyDuration),
            "A tunnel or WebSocket ends after so long even if it is in use."
        ),
        SettingKey("tunnel.websocket", \.tunnel.websocket, .flag, "Whether WebSocket handshakes are passed on."),
    ]

    private static let log: [SettingKey] = [
        SettingKey("log.level", \.log.level, .choice, "The least important lines that are written to standard error."),
        SettingKey("log.format", \.log.format, .choice, "How lines are written."),
        SettingKey("log.access", \.log.access, .flag, "One line per request."),
        SettingKey(
            "log.queue-size",
            \.log.queueSize,
            .size(.kibibytes(16)...(.gibibytes(1))),
            "Bytes of lines that wait for who reads them; while that stalls, further lines are dropped, counted and told."
        ),
        SettingKey(
            "log.secret-parameters",
            \.log.secretParameters,
            .list(of: .parameterName),
            "Query parameters whose values are left out of logs."
        ),
    ]

    private static let tls: [SettingKey] = [
        SettingKey(
            "tls.ca-files",
            \.tls.caFiles,
            .list(of: .path),
            "Files (PEM) of authorities to trust beside the system's; a relative path is looked for beside the settings file."
        ),
        SettingKey(
            "tls.certificate-file",
            \.tls.certificateFile,
            .optional("", .path),
            "The certificate that https:// listeners show, and those between it and its authority's (PEM)."
        ),
        SettingKey("tls.key-file", \.tls.keyFile, .optional("", .path), "Its key (PEM), without a password."),
    ]

    private static let access: [SettingKey] = [
        SettingKey(
            "access.clients",
            \.access.clients,
            .list(of: .addressRange),
            "Who may connect; a gateway lets everybody connect unless this is set."
        ),
        SettingKey(
            "access.command-clients",
            \.access.commandClients,
            .list(of: .addressRange),
            "Whose PURGE, BAN (mark stale) and REFRESH (load now) the proxy's port obeys; others get 403."
        ),
        SettingKey(
            "access.connect-ports",
            \.access.connectPorts,
            .list(of: .port),
            "Ports that CONNECT may reach."
        ),
        SettingKey(
            "access.blocked-ports",
            \.access.blockedPorts,
            .list(of: .port),
            "Ports of other protocols that no request may reach."
        ),
        SettingKey(
            "access.allow-open-proxy",
            \.access.allowOpenProxy,
            .flag,
            "Lets a forward proxy beyond loopback serve everybody; access.clients is the better way."
        ),
        SettingKey(
            "access.trust-loopback",
            \.access.trustLoopback,
            .flag,
            "Clients on loopback are the machine's user; false: they count for limits.max-connections-per-peer."
        ),
        SettingKey(
            "access.own-names",
            \.access.ownNames,
            .list(of: .ownName),
            "Names besides loopback's under which prefix, services and gateway answer, the last one also under its origin's; "
                + "\"*\": gateway answers to every name, for behind a terminator that sets Host: else web pages whose name leads here read it."
        ),
        SettingKey(
            "access.rebind-protection",
            \.access.rebindProtection,
            .choice,
            "Where names do not lead (DNS rebinding: a web page reads what is there), but literals, localhost, and names in "
                + "/etc/hosts or these settings do: loopback, private (networks, too), or off."
        ),
        SettingKey(
            "access.private-names",
            \.access.privateNames,
            .list(of: .privateName),
            "Names that lead inward by intent: \"*.localtest.me\", or \"corp.example\" with all names below it."
        ),
        SettingKey(
            "access.path-cookies",
            \.access.pathCookies,
            .choice,
            "Cookies where a path names the origin (/https://HOST/, /NAME/): scoped to that path and origin, drop, or pass as they "
                + "come, by which each origin gets the others'; by-listener: drop for plain HTTP from beyond loopback, else scoped."
        ),
        SettingKey(
            "access.destinations.loopback",
            \.access.destinations.loopback,
            .choice,
            "Whether requests may reach this machine; by-listener: if only this machine can connect."
        ),
        SettingKey(
            "access.destinations.private",
            \.access.destinations.private,
            .choice,
            "Whether requests may reach private networks; by-listener: if only this machine can connect."
        ),
    ]
}

extension SettingType where Value == Duration {
    /// From a millisecond to a year: what a timer takes.
    static var anyDuration: SettingType { .duration(.milliseconds(1)...(.seconds(31_536_000))) }

    /// As `anyDuration`, or 0.
    static var anyDurationOrZero: SettingType { .duration(.zero...(.seconds(31_536_000))) }
}
