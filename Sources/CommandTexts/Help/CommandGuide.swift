public import CommandSyntax

/// What help texts and the manual say about a command beside its summary, options and operands.
public struct CommandGuide: Sendable {
    /// Half a line for the list of commands.
    public let brief: String
    /// What the command does, and what it does by default.
    public let paragraphs: [String]
    /// Lines to type.
    public let examples: [String]

    init(_ brief: String, _ paragraphs: [String], _ examples: [String]) {
        self.brief = brief
        self.paragraphs = paragraphs
        self.examples = examples
    }
}

extension CommandSpecification {
    /// The guide to this command; for one without an entry, its summary.
    public var guide: CommandGuide { CommandGuide.all[name] ?? CommandGuide(summary, [], []) }
}

extension CommandGuide {
    /// By the command's name.
    public static let all: [String: CommandGuide] = beginning.merging(cassettes) { $1 }.merging(looking) { $1 }.merging(
        changing
    ) { $1 }
    .merging(settings) { $1 }.merging(authority) { $1 }.merging(others) { $1 }

    private static let daemon =
        "It asks the running daemon, by its admin API: at `admin`, or the socket of your own daemon. Exit code 4: no daemon "
        + "answers there."

    private static let beginning: [String: CommandGuide] = [
        "serve": CommandGuide(
            "runs the daemon in the foreground",
            [
                "By default clients connect to 127.0.0.1:3128 and administrators to 127.0.0.1:3129. The store is "
                    + "~/.cache/respite, at most 4 GiB. No settings file is needed; options override it.",
                "SIGTERM or Ctrl-C ends it, after the requests in progress; SIGHUP reads the settings again.",
            ],
            ["respite serve", "respite serve --listen 127.0.0.1:8080 --set storage.limit=20GiB"]
        ),
        "run": CommandGuide(
            "runs one command through the cache",
            [
                "It uses the running daemon. Without one, it starts one for this command, whose store stays for the next "
                    + "time. At the end it prints requests, hits and the bytes saved, on standard error.",
                "The exit code is the command's: 125 if there is no daemon, 126 and 127 if the command cannot be run or found.",
            ],
            ["respite run -- ./test.sh", "respite run --for pip -- pip download six"]
        ),
        "env": CommandGuide(
            "prints variables that point a shell here",
            [
                "By default these are the variables that most programs read: http_proxy, https_proxy, no_proxy, and those of CAs "
                    + "if there is a CA. With --for they are one tool's own, which give hits where a proxy variable would only "
                    + "make a tunnel."
            ],
            ["eval \"$(respite env)\"", "eval \"$(respite env --for pip)\"", "eval \"$(respite env --unset)\""]
        ),
    ]

    private static let looking: [String: CommandGuide] = [
        "status": CommandGuide(
            "shows how the daemon is",
            ["Addresses, mode, warnings, traffic, tunnels that passed unread, memory and store. " + daemon],
            ["respite status", "respite status --json"]
        ),
        "stats": CommandGuide(
            "shows what clients asked for and got",
            [
                "Requests, hits and bytes are counted by the daemon. Why requests were no hits, the origins and the time saved come "
                    + "from the latest requests that it keeps (`admin-recent-requests`). The time is an estimate: what loads of the same "
                    + "URL, or else of the same origin, took longer than the hits. " + daemon
            ],
            ["respite stats", "respite stats --since 1h", "respite stats --since 5m --json"]
        ),
        "top": CommandGuide(
            "shows what happens now",
            [
                "One frame a second, of the requests of the last five minutes: the URLs that are asked for most, the origins that take "
                    + "longest, and the URLs whose misses took most time, with the reason. q or Ctrl-C ends it. If the daemon "
                    + "stops, it says so and waits for it. " + daemon
            ],
            ["respite top", "respite top --once", "respite top --json | jq '.worst[0]'"]
        ),
        "ls": CommandGuide(
            "lists what is stored",
            [
                "All terms of a filter must match. Hits are those since a resource entered memory. " + daemon,
                "On a terminal the columns have titles, and the totals stand below. A narrow one gets fewer columns and a "
                    + "shortened URL. Elsewhere a line has the whole values between tabs: state, status, bytes, age and time "
                    + "left in seconds, for whom, hits, URL.",
            ],
            [
                "respite ls", "respite ls -l --sort size --limit 10", "respite ls 'http://host/**'",
                "respite ls 'status:404 state:fresh' --json",
            ]
        ),
        "show": CommandGuide(
            "shows one stored resource",
            [
                "All its variants, with status, age, lifetime, size and fields. Exit code 3: nothing is stored. "
                    + daemon,
                "With --as curl it prints a command for each variant: its request goes to the daemon, with the fields that select "
                    + "the variant. … stands for a value that is not stored, such as a password.",
            ],
            ["respite show http://example.org/", "respite show --as curl http://example.org/"]
        ),
        "explain": CommandGuide(
            "explains how a URL would be answered",
            [
                "It asks no origin server and changes nothing. For an https URL it also tells what becomes of a tunnel. "
                    + daemon,
                "With --request it says why one of the latest requests was answered as it was, from what was recorded then. "
                    + "Exit code 3: newer requests took its place.",
            ],
            [
                "respite explain http://example.org/", "respite explain http://example.org/ -H 'Accept-Language: de'",
                "respite explain --request 1k7x0g3p8",
            ]
        ),
        "tail": CommandGuide(
            "shows requests as they are answered",
            [
                "The daemon keeps the latest requests in memory, 2000 unless `admin-recent-requests` says another number. Ctrl-C ends the command. On a "
                    + "terminal the columns have titles, and a long URL is shortened. Elsewhere a line has the plain values between tabs: "
                    + "time, status, what became of it, method, microseconds, bytes of content, URL. " + daemon,
                "All terms of a filter must match: status=404, status=4xx,5xx, method=POST, cache=miss,stale, "
                    + "client=ADDRESS, service=NAME, slower=250ms, part of a URL, or a pattern. Values of secret parameters "
                    + "are masked (`log.secret-parameters`).",
            ],
            [
                "respite tail", "respite tail cache=miss 'http://host/**'",
                "respite tail --no-follow -n 100 status=5xx",
                "respite tail --json | jq .url",
            ]
        ),
        "watch": CommandGuide(
            "shows the changes of one resource",
            [
                "New content is compared with what was shown before: JSON by path, text line by line, other content and what is "
                    + "larger than 1 MiB by size. If the daemon stops, it says so and waits for it. Ctrl-C ends it. With --json a line "
                    + "is an event. " + daemon,
                "With --every, several watchers of one URL cause one load in that time, if the response can be stored.",
            ],
            [
                "respite watch https://api.example.com/v1", "respite watch --every 10s http://example.org/",
                "respite watch --json http://example.org/ | jq .event",
            ]
        ),
        "get": CommandGuide(
            "gets a URL through the cache",
            [
                "It sends a GET to the proxy's own port: an http URL as to a proxy, an https URL by the prefix gateway. The content "
                    + "goes to standard output, what the cache did to standard error. A file gets its name once it is complete. "
                    + "Redirects are not followed.",
                "Exit code 22: the response has a status of 400 or more, as with curl --fail-with-body. 1: it broke off. "
                    + daemon,
            ],
            [
                "respite get http://example.org/", "respite get -o page.html https://example.org/",
                "respite get --offline http://example.org/ -H 'Accept-Language: de'",
            ]
        ),
        "cat": CommandGuide(
            "prints the content of one resource",
            ["The content is as it is stored, maybe compressed. Exit code 3: nothing is stored. " + daemon],
            ["respite cat http://example.org/ > page.html"]
        ),
        "dashboard": CommandGuide(
            "opens the dashboard in a browser",
            [
                "The link logs one browser in. It works once, within a minute. In a pipe, or where there is no browser, it is "
                    + "printed. " + daemon
            ],
            ["respite dashboard", "respite dashboard --print"]
        ),
        "tunnels": CommandGuide(
            "lists open tunnels",
            ["Tunnels carry https, which the daemon neither reads nor stores unless it intercepts the host. " + daemon],
            ["respite tunnels"]
        ),
        "doctor": CommandGuide(
            "looks for what is wrong, and says what to do",
            [
                "It needs no daemon, and changes nothing. Each line says what was seen; an arrow, what to do about it. In a pipe "
                    + "a line has ok, note or fault, the subject, what was seen and what to do, between tabs.",
                "It looks up one host name, and looks at the proxy variables of the shell that runs it. Exit code 1: there is "
                    + "a fault.",
            ],
            ["respite doctor", "sudo respite doctor", "respite doctor --json"]
        ),
        "shared check": CommandGuide(
            "tries the server that machines share",
            [
                "It needs no daemon, disturbs none, and writes no file. By default it reads the settings that `serve` would read. On "
                    + "the server it uses keys of its own, and deletes them. Each line says what was seen; an arrow, what to "
                    + "do about it. In a pipe a line has ok, note or fault, the subject, what was seen and what to do, "
                    + "between tabs.",
                "Exit code 1: there is a fault, or the settings name no server. 2: the settings are wrong.",
            ],
            ["respite shared check", "respite shared check --set shared.url=redis://10.0.0.5 --json"]
        ),
        "log": CommandGuide(
            "shows or changes what the daemon logs",
            ["Without a category it shows which are on. The change lasts until the daemon ends. " + daemon],
            ["respite log common", "respite log cache staleness", "respite log none"]
        ),
    ]

    private static let changing: [String: CommandGuide] = [
        "mode": CommandGuide(
            "shows or changes how the network is used",
            [
                "online asks origin servers as HTTP requires; auto, the default, serves stale responses while an origin is "
                    + "down; offline asks nobody; replay is offline, and responses do not age. " + daemon
            ],
            ["respite mode offline", "respite mode github replay"]
        ),
        "put": CommandGuide(
            "serves content of your own for a URL",
            [
                "FILE may be - for standard input. By default the status is 200, and the content ends with the daemon or after "
                    + "cache.expiration-time. " + daemon
            ],
            ["respite put http://example.org/ page.html --ttl 1h"]
        ),
        "refresh": CommandGuide(
            "loads now, even what is stored",
            [
                "It prints for each URL whether it was loaded or not modified. A list is checked first: if a line is wrong, "
                    + "nothing is asked. Of a list it prints how many URLs were loaded, and those that could not be. "
                    + daemon
            ],
            [
                "respite refresh http://example.org/", "respite refresh 'http://example.org/**'",
                "respite refresh --from mirror.txt",
            ]
        ),
        "purge": CommandGuide(
            "removes from memory and store",
            [
                "A pattern for every host, such as **, is asked about on a terminal and wants --yes elsewhere. Exit code 3: "
                    + "nothing was stored for a URL, pattern or tag. " + daemon,
                "A tag is a name in Surrogate-Key, Cache-Tag, xkey or Cache-Groups of a response. Tags and URLs do not go "
                    + "together.",
            ],
            [
                "respite purge http://example.org/", "respite purge --dry-run 'http://example.org/**'",
                "respite purge --yes '**'", "respite purge --tag news --tag front-page",
            ]
        ),
        "wipe": CommandGuide(
            "removes from memory only",
            ["The next request gets the copy of the store. Exit code 3: nothing was in memory. " + daemon],
            ["respite wipe 'http://example.org/**'"]
        ),
        "invalidate": CommandGuide(
            "marks stale",
            ["The next request is validated at the origin server. Exit code 3: nothing was stored. " + daemon],
            ["respite invalidate 'http://example.org/**'"]
        ),
        "reload": CommandGuide(
            "reads the settings again",
            ["It prints what has changed, and what needs a restart. " + daemon],
            ["respite config check && respite reload"]
        ),
    ]

    private static let settings: [String: CommandGuide] = [
        "config check": CommandGuide(
            "checks the settings",
            [
                "It checks as thoroughly as a start does, and needs no daemon. By default it reads the file that `serve` would "
                    + "read. Exit code 2: there is a mistake, which it tells with file, line and column."
            ],
            ["respite config check", "respite config check respite.toml"]
        ),
        "config show": CommandGuide(
            "shows the effective settings",
            [
                "By default these are the settings that `serve` with these options would have. With a URL it shows the service, "
                    + "rules and transformers that apply."
            ],
            ["respite config show", "respite config show https://api.example.com/v1 --live"]
        ),
        "config schema": CommandGuide(
            "lists all settings",
            ["By default as text; --toml prints a settings file to begin with."],
            ["respite config schema", "respite config schema --toml > respite.toml"]
        ),
    ]

    private static let authority: [String: CommandGuide] = [
        "passwd": CommandGuide(
            "sets the password of a proxy user",
            [
                "The file is that of access.login-file; it is made if there is none, for its owner alone. At a terminal the "
                    + "password is asked for twice and not shown; elsewhere it is the first line of standard input. The line "
                    + "has a hash of yescrypt, as `mkpasswd -m yescrypt` makes it. Exit code 3: no such user to remove."
            ],
            ["respite passwd /etc/respite/logins alice", "respite passwd /etc/respite/logins alice --delete"]
        ),
        "ca create": CommandGuide(
            "makes a CA of your own",
            [
                "By default it is valid for two years and for every host. Its key is a secret: name the hosts with --for, and "
                    + "a stolen key is worth less."
            ],
            ["respite ca create --for example.org"]
        ),
        "ca show": CommandGuide(
            "shows the CA",
            ["Exit code 3: there is no CA."],
            ["respite ca show"]
        ),
        "ca trust": CommandGuide(
            "lets this machine trust the CA",
            ["The system's store needs root. By default it changes all stores that it finds."],
            ["respite ca trust --dry-run", "sudo respite ca trust"]
        ),
        "ca untrust": CommandGuide(
            "undoes `ca trust`",
            ["By default it looks into all stores that `ca trust` knows."],
            ["respite ca untrust"]
        ),
        "ca export": CommandGuide(
            "prints the CA's certificate",
            ["By default as PEM, to standard output."],
            ["respite ca export --out respite-ca.pem", "respite ca export --bundle > all-cas.pem"]
        ),
    ]

    private static let others: [String: CommandGuide] = [
        "match": CommandGuide(
            "tells which URLs fit a pattern",
            ["It needs no daemon. By default the pattern is one of URLs, as in rules, `ls` and `purge`."],
            ["respite match 'https://*.example.org/**' https://a.example.org/x"]
        ),
        "man": CommandGuide("prints a manual page", ["For packagers."], ["respite man respite.1 | man -l -"]),
        "completion": CommandGuide(
            "prints a shell's completion script",
            [
                "It has all commands, their options, and values where only some are valid. Packages and `make install` put it "
                    + "where shells look for it; for another installation, read it at the start of the shell."
            ],
            [
                "source <(respite completion bash)", "source <(respite completion zsh)",
                "respite completion fish | source",
            ]
        ),
        "version": CommandGuide("prints the version", ["It needs no daemon."], ["respite version"]),
        "help": CommandGuide(
            "describes a command",
            ["Without a command it lists all of them; with `ca` or `config`, their parts."],
            ["respite help ls", "respite help ca trust"]
        ),
    ]
}
