public import Formats

/// The texts of `respite config`.
public enum SettingsDocument {
    /// The text of etc/respite.toml: a settings file with each default in a comment.
    public static var example: String {
        var text = """
            ## Settings of Respite: every setting with its default. To change one, remove the `# ` before it.
            ## `respite config schema` lists the ranges, `respite config check --config FILE` finds mistakes.
            ## Durations have units (ms, s, m, h, d, w: "1h30m"), sizes one (B, kB, KiB, MB, MiB, GB, GiB, TB, TiB).
            ## In text, ${NAME} and ${NAME:-DEFAULT} stand for environment variables, and $${ for the letters.
            ## Files conf.d/*.toml beside this one add to it.

            """
        var section: Substring = ""
        for key in SettingKey.all {
            if key.section != section {
                section = key.section
                text += "\n[\(section)]\n"
            }
            text += "\n## \(key.summary)\n# \(key.localName) = \(wrapped(key.defaultText))\n"
        }
        return text + tables
    }

    /// Examples of listeners, services and rules, which have no defaults.
    static let tables = """

        ## Listeners with their own routes, beside those of `listen` if that is set. For example:
        ##
        ##     [[listener]]
        ##     address = "127.0.0.1:8080"                        # behind a TLS proxy: the origin of `gateway`, nothing else
        ##     routes = ["gateway"]
        ##
        ##     [[listener]]
        ##     address = "127.0.0.1:3128"
        ##     routes = ["forward", "prefix", "services"]

        ## Lists of URLs that are loaded at the start and then at intervals. For example:
        ##
        ##     [[warm]]
        ##     urls = "mirror.txt"                               # beside the settings file; one URL a line, # for comments
        ##     every = "1h"

        ## Services: APIs with names, http://127.0.0.1:3128/NAME/… and http://NAME.localhost:3128/….
        ## For example:
        ##
        ##     [service.github]
        ##     base = "https://api.github.com"                   # URLs below belong to it, whatever route they use
        ##     headers = { Authorization = { file = "/etc/respite/github-token", prefix = "Bearer " } }
        ##     allow-origins = ["http://localhost:5173"]         # web pages that may use it although it adds fields
        ##     inject = "service"                                # or "all": also for requests by other routes
        ##     rate-limit = "5000/h"                             # or { rate = "10/s", burst = 20, max-wait = "5s" }
        ##     retry = { attempts = 3, delay = "200ms" }         # requests that fail before a response has begun
        ##     proxy = "socks5h://127.0.0.1:1080"                # or "none"; default: upstream.proxy
        ##
        ##     [service.crm]
        ##     base = "https://crm.example.com/api"
        ##     token = { url = "https://login.example.com/token", client-id = "respite", client-secret = { file = "crm-secret" } }
        ##
        ##     [[service.github.rule]]                           # its own rules; patterns begin behind its base
        ##     match = "/repos/**"
        ##     ttl = "60s"

        ## Rules of other files, before those here: their patterns are paths, put behind `below`. For example:
        ##
        ##     [[include]]
        ##     file = "/usr/local/share/respite/rules/npm.toml"
        ##     below = ["https://registry.example/"]

        ## Rules for URLs: later ones override earlier ones; those of services come last. For example:
        ##
        ##     [[rule]]
        ##     match = "https://*.example.com/**"                # * within a segment or label, ** across
        ##     methods = ["GET", "HEAD"]                         # conditions on the request
        ##     drop-query = ["utm_*"]
        ##     sort-query = true
        ##     ttl-by-status = { 200 = "10m", 404 = "1m" }       # and classes: 5xx = 0; before ttl
        ##     key-header = ["X-Tenant"]                         # belongs to the cache key, as the URL does
        ##     key-body = { json = true, ignore = ["$.user"] }   # POST is answered like GET, by its content; or true
        ##     record-streams = true                             # event streams and JSON lines are stored and shared
        ##     replay-pace = "recorded"                          # or "instant" (default), or so many times as fast: 4.0
        ##     partition = "blue"                                # apart from other names; or "credential", "user", "shared"
        ##     retry = true                                      # with its defaults; false cancels an earlier rule
        ##     rate-limit = "10/s"                               # over all URLs of the rule
        ##     match-hosts-file = "ads.txt"                      # one host a line; also without match
        ##     deny = "not here"                                 # 403 with this text; false cancels an earlier rule
        ##     redirect = "https://new.example$path"             # 307; or { to = "…", status = 308 }
        ##     fail = { status = 503, share = 0.1 }              # to test clients; or "reset", "timeout"
        ##     delay = "200ms"                                   # before anything is done, hits too
        ##     rate = "64KiB/s"                                  # content of each response; false cancels an earlier rule
        ##     set-field = { request = { Accept-Language = "de" }, response = { X-Frame-Options = "DENY" } }
        ##     remove-field = { request = ["Cookie"], response = ["X-Debug-*"] }
        ##     connect-http = true                               # plain HTTP inside a CONNECT is served, not tunnelled
        ##
        ##     [[rule]]
        ##     match = "https://api.example.com/v1/**"
        ##     content-types = ["*/json", "*/*+json"]            # conditions on the response
        ##     status = [200, "4xx", "500-599"]
        ##     ttl = "60s"                                       # or never-cache = true
        ##     stale-while-revalidate = "30s"
        ##     stale-if-error = "1d"
        ##     refresh-ahead = "10%"                             # used then, it is validated before it is stale
        ##     ignore-client-no-cache = true                     # a reload is a hit
        ##     cache-even = ["no-store", "no-cache"]             # also "private", "must-revalidate"; never for other credentials
        ##     set-cookie = "strip"                              # or careful (default), refuse, reuse, private
        ##     vary-add = ["Accept-Language"]
        ##     vary-ignore = ["User-Agent"]                      # one response for all values, whatever Vary says
        ##     force = true                                      # also responses with no-transform
        ##     oversize = "fail"                                 # or "pass"
        ##     keep-original = false                             # true: a redaction's original stays in the store
        ##     scrub = ["$..api_key"]                            # values that `respite record` keeps out of its file
        ##     transform = [                                     # added to those of earlier rules; "none" removes those
        ##         { decode = "all" },
        ##         { charset = "utf-8" },
        ##         { json = "validate" },                        # minify, pretty (indent = 2), select (path = "$.items")
        ##         { redact = ["$..token", "/user/email"], with = "[redacted]", ignore-case = true },
        ##         { substitute = "staging", with = "production", ignore-case = true },
        ##         { substitute = "v([0-9]+)", with = "version $1", regex = true },
        ##         { links = "prefix" },
        ##         { fields = { set = { X-Served-By = "respite" }, remove = ["X-Debug-*"] } },
        ##         { encode = ["br", "zstd", "gzip"], content-types = ["text/*", "*/json"] },
        ##     ]

        """

    /// The examples without comment marks.
    public static var plainTables: String {
        tables.split(separator: "\n").map { line in
            let text = line.drop { $0 == "#" }
            return text.hasPrefix("     ") ? String(text.dropFirst(5)) : "#" + text
        }
        .joined(separator: "\n")
    }

    /// One line `name = value  # where it is set` for each setting, in sections as in a file.
    ///
    /// - Parameter showsSecrets: whether to show fields that are credentials. With them, the text is a file with the
    ///   same settings.
    public static func listing(_ loaded: LoadedSettings, showsSecrets: Bool = true) -> String {
        var text = ""
        var section: Substring = ""
        for key in SettingKey.all {
            if key.section != section {
                section = key.section
                text += "\n[\(section)]\n"
            }
            let value = showsSecrets ? key.tomlText(in: loaded.values) : key.publicText(in: loaded.values)
            text += "\(key.localName) = \(value)  # \(loaded.origin(of: key))\n"
        }
        for table in ListedTable.all(loaded, showsSecrets: showsSecrets) {
            text += "\n\(table.heading)  # \(loaded.origin(ofPath: table.path))\n"
            for member in table.members {
                text += "\(member.name) = \(member.value)  # \(loaded.origin(ofPath: "\(table.path).\(member.name)"))\n"
            }
        }
        return text
    }

    /// The listing as an array of objects with `name`, `value` (TOML) and `origin`.
    public static func listingJSON(_ loaded: LoadedSettings, showsSecrets: Bool = true) -> [UInt8] {
        var writer = JSONWriter()
        writeListing(loaded, showsSecrets: showsSecrets, to: &writer)
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// Writes the array of `listingJSON`.
    public static func writeListing(_ loaded: LoadedSettings, showsSecrets: Bool, to writer: inout JSONWriter) {
        writer.array { writer in
            func write(_ name: String, _ value: String, _ origin: SettingOrigin) {
                writer.object { writer in
                    writer.member("name", name)
                    writer.member("value", value)
                    writer.member("origin", origin.description)
                }
            }
            for key in SettingKey.all {
                let value = showsSecrets ? key.tomlText(in: loaded.values) : key.publicText(in: loaded.values)
                write(key.name, value, loaded.origin(of: key))
            }
            for table in ListedTable.all(loaded, showsSecrets: showsSecrets) {
                for member in table.members {
                    let name = "\(table.path).\(member.name)"
                    write(name, member.value, loaded.origin(ofPath: name))
                }
            }
        }
    }

    /// Name, type, default and meaning of each setting.
    public static var schema: String {
        DocumentedSetting.all.map { setting in
            let standard = setting.defaultText.map { "; default \($0)" } ?? ""
            return "\(setting.name)  (\(setting.typeName)\(standard))\n    \(setting.summary)\n"
        }
        .joined()
    }

    /// The schema as an array of objects with `name`, `type`, `default` (TOML, if there is one) and `summary`.
    public static var schemaJSON: [UInt8] {
        var writer = JSONWriter()
        writer.array { writer in
            for setting in DocumentedSetting.all {
                writer.object { writer in
                    writer.member("name", setting.name)
                    writer.member("type", setting.typeName)
                    if let standard = setting.defaultText { writer.member("default", standard) }
                    writer.member("summary", setting.summary)
                }
            }
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// Breaks a long list into lines, each of them a comment.
    private static func wrapped(_ value: String) -> String {
        guard value.hasPrefix("["), value.utf8.count > 90 else { return value }
        var lines: [String] = []
        var line = "#    "
        for item in value.dropFirst().dropLast().split(separator: ", ") {
            if line.utf8.count + item.utf8.count > 105 {
                lines.append(line)
                line = "#    "
            }
            line += " \(item),"
        }
        return (["["] + lines + [line, "# ]"]).joined(separator: "\n")
    }
}
