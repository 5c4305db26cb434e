/// The text of the manual apart from the tables of commands and settings.
enum ManualProse {
    static let description = """
        respite is a caching HTTP/1.1 proxy. Clients reach it as a forward proxy (http_proxy=http://127.0.0.1:3128), by the
        URL of what they want behind its own address (http://127.0.0.1:3128/http://example.org/), or by the name of a
        service in the settings (http://127.0.0.1:3128/NAME/, http://NAME.localhost:3128/). Each URL is loaded once for
        all clients, whatever route they use.

        It needs no settings file. respite.toml(5) lists the settings; --set KEY=VALUE sets one for one run, and overrides
        the file. Commands that ask a running daemon find its address and token by the same options and file.
        """

    static let signals: [(String, String)] = [
        ("SIGHUP", "Reads settings and secret files again, all or nothing; no exchange is interrupted."),
        ("SIGUSR1", "Removes unused responses from memory; the store keeps its copies."),
        ("SIGUSR2", "Opens the file of the access log again, after it was renamed."),
        (
            "SIGTERM, SIGINT",
            "Accepts no more requests, and waits limits.drain-timeout for those in progress. A second one stops at once. "
                + "A daemon that does not serve yet ends at once, with exit code 0; SIGHUP, SIGUSR1 and SIGUSR2 wait until it serves."
        ),
    ]

    static let environment: [(String, String)] = [
        ("XDG_CONFIG_HOME, HOME", "Where the settings file is searched."),
        ("XDG_CACHE_HOME", "Where the store is, unless storage.directory is set."),
        ("XDG_DATA_HOME, STATE_DIRECTORY", "Where the CA's files are, unless intercept.ca-directory is set."),
        ("XDG_RUNTIME_DIR", "Where token and socket of the admin API are, if there is no store on disk."),
        (
            "CREDENTIALS_DIRECTORY",
            "Where secret files with a relative path NAME are searched first, as NAME and as secrets_NAME. "
                + "LoadCredential=secrets:DIRECTORY makes the latter from the files of a directory; see systemd.exec(5). "
                + "The service manager fills it at the start, so a changed secret there needs a restart."
        ),
        ("NOTIFY_SOCKET, WATCHDOG_USEC", "Set by the service manager; see sd_notify(3)."),
        (
            "MEMORY_PRESSURE_WATCH, MEMORY_PRESSURE_WRITE",
            "The file that reports memory pressure, and what to write to it. Default: memory.pressure of the control group or of "
                + "the machine. Under pressure, unused responses leave memory; the store keeps them. /dev/null: nothing is watched."
        ),
        ("LISTEN_FDS, LISTEN_FDNAMES", "Sockets from the service manager; see systemd.socket(5)."),
        ("NO_COLOR, TERM", "No colours on a terminal if NO_COLOR is set, or TERM is dumb."),
        (
            "RESPITE_PAGER, PAGER, LESS",
            "What shows output that is longer than the terminal: the first that is set, else less. Empty: nothing does. LESS is "
                + "FRX unless it is set."
        ),
        ("COLUMNS", "How many characters a line of the terminal has. Default: what the terminal says."),
    ]

    static let files: [(String, String)] = [
        ("$XDG_CONFIG_HOME/respite/respite.toml, ~/.config/respite/respite.toml", "The settings of a user."),
        ("/etc/respite/respite.toml", "The settings of the machine, for users without their own."),
        ("conf.d/*.toml beside the settings file", "More settings, in the order of their names."),
        (
            "$XDG_CACHE_HOME/respite, ~/.cache/respite, /var/cache/respite",
            "The store, with the files admin-token and admin.sock; the last one for root."
        ),
        (
            "$XDG_DATA_HOME/respite/ca, ~/.local/share/respite/ca, /var/lib/respite/ca",
            "The CA of respite ca create: ca.pem, which clients trust, and ca.key; the last one for root and the service."
        ),
    ]

    static let examples: [(String, String)] = [
        (
            "Running one command with its traffic through the cache, by the running daemon or by one of its own. The exit status is "
                + "the command's (125 if there is no daemon and none can start, 126 and 127 if the command cannot be run or found):",
            "respite run -- ./test.sh\nrespite run --for pip -- pip install -r requirements.txt"
        ),
        (
            "Starting with the defaults, and a request through it:",
            "respite serve &\ncurl -x http://127.0.0.1:3128 http://example.org/"
        ),
        (
            "The settings for a URL in the running daemon, and where each is set:",
            "respite config show https://api.example.com/v1/items --live"
        ),
        ("Changing the settings file of a running daemon:", "respite config check && respite reload"),
    ]

    static let format = """
        The settings file of respite(1) is TOML 1.0. The whole file is checked before any setting takes effect. All mistakes
        are reported at once, sorted by place: unknown keys, wrong types or units and impossible combinations, with line,
        column and the nearest valid name. Then the exit status is 2, and nothing is changed. The command line overrides the
        file, the file overrides the defaults.

        Durations are text with units (ms, s, m, h, d, w), the larger first: 1h30m. Sizes are text with one unit (B, kB, KiB,
        MB, MiB, GB, GiB, TB, TiB); 0 needs none. A list of one value may be the value alone. A running daemon reads the file
        again on SIGHUP or respite reload.

        In all text, ${NAME} stands for the value of an environment variable, and ${NAME:-DEFAULT} for the default if the
        variable is not set or empty. A variable that is not set and has no default is a mistake. $${ stands for the letters
        ${. A value is not looked into for variables of its own, and no message shows it.

        Files of the directory conf.d beside the settings file whose names end with .toml are read after it, in the order of
        their names. Their [[rule]]s, [[listener]]s, [[include]]s and services are added. If a setting is set twice, the later
        value holds, and a warning names both places. Relative paths start beside the settings file. A file or a directory
        that everybody may write to, or that belongs to somebody else than root, the daemon's user or the owner of the
        settings file, is refused.
        """

    static let listeners = """
        Each [[listener]] is an address with its routes, beside the addresses of listen, which have the default routes. If there
        is a [[listener]] and no listen, there are no other addresses. Listeners of the command line replace those of the file.
        Sockets from the service manager replace all; one with the address of a [[listener]] has that listener's routes. A reload
        changes routes; addresses need a restart.

        A listener of a reverse proxy (gateway) serves its origin and nothing else: a path such as /http://host/ is the origin's,
        CONNECT gets 405, and a target elsewhere gets 421. With the routes forward and prefix, every client of such a listener
        could reach what this machine reaches; with services, it could use the credentials that these add.

        On loopback a reverse proxy answers under localhost and the names below it, loopback addresses, its origin's name and
        access.own-names, at any port; other names get 421. Beyond loopback it answers under all names, or under those of
        access.own-names if there are any.
        """

    static let services = """
        A service is an API with a name: [service.NAME], where NAME is a host label. It is reached by http://NAME.localhost:3128/
        and http://127.0.0.1:3128/NAME/. All URLs at its base and below belong to it, whatever route they use, unless another
        service has a longer base.

        Requests by its own path and host get its headers and its bearer token (token, OAuth 2.0); inject = "all" extends that.
        Responses to them are stored apart. One request gets a token for all that need it. The token is renewed before it
        expires, and after a 401 from the origin server, which is then asked once more.
        """

    static let includes = """
        Each [[include]] applies the rules of another file to the servers it names. Such files for package managers come with
        respite. The file contains [[rule]]s whose patterns are paths, and nothing else. Its rules come before all [[rule]]s of
        the settings file, which therefore override them.
        """

    static let warming = """
        Each [[warm]] loads the URLs of a file, as respite refresh --from does: at the start, after a reload that adds it, and
        then at intervals. A round reads the file anew, and loads four URLs at a time. While it runs, no other one of the same
        file begins.
        """

    static let rules = """
        Each [[rule]] has settings for the URLs that match its pattern. All matching rules apply, in order: later ones override
        earlier ones, and those of a service ([[service.NAME.rule]]) come last. methods is a condition on requests, content-types
        and status are conditions on responses.

        cache-even names directives of responses against caching that are ignored. It gives no lifetime: that is the one of the
        response or of ttl. Responses stored so, and those with private, are for the credential of their request alone; those
        without a credential are for requests without one. No rule shares responses between credentials. vary-ignore keeps one
        response for all values of a field. key-header makes a field's value a part of the cache key, so that requests with
        different values share nothing, neither responses nor loads. key-body makes the content of a POST a part of the key, so
        that it is answered like a GET and invalidates nothing; a QUERY is always answered so. record-streams stores complete
        event streams and JSON lines, and identical requests join them; with key-body that is the default. replay-pace says how
        fast a stored one is sent. partition = "NAME" stores responses apart from those of other names.

        retry and rate-limit are about requests to origin servers. A request that fails before a response has begun is repeated
        if its method is idempotent and it has no content, or if its content is a part of the key; the time spent counts as
        age. Beyond a rate limit, requests wait for their turn, and those that would wait too long get 503 with Retry-After.
        Stored responses are served all the same.
        """

    static let transformers = """
        transform is a list of tables; each has one of decode, charset, json, redact, substitute, fields, links and encode,
        with its options. They run by stage: rawData, decoding, parsing, model, cleanup, encoding; within one stage in the
        order of the rules. The store keeps the original response, so a changed rule needs no new request. The names in the
        paths of redact are exact; with ignore-case = true "$..token" also finds Token and TOKEN.
        """
}
