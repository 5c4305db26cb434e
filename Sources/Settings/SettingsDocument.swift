import Observability

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
        return text
    }

    /// `name = value  # where it came from`, one line per setting, sections as in a file.
    public static func listing(_ loaded: LoadedSettings) -> String {
        var text = ""
        var section: Substring = ""
        for key in SettingKey.all {
            if key.section != section {
                section = key.section
                text += "\n[\(section)]\n"
            }
            text += "\(key.localName) = \(key.tomlText(in: loaded.values))  # \(loaded.origin(of: key))\n"
        }
        return text
    }

    /// The same as an array of objects with `name`, `value` (TOML) and `origin`.
    public static func listingJSON(_ loaded: LoadedSettings) -> [UInt8] {
        var writer = JSONWriter()
        writer.array { writer in
            for key in SettingKey.all {
                writer.object { writer in
                    writer.member("name", key.name)
                    writer.member("value", key.tomlText(in: loaded.values))
                    writer.member("origin", loaded.origin(of: key).description)
                }
            }
        }
        return writer.octets + [UInt8(ascii: "\n")]
    }

    /// Name, type and default of each setting, and what it is for.
    public static var schema: String {
        SettingKey.all.map { key in
            "\(key.name)  (\(key.typeName); default \(key.defaultText))\n    \(key.summary)\n"
        }
        .joined()
    }

    /// The same as an array of objects with `name`, `type`, `default` (TOML) and `summary`.
    public static var schemaJSON: [UInt8] {
        var writer = JSONWriter()
        writer.array { writer in
            for key in SettingKey.all {
                writer.object { writer in
                    writer.member("name", key.name)
                    writer.member("type", key.typeName)
                    writer.member("default", key.defaultText)
                    writer.member("summary", key.summary)
                }
            }
        }
        return writer.octets + [UInt8(ascii: "\n")]
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
