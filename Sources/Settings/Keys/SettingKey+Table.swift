import CommandSyntax

// The table of all settings, from which file, command line, `respite config` and etc/respite.toml are made.

extension SettingKey {
    /// All settings, in the order of the documentation.
    public static let all: [SettingKey] =
        general + memory + storage + shared + limits + upstream + cache + dns + tunnel + log + telemetry + tls
        + intercept + access + pac

    /// Settings by name.
    static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The sections, such as `limits` or `access.destinations`.
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
            "Addresses where clients connect; with https:// they connect by TLS. Sockets from systemd replace these."
        ),
        SettingKey(
            "admin",
            \.admin,
            .list(of: .listenAddress),
            "Addresses of the admin API: loopback addresses or Unix sockets. Empty: no admin API."
        ),
        SettingKey(
            "admin-token-file",
            \.adminTokenFile,
            .optional("", .path),
            "File of the admin token. Empty: admin-token in the storage directory."
        ),
        SettingKey(
            "admin-read-token-file",
            \.adminReadTokenFile,
            .optional("", .path),
            "File of a second token, which you make. It changes nothing and reads no content, no settings. Its group may read the file."
        ),
        SettingKey(
            "admin-hosts",
            \.adminHosts,
            .list(of: .hostName),
            "Host names under which the admin API answers, besides its own addresses."
        ),
        SettingKey(
            "admin-recent-requests",
            \.adminRecentRequests,
            .count(0...20_000),
            "How many of the latest requests are kept in memory, for `respite tail`, the dashboard and the admin API. 0: none."
        ),
        SettingKey("loops", \.loops, .count(0...256), "Threads that serve clients. 0: one per core."),
        SettingKey(
            "mode",
            \.mode,
            .choice,
            "How the network is used: online (ask origin servers), auto (probe those that fail), offline (ask none), replay (offline, and ages stand still)."
        ),
        SettingKey(
            "gateway",
            \.gateway,
            .optional("", .origin),
            "Origin server that Respite stands in front of, as a reverse proxy and nothing else. Empty: a forward proxy."
        ),
        SettingKey(
            "gateway-host",
            \.gatewayHost,
            .choice,
            "Host that a reverse proxy sends in Host: its origin's, or the one the client named, which then belongs to the cache key."
        ),
        SettingKey(
            "hosts",
            \.hosts,
            .hosts,
            "Addresses of host names, instead of the resolver's: { \"a.example\" = \"192.0.2.1\" }.",
            combine: { $0.merge($1) { _, new in new } }
        ),
        SettingKey(
            "rules",
            \.presets,
            .presets,
            "Rules that come with Respite, for the package index that the tool here names: \(RulePreset.names). "
                + "\"pip=https://INDEX/simple\" names it instead. Hosts that its pages link to are included.",
            combine: { rules, new in rules += new.filter { !rules.contains($0) } }
        ),
    ]

    private static let memory: [SettingKey] = [
        SettingKey(
            "memory.limit",
            \.memory.limit,
            .size(.mebibytes(1)...(.gibibytes(4096))),
            "Memory for stored responses, their fields included."
        )
    ]

    private static let storage: [SettingKey] = [
        SettingKey(
            "storage.directory",
            \.storage.directory,
            .location,
            "Directory of the store: new, empty, or an existing store. Empty: respite in the user's cache directory. none: no store on disk."
        ),
        SettingKey(
            "storage.limit",
            \.storage.limit,
            .storageLimit,
            "Largest size of the store on disk at any time: database, its log and body files. \"80%\": of the whole file system."
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
            "Where responses of a credential or a partition are stored: on disk, or in memory only (up to 64 KiB each)."
        ),
        SettingKey(
            "storage.compress",
            \.storage.compress,
            .choice,
            "Content stored compressed if that saves a fifth: text from 4 to 64 KiB (auto), all up to 64 KiB, or none (off)."
        ),
    ]

    private static let dns: [SettingKey] = [
        SettingKey(
            "dns.resolver",
            \.dns.resolver,
            .choice,
            "What looks up host names: the daemon itself, or the C library on a few threads, which slow name servers block."
        ),
        SettingKey(
            "dns.servers",
            \.dns.servers,
            .list(of: .nameServer),
            "Name servers that the daemon asks, in this order. Empty: those of /etc/resolv.conf."
        ),
    ]

    private static let tunnel: [SettingKey] = [
        SettingKey(
            "tunnel.idle-timeout",
            \.tunnel.idleTimeout,
            .anyDuration,
            "A tunnel, WebSocket or event stream ends after this long without bytes."
        ),
        SettingKey(
            "tunnel.lifetime",
            \.tunnel.lifetime,
            .optional("off", .anyDuration),
            "A tunnel or WebSocket ends after this long, even while it is in use."
        ),
        SettingKey("tunnel.websocket", \.tunnel.websocket, .flag, "Whether WebSocket handshakes are passed on."),
    ]

    private static let log: [SettingKey] = [
        SettingKey("log.level", \.log.level, .choice, "The least important lines that are written to standard error."),
        SettingKey("log.format", \.log.format, .choice, "The format of the lines."),
        SettingKey("log.access", \.log.access, .flag, "Whether each request is logged, on one line."),
        SettingKey(
            "log.access-format",
            \.log.accessFormat,
            .optional("", .accessFormat),
            "The format of these lines. Empty: log.format. \"combined\" is Apache's and nginx's, which analysers read. "
                + "Text with nginx's variables, such as \"$remote_addr $status\", is a format, too."
        ),
        SettingKey(
            "log.access-file",
            \.log.accessFile,
            .optional("", .path),
            "File of these lines, opened again on SIGUSR2. Empty: standard error."
        ),
        SettingKey(
            "log.access-sample",
            \.log.accessSample,
            .count(1...1_000_000),
            "One request of this many is logged, at random."
        ),
        SettingKey(
            "log.queue-size",
            \.log.queueSize,
            .size(.kibibytes(16)...(.gibibytes(1))),
            "Most bytes of lines that wait for a slow reader; beyond it lines are dropped, counted and reported."
        ),
        SettingKey(
            "log.secret-parameters",
            \.log.secretParameters,
            .list(of: .parameterName),
            "Query parameters whose values are left out of logs."
        ),
    ]

    private static let telemetry: [SettingKey] = [
        SettingKey(
            "telemetry.otlp",
            \.telemetry.otlp,
            .optional("", .collector),
            "Collector of OpenTelemetry that gets a span of each request and load, by OTLP/HTTP as JSON. Empty: none does."
        ),
        SettingKey(
            "telemetry.sample",
            \.telemetry.sample,
            .fraction,
            "Share of requests without a trace that begin one. A client's own trace is continued if it is recorded."
        ),
    ]

    private static let tls: [SettingKey] = [
        SettingKey(
            "tls.ca-files",
            \.tls.caFiles,
            .list(of: .path),
            "Files (PEM) of CAs to trust besides the system's. A relative path starts beside the settings file."
        ),
        SettingKey(
            "tls.certificate-file",
            \.tls.certificateFile,
            .optional("", .path),
            "Certificate of https:// listeners, followed by those between it and its CA (PEM)."
        ),
        SettingKey("tls.key-file", \.tls.keyFile, .optional("", .path), "Its key (PEM), without a password."),
    ]

    private static let access: [SettingKey] = [
        SettingKey(
            "access.clients",
            \.access.clients,
            .list(of: .addressRange),
            "Addresses that may connect; to a gateway all may, unless this is set. Listed, they need no login."
        ),
        SettingKey(
            "access.login-file",
            \.access.loginFile,
            .optional("", .path),
            "Users that `respite passwd` writes. Every listener then requires a login, from all addresses but those "
                + "that access.clients lists; its default lists none, nor does a list of all."
        ),
        SettingKey(
            "access.command-clients",
            \.access.commandClients,
            .list(of: .addressRange),
            "Addresses whose PURGE, BAN (mark stale) and REFRESH (load now) the proxy's port obeys; others get 403."
        ),
        SettingKey(
            "access.connect-ports",
            \.access.connectPorts,
            .ports,
            "Ports that CONNECT may reach. \"any\": all but access.blocked-ports."
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
            "Whether clients on loopback are the machine's user; false: they count for limits.max-connections-per-peer."
        ),
        SettingKey(
            "access.own-names",
            \.access.ownNames,
            .list(of: .ownName),
            "Names besides loopback's under which prefix, services and gateway answer: \"proxy.example\", \"*.lan\"; "
                + "gateway also answers under its origin's. \"*\": gateway answers under every name. Use that only behind "
                + "a proxy that sets Host: else web pages whose name leads here can read it."
        ),
        SettingKey(
            "access.rebind-protection",
            \.access.rebindProtection,
            .choice,
            "Addresses that host names must not lead to, against DNS rebinding by web pages: loopback, private "
                + "(private networks, too), or off. Address literals, localhost, and names in /etc/hosts or these "
                + "settings are exempt."
        ),
        SettingKey(
            "access.private-names",
            \.access.privateNames,
            .list(of: .privateName),
            "Names that lead to inner addresses on purpose: \"app.example\", \"**.corp.example\" (that name and all below it)."
        ),
        SettingKey(
            "access.path-cookies",
            \.access.pathCookies,
            .choice,
            "Cookies where a path names the origin (/https://HOST/, /NAME/): scoped (to that path and origin), "
                + "drop, or pass (unchanged, so each origin gets those of others). by-listener: drop for plain HTTP "
                + "from beyond loopback, else scoped."
        ),
        SettingKey(
            "access.destinations.loopback",
            \.access.destinations.loopback,
            .choice,
            "Whether requests may reach this machine. by-listener: if only this machine can connect."
        ),
        SettingKey(
            "access.destinations.private",
            \.access.destinations.private,
            .choice,
            "Whether requests may reach private networks. by-listener: if only this machine can connect."
        ),
    ]

    private static let pac: [SettingKey] = [
        SettingKey(
            "pac.direct",
            \.pac.direct,
            .list(of: .noProxyPattern),
            "Hosts that /proxy.pac has clients reach without Respite, besides loopback and names without a dot; as upstream.no-proxy."
        ),
        SettingKey(
            "pac.fallback-direct",
            \.pac.fallbackDirect,
            .flag,
            "Whether clients of /proxy.pac go on without Respite while they cannot reach it."
        ),
    ]
}

extension SettingType where Value == Duration {
    /// From a millisecond to a year, the range of timers.
    static var anyDuration: SettingType { .duration(.milliseconds(1)...(.seconds(31_536_000))) }

    /// Like `anyDuration`, or 0.
    static var anyDurationOrZero: SettingType { .duration(.zero...(.seconds(31_536_000))) }
}
