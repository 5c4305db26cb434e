import CommandSyntax
import Settings

/// `respite status`: prints the state of the daemon.
struct StatusCommand {
    private let client: AdminClient
    private let isJSON: Bool

    init(_ client: AdminClient, _ command: ParsedCommand) {
        self.client = client
        isJSON = command.has("json")
    }

    func run() throws(CommandFailure) {
        let response = try client.get("/v1/status")
        if isJSON {
            Console.write(response.content)
        } else {
            Console.write(Self.text(StatusSection.all(try response.json()), on: .output))
        }
    }

    /// For people each section has a title; programs get all rows alike.
    static func text(_ sections: [StatusSection], on screen: Screen) -> String {
        guard screen.isTerminal else { return Table.plain(sections.flatMap(\.rows)) }
        var inner = screen
        inner.width = screen.width.map { max(1, $0 - 2) }
        let layout = TableLayout(Table(), sections.flatMap(\.rows), on: inner)
        return sections.map { section in
            let lines = layout.text(section.rows).split(separator: "\n").map { "  \($0)\n" }.joined()
            return (screen.hasColor ? "\u{1B}[1m\(section.title)\u{1B}[0m" : section.title) + "\n" + lines
        }.joined(separator: "\n")
    }
}
