public import CommandSyntax

/// Lays help texts out for a terminal of 80 columns.
enum HelpText {
    private static let width = 80

    /// Lines of at most 80 columns, without the last line end.
    ///
    /// - Parameter indent: how far the lines after the first one are indented, and what the first one has already.
    static func wrapped(_ text: String, indent: Int = 0) -> String {
        TextLines.wrapped(text, width: width - indent).joined(separator: "\n" + String(repeating: " ", count: indent))
    }

    /// Terms in one column, and their explanations beside or, behind a long term, below them.
    static func list(_ items: [(term: String, text: String)], termWidth limit: Int = 24) -> String {
        let terms = items.map(\.term.count).filter { $0 <= limit }
        let indent = (terms.max() ?? limit) + 4
        return items.map { item in
            let isLong = item.term.count + 4 > indent
            let gap = isLong ? "\n" + spaces(indent) : spaces(indent - 2 - item.term.count)
            return "  \(item.term)\(gap)\(wrapped(item.text, indent: indent))\n"
        }.joined()
    }

    static func commands(_ commands: [CommandSpecification]) -> String {
        list(commands.map { ($0.name, $0.guide.brief) })
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}

extension CommandSpecification {
    /// What `respite NAME --help` prints.
    public var help: String {
        var text = HelpText.wrapped(summary) + "\n\nusage: \(usage)\n"
        for paragraph in guide.paragraphs { text += "\n" + HelpText.wrapped(paragraph) + "\n" }
        if !options.isEmpty { text += "\nOptions:\n" + HelpText.list(options.map { ($0.usage, $0.summary) }) }
        if !guide.examples.isEmpty { text += "\nExamples:\n" + guide.examples.map { "  \($0)\n" }.joined() }
        return text
    }

    /// What `respite help` prints.
    public static var overview: String {
        let codes = exitCodes.map { "\($0) \($1.lowercased().dropLast())" }.joined(separator: ", ")
        var text = "A caching HTTP proxy.\n\nusage: respite COMMAND [options]\n"
        for topic in topics { text += "\n\(topic.title)\n" + HelpText.commands(topic.commands) }
        text += "\n`respite COMMAND --help` describes a command, its options and an example.\n"
        return text + HelpText.wrapped("Exit status: \(codes).") + "\n"
    }

    /// The listed commands by what people use them for, each once.
    private static var topics: [(title: String, commands: [CommandSpecification])] {
        var left = listed
        func take(_ title: String, _ names: [String]) -> (title: String, commands: [CommandSpecification]) {
            let taken = left.filter { command in names.contains(command.name) }
            left.removeAll { command in names.contains(command.name) }
            return (title, taken)
        }
        let topics = [
            take("Begin:", ["serve", "run", "env"]),
            take("Record and replay:", ["record", "replay"] + listed.map(\.name).filter { $0.hasPrefix("cassette ") }),
            take(
                "Look:",
                [
                    "status", "stats", "top", "ls", "show", "explain", "tail", "watch", "get", "cat", "export",
                    "dashboard", "tunnels", "log", "doctor", "shared check",
                ]
            ),
            take("Change:", ["mode", "put", "import", "refresh", "purge", "wipe", "invalidate", "reload"]),
            take("Settings:", ["config check", "config show", "config schema", "match", "passwd"]),
            take("Interception of https:", listed.map(\.name).filter { $0.hasPrefix("ca ") }),
        ]
        return topics + [("Others:", left)]
    }
}

extension CommandGroup {
    /// What `respite NAME` prints.
    public var help: String {
        "\(summary)\n\nusage: respite \(name) PART [options]\n\n" + HelpText.commands(members)
            + "\n`respite \(name) PART --help` describes one of them.\n"
    }
}
