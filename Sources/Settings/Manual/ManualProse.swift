/// What the manual says besides the tables of commands and settings.
enum ManualProse {
    static let description = """
        respite is a caching HTTP/1.1 proxy. Clients reach it as a forward proxy (http_proxy=http://127.0.0.1:3128), by the
        URL of what they want behind its own address (http://127.0.0.1:3128/http://example.org/), or by the name of a
        service that the settings give an API (http://127.0.0.1:3128/NAME/, http://NAME.localhost:3128/). Every URL is
        asked for once for all of them, by whatever route they come.

        It needs no settings file. respite.toml(5) tells what can be set; --set KEY=VALUE sets any of it for one run, and
        wins over the file. Commands that ask a running daemon find its address and token by the same options and file.
        """

    static let signals: [(String, String)] = [
        ("SIGHUP", "Settings and secret files are read again, all or nothing; no exchange is broken off."),
        ("SIGUSR1", "What is in memory and not in use is dropped; the store keeps its copies."),
        (
            "SIGTERM, SIGINT",
            "No more is accepted, exchanges in progress get limits.drain-timeout; the second one stops at once. A daemon that does "
                + "not serve yet ends at once, with exit code 0; SIGHUP and SIGUSR1 then wait until it serves."
        ),
    ]

    static let environment: [(String, String)] = [
        ("XDG_CONFIG_HOME, HOME", "Where the settings file is looked for."),
        ("XDG_CACHE_HOME", "Where responses are kept unless storage.directory says otherwise."),
        ("XDG_DATA_HOME, STATE_DIRECTORY", "Where the CA's files are unless intercept.ca-directory says otherwise."),
        ("XDG_RUNTIME_DIR", "Where token and socket of the admin API are if nothing is kept."),
        (
            "CREDENTIALS_DIRECTORY",
            "Where secret files with a relative path NAME are looked for first, as NAME and as secrets_NAME, which "
                + "LoadCredential=secrets:DIRECTORY makes of the files of a directory; see systemd.exec(5). The service manager "
                + "fills it at the start: a changed secret there needs a restart."
        ),
        ("NOTIFY_SOCKET, WATCHDOG_USEC", "The service manager's; see sd_notify(3)."),
        (
            "MEMORY_PRESSURE_WATCH, MEMORY_PRESSURE_WRITE",
            "The file that tells when memory is short, and when it is to tell; else memory.pressure of the own control group or "
                + "of the machine. What is not in use then leaves memory; the store keeps it. /dev/null: nothing is watched."
        ),
        ("LISTEN_FDS, LISTEN_FDNAMES", "Sockets handed over by the service manager; see systemd.socket(5)."),
        ("NO_COLOR", "No colours on a terminal, if it is set."),
    ]

    static let files: [(String, String)] = [
        ("$XDG_CONFIG_HOME/respite/respite.toml, ~/.config/respite/respite.toml", "The settings of a user."),
        ("/etc/respite/respite.toml", "The settings of the machine, where a user has none."),
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
            "Running one command with its traffic through the cache, by the daemon that runs or by one of its own, whose exit "
                + "status is the command's (125 if there is no daemon to be had, 126 and 127 if the command cannot be run or found):",
            "respite run -- ./test.sh\nrespite run --for pip -- pip install -r requirements.txt"
        ),
        (
            "Starting with the defaults, and asking through it:",
            "respite serve &\ncurl -x http://127.0.0.1:3128 http://example.org/"
        ),
        (
            "Which settings hold for a URL in the running daemon, and where each comes from:",
            "respite config show https://api.example.com/v1/items --live"
        ),
        ("Changing the settings file of a running daemon:", "respite config check && respite reload"),
    ]

    static let format = """
        The settings file of respite(1) is TOML 1.0. All of it is checked before any of it is used: an unknown key, a wrong
        type or unit or an impossible combination is told with line and column and the nearest valid name, and the exit
        status is 2. The command line wins over the file, the file over the defaults.

        Durations are text with a unit (ms, s, m, h, d), sizes too (B, KiB, MiB, GiB, TiB); 0 needs none. Where a list
        is asked for, a single value will do. A daemon that runs reads the file again on SIGHUP or respite reload.
        """

    static let listeners = """
        Each [[listener]] is an address with the routes that are offered there, beside those of listen, which have the usual ones.
        With [[listener]] and without listen there are no others. What an option says of listeners takes the place of what the
        file says. A socket that the service manager hands over takes the place of all; where a [[listener]] has its address, it
        offers that listener's routes. Routes are changed by a reload, addresses by a restart.

        A listener of a reverse proxy (gateway) offers its origin and nothing else: a path such as /http://host/ is the origin's,
        CONNECT gets 405, and a target elsewhere 421. Whoever reaches it, such as everybody behind a terminator on this machine,
        would reach with forward and prefix what this machine reaches, and with services would use the credentials these add.

        On loopback a reverse proxy answers to localhost and the names below it, to loopback addresses, to its origin's name
        and to access.own-names, at any port; to other names with 421. Beyond loopback it answers to all names, or to those of
        access.own-names if there are any.
        """

    static let services = """
        A service is an API with a name: [service.NAME], where NAME is a host label. It is reached by http://NAME.localhost:3128/
        and http://127.0.0.1:3128/NAME/, and all URLs at its base and below belong to it, by whatever route they come, unless
        another service has a longer base.

        Its headers, and the bearer token it gets by token (OAuth 2.0), go with requests by its own path and host only, unless
        inject says otherwise; what they bring is kept apart. A token is asked for once however many requests need it, renewed
        before it expires, and got anew when the origin refuses it with 401, whereupon the request is made once more.
        """

    static let includes = """
        Each [[include]] takes the rules of a file of its own, such as those for package managers that come with respite, for
        the servers it names. The file holds [[rule]]s whose patterns are paths, and nothing else; its rules come ahead of all
        [[rule]]s of the settings file, which thus win.
        """

    static let rules = """
        Each [[rule]] says what holds for the URLs that fit its pattern. All rules that fit apply, in order; of what several
        say the last one counts, and those of a service ([[service.NAME.rule]]) come last. methods is a condition on
        requests, content-types and status on responses.

        cache-even names what a response says against caching and is not heeded; it gives no lifetime, which is that of the
        response or of ttl. What is kept so, and whatever says private, is for the credential that brought it alone, and
        without any for those who have none: no rule shares answers between credentials. vary-ignore keeps one answer for all
        values of a field; key-header makes a field's value a part of the key, so that requests with different values share
        nothing, neither answers nor loads. With partition = "NAME" all is held apart from what is held under other names.

        retry and rate-limit are about requests to origins. What fails before a response has begun is tried again if the
        method is idempotent and there is no content; time spent so counts as age. Beyond a rate limit requests wait their
        turn, those that would wait too long get 503 with Retry-After; what is stored is served all the same.
        """

    static let transformers = """
        transform is a list of tables; each has one of decode, charset, json, redact, substitute, fields, links and encode,
        with what belongs to it. They run by stage: rawData, decoding, parsing, model, cleanup, encoding; within one stage
        in the order of the rules. What the origin sent is kept: a changed rule needs no new request. The names in the paths
        of redact are exact; with ignore-case = true "$..token" finds Token and TOKEN, too.
        """
}
