public import Formats

/// The texts of `respite config`.
public enum SettingsDocument {
    /// A file of settings in which each default stands in a comment: etc/respite.toml.
    public static var example: String {
        var text = """
            ## Settings of Respite: every setting with its default. Take the `# ` away from a line to change it.
            ## `respite config schema` tells the ranges, `respite config check --config FILE` finds mistakes.
            ## Durations have a unit (ms, s, m, h, d), sizes too (B, KiB, MiB, GiB, TiB).

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

    /// Listeners, services and rules, which have no defaults: as examples.
    static let tables = """

        ## Listeners with routes of their own, beside those of `listen` if that is set. For example:
        ##
        ##     [[listener]]
        ##     address = "127.0.0.1:8080"                        # behind a terminator: the origin of `gateway`, nothing else
        ##     routes = ["gateway"]
        ##
        ##     [[listener]]
        ##     address = "127.0.0.1:3128"
        ##     routes = ["forward", "prefix", "services"]

        ## Services: APIs under names of their own, http://127.0.0.1:3128/NAME/… and http://NAME.localhost:3128/….
        ## For example:
        ##
        ##     [service.github]
        ##     base = "https://api.github.com"                   # URLs below belong to it, by whatever route they come
        ##     headers = { Authorization = { file = "/etc/respite/github-token", prefix = "Bearer " } }
        ##     allow-origins = ["http://localhost:5173"]         # web pages that may use it all the same
        ##     inject = "service"                                # or "all": also for requests by other routes
        ##     rate-limit = "5000/h"                             # or { rate = "10/s", burst = 20, max-wait = "5s" }
        ##     retry = { attempts = 3, delay = "200ms" }         # of what fails before a response has begun
        ##     proxy = "socks5h://127.0.0.1:1080"                # or "none"; else as upstream.proxy says
        ##
        ##     [service.crm]
        ##     base = "https://crm.example.com/api"
        ##     token = { url = "https://login.example.com/token", client-id = "respite", client-secret = { file = "crm-secret" } }
        ##
        ##     [[service.github.rule]]                           # its own rules; patterns begin behind its base
        ##     match = "/repos/**"
        ##     ttl = "60s"

        ## Rules of other files, ahead of those here: their patterns are paths, which begin behind `below`. For example:
        ##
        ##     [[include]]
        ##     file = "/usr/local/share/respite/rules/npm.toml"
        ##     below = ["https://registry.example/"]

        ## Rules for URLs: in order, later ones win; those of services come last. For example:
        ##
        ##     [[rule]]
        ##     match = "https://*.example.com/**"                # * within a segment or label, ** across
        ##     methods = ["GET", "HEAD"]                         # conditions on the request
        ##     drop-query = ["utm_*"]
        ##     sort-query = true
        ##     ttl-by-status = { 200 = "10m", 404 = "1m" }       # and classes: 5xx = 0; before ttl
        ##     key-header = ["X-Tenant"]                         # belongs to the key, as the URL does
        ##     partition = "blue"                                # apart from other names; or "credential", "shared"
        ##
        ##     [[rule]]
        ##     match = "https://api.example.com/v1/**"
        ##     content-types = ["*/json", "*/*+json"]            # conditions on the response
        ##     status = [200, "4xx", "500-599"]
        ##     ttl = "60s"                                       # or never-cache = true
        ##     stale-while-revalidate = "30s"
        ##     stale-if-error = "1d"
        ##     ignore-client-no-cache = true                     # a reload is a hit
        ##     cache-even = ["no-store", "no-cache"]             # also "private", "must-revalidate"; never for other credentials
        ##     set-cookie = "strip"                              # or careful (default), refuse, reuse, private
        ##     vary-add = ["Accept-Language"]
        ##     vary-ignore = ["User-Agent"]                      # one answer for all values, whatever Vary says
        ##     retry = true                                      # with its defaults; false takes back what an earlier rule said
        ##     rate-limit = "10/s"                               # over all URLs of the rule
        ##     connect-http = true                               # plain HTTP inside a CONNECT is served, not tunnelled
        ##     force = false                                     # true: also what says no-transform
        ##     oversize = "fail"                                 # or "pass"
        ##     keep-original = false                             # true: a redaction's original stays in the store
        ##     transform = [                                     # added to those of earlier rules; "none" takes these away
        ##         { decode = "all" },
        ##         { charset = "utf-8" },
        ##         { json = "validate" },                        # minify, pretty (indent = 2), select (path = "$.items")
        ##         { redact = ["$..token", "/user/email"], with = "[redacted]", ignore-case = true },
        ##         { substitute = "staging", with = "production", ignore-case = true },
        ##         { links = "prefix" },
        ##         { fields = { set = { X-Served-By = "respite" }, remove = ["X-Debug-*"] } },
        ##         { encode = ["br", "zstd", "gzip"], content-types = ["text/*", "*/json"] },
        ##     ]

        """

    /// The examples without their marks.
    static var plainTables: String {
        tables.split(separator: "\n").map { line in
            let text = line.drop { $0 == "#" }
            return text.hasPrefix("     ") ? String(text.dropFirst(5)) : "#" + text
        }
        .joined(separator: "\n")
    }

    /// `name = value  # where it came from`, one line per setting, sections as in a file.
    ///
    /// - Parameter showsSecrets: whether fields that are credentials are shown; then it is a file that reads the same.
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

    /// The same as an array of objects with `name`, `value` (TOML) and `origin`.
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

    /// Name, type and default of each setting, and what it is for.
    public static var schema: String {
        DocumentedSetting.all.map { setting in
            let standard = setting.defaultText.map { "; default \($0)" } ?? ""
            return "\(setting.name)  (\(setting.typeName)\(standard))\n    \(setting.summary)\n"
        }
        .joined()
    }

    /// The same as an array of objects with `name`, `type`, `default` (TOML, if there is one) and `summary`.
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

    /// A long list over several lines, each of them a comment.
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
