/// A subcommand with its options and operands.
public struct CommandSpecification: Sendable {
    /// One or two words: `serve`, `config show`.
    public let name: String
    public let summary: String
    public let options: [CommandOption]
    /// Arguments other than options.
    public let operands: Operands
    /// Whether help texts omit it, since it is for packagers.
    let isHidden: Bool

    init(name: String, summary: String, options: [CommandOption], operands: Operands, isHidden: Bool = false) {
        self.name = name
        self.summary = summary
        self.options = options
        self.operands = operands
        self.isHidden = isHidden
    }

    /// How many operands a command accepts, with the word for them in help texts.
    public enum Operands: Sendable, Equatable {
        case none
        case optional(String)
        case one(String)
        case many(String)
        case any(String)
        case two(String, String)
        /// One operand, and then one or more.
        case oneAndMany(String, String)
        /// At most two operands, such as a service and a mode.
        case upToTwo(String, String)
        /// A program and its arguments: everything after the first operand is an operand, too.
        case program(String)
        /// A file, and then a program and its arguments.
        case fileAndProgram(String, String)

        /// The index of the operand that names a program; nil if none does.
        var programIndex: Int? {
            switch self {
            case .program: 0
            case .fileAndProgram: 1
            case .none, .optional, .one, .many, .any, .two, .oneAndMany, .upToTwo: nil
            }
        }

        var usage: String {
            switch self {
            case .none: ""
            case .optional(let name): " [\(name)]"
            case .one(let name): " \(name)"
            case .many(let name), .program(let name): " \(name)…"
            case .any(let name): " [\(name)…]"
            case .two(let first, let second): " \(first) \(second)"
            case .oneAndMany(let first, let second): " \(first) \(second)…"
            case .fileAndProgram(let first, let second): " \(first) -- \(second)…"
            case .upToTwo(let first, let second): " [[\(first)] \(second)]"
            }
        }

        /// Why this number of operands is wrong; nil if it is right.
        func fault(count: Int) -> String? {
            switch (self, count) {
            case (.none, 0), (.optional, 0...1), (.one, 1), (.many, 1...), (.program, 1...), (.any, _), (.two, 2),
                (.oneAndMany, 2...), (.fileAndProgram, 2...), (.upToTwo, 0...2):
                nil
            case (.one(let name), 0), (.many(let name), 0), (.program(let name), 0),
                (.two(let name, _), 0), (.two(_, let name), 1), (.oneAndMany(let name, _), 0),
                (.oneAndMany(_, let name), 1), (.fileAndProgram(let name, _), 0),
                (.fileAndProgram(_, let name), 1):
                "\(name) is missing"
            case (_, _): "too many arguments"
            }
        }
    }
}

extension CommandSpecification {
    /// `respite purge [options] URL…`.
    public var usage: String { "respite \(name)" + (options.isEmpty ? "" : " [options]") + operands.usage }

    /// All subcommands, in the order of `respite help`.
    public static let all: [CommandSpecification] = [
        CommandSpecification(
            name: "serve",
            summary: "Runs the daemon.",
            options: settingsOptions,
            operands: .none
        ),
        CommandSpecification(
            name: "run",
            summary:
                "Runs a command with its HTTP traffic through the cache, and package managers with rules for their index.",
            options: runOptions,
            operands: .program("COMMAND")
        ),
        record, replay,
        client(
            "env",
            "Prints the shell variables that make programs use the daemon: eval \"$(respite env)\".",
            environmentOptions + [
                CommandOption("listen", value: "ADDR", repeats: true, setting: "listen", "where clients connect"),
                CommandOption("unset", "prints what removes them"),
                CommandOption("fish", "for the shell fish"),
            ]
        ),
        client("status", "Shows how the daemon is and what it has stored.", [noPager]),
        client(
            "stats",
            "Shows what clients asked for and got: hits, loads and errors, bytes and time saved, why requests were no hits, origins.",
            [
                CommandOption(
                    "since",
                    value: "TIME",
                    "only the last 30s, 5m or 1h, a day at most; default: since the start"
                ),
                noPager,
            ]
        ),
        client(
            "top",
            "Shows what happens now, on the whole screen: requests a second, hottest URLs, slowest origins, worst misses.",
            [CommandOption("once", "prints one frame and ends, as in a pipe")]
        ),
        client(
            "ls",
            "Lists stored resources, all or by a filter: part of a URL, a pattern with *, ** or {a,b}, status:404, state:fresh.",
            [
                CommandOption("long", short: "l", "also where it is, how many variants, and the media type"),
                CommandOption(
                    "sort",
                    value: "ORDER",
                    "by url, state, status, size, age, ttl or hits; numbers from the largest; default: as stored"
                ),
                CommandOption("reverse", short: "r", "the other way round than --sort"),
                CommandOption("limit", value: "N", "at most N resources"),
                noHeader, noPager,
            ],
            .optional("FILTER")
        ),
        client(
            "show",
            "Shows everything about one stored resource.",
            [CommandOption("as", value: "FORM", "the request that gets it, as a command: curl"), noPager],
            .one("URL")
        ),
        client(
            "explain",
            "Explains how a GET, or another request, for a URL would be answered now, and why.",
            [
                CommandOption(
                    "header",
                    short: "H",
                    value: "FIELD",
                    repeats: true,
                    "a request field, such as \"Accept: a/b\""
                ),
                CommandOption("method", short: "X", value: "METHOD", "the request's method; default: GET"),
                CommandOption("request", value: "ID", "why a request of the past was a hit or a miss, see tail --long"),
                noPager,
            ],
            .optional("URL")
        ),
        client(
            "tail",
            "Shows the latest requests, and further ones as they are answered; all, or by a filter: status=5xx, cache=miss, method=POST, a pattern.",
            [
                CommandOption("lines", short: "n", value: "N", "begins with the last N requests; default: 20"),
                CommandOption("no-follow", "shows these and ends"),
                CommandOption("har", "writes all that are kept as an HTTP Archive, and ends"),
                CommandOption("long", short: "l", "also the identifier, for explain --request"),
            ],
            .any("FILTER")
        ),
        client(
            "watch",
            "Shows the state of one resource, and then each change, with what differs in its content.",
            [
                CommandOption(
                    "every",
                    value: "TIME",
                    "has it loaded once in this time, such as 10s, for all watchers together; default: as others cause it"
                )
            ],
            .one("URL")
        ),
        client(
            "get",
            "Gets a URL through the cache, as clients of the daemon do, and says what the cache did.",
            [
                CommandOption("output", short: "o", value: "FILE", "to this file, once it is complete"),
                CommandOption(
                    "header",
                    short: "H",
                    value: "FIELD",
                    repeats: true,
                    "a request field, such as \"Accept: a/b\""
                ),
                CommandOption("refresh", "asks the origin, even if a fresh response is stored"),
                CommandOption("offline", "asks no origin: exit code 3 if nothing usable is stored"),
            ],
            .one("URL"),
            hasJSON: false
        ),
        client("cat", "Prints the content of one stored resource.", [], .one("URL")),
        client(
            "put",
            "Replaces the stored response of a URL by content of your own, for a while.",
            [
                CommandOption("type", value: "TYPE", "its media type; default: that of the stored response"),
                CommandOption("ttl", value: "TIME", "how long it is served; default: cache.expiration-time"),
                CommandOption("status", value: "N", "its status; default: 200"),
                CommandOption("content-only", "keeps status, type and other fields of the stored response"),
                CommandOption("durable", "keeps it over a restart, too"),
            ],
            .two("URL", "FILE")
        ),
        export, archiveImport,
        client(
            "refresh",
            "Makes the daemon load URLs now, even if they are stored; a pattern means what is stored and fits.",
            [CommandOption("from", value: "FILE", "also the URLs of a file, one a line; - is standard input")],
            .any("URL")
        ),
        client(
            "purge",
            "Removes resources from memory and store, by URL, by pattern with * and **, or by tag.",
            [
                CommandOption("tag", value: "NAME", repeats: true, "removes the responses with this tag or group"),
                CommandOption("dry-run", "lists what would be removed, and removes nothing"),
                CommandOption("yes", short: "y", "does not ask before a pattern for every host, such as **"),
            ],
            .any("URL")
        ),
        client("wipe", "Removes resources from memory, named as for purge; the store keeps them.", [], .many("URL")),
        client("invalidate", "Marks resources stale, by URL or by patterns with * and **.", [], .many("URL")),
        CommandSpecification(
            name: "match",
            summary: "Tells which URLs fit a pattern; exit status 0 if one does, 1 if none does.",
            options: [
                CommandOption("host", "the pattern is one of hosts, as in intercept.hosts: no scheme, no path"), json,
            ],
            operands: .oneAndMany("PATTERN", "URL")
        ),
        client(
            "dashboard",
            "Opens the dashboard in a browser, by a link that works once.",
            [CommandOption("print", "prints the link instead")]
        ),
        client(
            "tunnels",
            "Lists open tunnels: client, destination, bytes from the client and to it.",
            [noHeader, noPager]
        ),
        client(
            "doctor",
            "Looks for what keeps a daemon and this shell from working: ports, store, disk, clock, CAs, names, secrets, variables, systemd.",
            [CommandOption("listen", value: "ADDR", repeats: true, setting: "listen", "where clients connect")]
        ),
        client(
            "log",
            "Shows which categories of messages the daemon logs, or changes them: "
                + "\(LogCategoryNames.categories.joined(separator: ", ")); or common, detailed, all, none.",
            [],
            .any("CATEGORY")
        ),
        client(
            "mode",
            "Shows how the network is used, or changes it: online, auto, offline or replay.",
            [],
            .upToTwo("SERVICE", "MODE")
        ),
        client("reload", "Makes the daemon read its settings again; a wrong file changes nothing."),
        CommandSpecification(
            name: "passwd",
            summary: "Sets the password of a user in a login file, or removes the user.",
            options: [CommandOption("delete", "removes the user")],
            operands: .two("FILE", "USER")
        ),
        authority(
            "ca create",
            "Creates a CA of your own, whose certificates hosts in `intercept.hosts` show; nobody trusts it yet.",
            [
                CommandOption(
                    "name",
                    value: "NAME",
                    "its common name; default: \"Respite local CA\" with this machine's name"
                ),
                CommandOption(
                    "for",
                    value: "HOST",
                    repeats: true,
                    "the hosts it is valid for: a name with all below it, an address or a network; default: every host"
                ),
                CommandOption("days", value: "N", "how long it is valid; default: 730, two years"),
                CommandOption("force", "replaces an existing CA, unless something here trusts that"),
                CommandOption("leave-trusted", "replaces it even if programs go on trusting the old one"),
            ]
        ),
        authority("ca show", "Shows the CA, how long it is valid and where its files are."),
        authority(
            "ca trust",
            "Makes the system and this user's browsers trust the CA, by the system's programs, and prints what it did.",
            [CommandOption("dry-run", "prints what it would do")]
        ),
        authority(
            "ca untrust",
            "Undoes what `ca trust` did, and nothing else.",
            [CommandOption("dry-run", "prints what it would do")]
        ),
        authority(
            "ca export",
            "Prints the certificate of the CA for clients that should trust it; never its key.",
            [
                CommandOption("out", value: "FILE", "to this file; default: standard output"),
                CommandOption("format", value: "FORMAT", "pem or der; default: pem"),
                CommandOption(
                    "bundle",
                    "behind all CAs that the system trusts, for programs that read one file only"
                ),
            ]
        ),
        CommandSpecification(
            name: "config check",
            summary: "Checks the settings file and options.",
            options: settingsOptions,
            operands: .optional("FILE")
        ),
        CommandSpecification(
            name: "config show",
            summary: "Shows the effective settings, or those for a URL, and where each is set.",
            options: settingsOptions + [
                CommandOption("method", value: "METHOD", "the method of a request for the URL; default: GET"),
                CommandOption("live", "those of the running daemon: from its start and from reloads"),
                CommandOption("token-file", value: "FILE", setting: "admin-token-file", "the admin token, for --live"),
                json, noPager,
            ],
            operands: .optional("URL")
        ),
        CommandSpecification(
            name: "config schema",
            summary: "Lists all settings with type, default and meaning.",
            options: [json, CommandOption("toml", "as a settings file with all defaults"), noPager],
            operands: .none
        ),
        sharedCheck, cassetteShow, cassetteCheck, cassettePrune,
        CommandSpecification(
            name: "man",
            summary: "Prints a manual page: \(ManualPage.names).",
            options: [],
            operands: .one("PAGE"),
            isHidden: true
        ),
        CommandSpecification(
            name: "completion",
            summary: "Prints the script by which a shell completes command lines: \(CompletionShell.names).",
            options: [],
            operands: .one("SHELL")
        ),
        CommandSpecification(name: "version", summary: "Prints the version.", options: [], operands: .none),
        CommandSpecification(
            name: "help",
            summary: "Describes a command.",
            options: [noPager],
            operands: .any("COMMAND")
        ),
    ]

    /// The commands that help texts name.
    public static let listed = all.filter { !$0.isHidden }

    /// Exit codes and their meanings.
    public static let exitCodes = [
        (0, "Done."), (1, "Failed."), (2, "Wrong usage or settings."), (3, "Not found."), (4, "No daemon answers."),
    ]

    static let json = CommandOption("json", "as JSON")

    static let noPager = CommandOption("no-pager", "prints long output at once, also on a terminal")

    private static let noHeader = CommandOption("no-header", "on a terminal, too, only the lines: no titles, no totals")

    private static let rules = CommandOption(
        "rules",
        value: "NAME",
        repeats: true,
        setting: "rules",
        "rules for a package index: \(RulePreset.names); NAME=URL names the index"
    )

    private static let settingsOptions = [
        CommandOption("config", value: "FILE", "the settings file"),
        CommandOption("listen", value: "ADDR", repeats: true, setting: "listen", "where clients connect"),
        CommandOption("admin", value: "ADDR", repeats: true, setting: "admin", "where the admin API answers"),
        CommandOption("store", value: "DIR", setting: "storage.directory", "directory of the store, or none"),
        CommandOption("loops", value: "N", setting: "loops", "threads that serve clients; 0: one per core"),
        CommandOption("gateway", value: "URL", setting: "gateway", "be a reverse proxy for this origin"),
        CommandOption("mode", value: "MODE", setting: "mode", "online, auto, offline or replay"),
        rules,
        CommandOption("set", value: "KEY=VALUE", repeats: true, "any other setting"),
    ]

    private static let environmentOptions = [
        CommandOption(
            "for",
            value: "TOOL",
            repeats: true,
            "what this tool needs, in its own settings: pip, uv, npm, yarn, pnpm, cargo, go, git, apt, gem, mvn, gradle, docker, skopeo, podman, curl, wget, python, node, java"
        ),
        CommandOption("index", value: "URL", "the package index, if the tool cannot be asked for it"),
        CommandOption(
            "no-proxy",
            value: "LIST",
            "hosts that are asked directly; default: those of no_proxy and this machine"
        ),
    ]

    private static let runOptions =
        environmentOptions + [
            CommandOption("own", "uses a daemon of its own, even if one runs"),
            CommandOption(
                "intercept",
                optionalValue: "=HOSTS",
                "reads https by a CA for this command and a day; HOSTS limit it: a.example,*.b.example"
            ),
            rules,
            CommandOption("quiet", short: "q", "prints nothing of its own"),
            CommandOption(
                "mode",
                value: "MODE",
                setting: "mode",
                "online, auto, offline or replay, for a daemon of its own"
            ),
            CommandOption("set", value: "KEY=VALUE", repeats: true, "any setting, for a daemon of its own"),
            CommandOption("config", value: "FILE", "the settings file"),
            CommandOption("admin", value: "ADDR", setting: "admin", "where the running daemon's admin API answers"),
            CommandOption(
                "store",
                value: "DIR",
                setting: "storage.directory",
                "the store of a daemon of its own, or none; also where the running daemon's token is"
            ),
            CommandOption(
                "token-file",
                value: "FILE",
                setting: "admin-token-file",
                "the admin token of the running daemon"
            ),
        ]

    private static let clientOptions = [
        CommandOption("config", value: "FILE", "the settings file, for the address and token of the daemon"),
        CommandOption("admin", value: "ADDR", setting: "admin", "where the admin API answers"),
        CommandOption("store", value: "DIR", setting: "storage.directory", "the daemon's store, for its token"),
        CommandOption("token-file", value: "FILE", setting: "admin-token-file", "the admin token"),
        CommandOption("set", value: "KEY=VALUE", repeats: true, "any setting"),
    ]

    private static let authorityOptions = [
        CommandOption("config", value: "FILE", "the settings file, for the CA's directory"),
        CommandOption("ca-directory", value: "DIR", setting: "intercept.ca-directory", "directory of the CA's files"),
        CommandOption("set", value: "KEY=VALUE", repeats: true, "any setting"),
    ]

    private static func authority(
        _ name: String,
        _ summary: String,
        _ options: [CommandOption] = []
    ) -> CommandSpecification {
        let all = options + authorityOptions + (name == "ca export" ? [] : [json])
        return CommandSpecification(name: name, summary: summary, options: all, operands: .none)
    }

    static func client(
        _ name: String,
        _ summary: String,
        _ options: [CommandOption] = [],
        _ operands: Operands = .none,
        hasJSON: Bool = true
    ) -> CommandSpecification {
        let all = options + clientOptions + (hasJSON ? [json] : [])
        return CommandSpecification(name: name, summary: summary, options: all, operands: operands)
    }
}
