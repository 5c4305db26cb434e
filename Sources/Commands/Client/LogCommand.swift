import CommandSyntax
import Formats
import JSON
import Settings
import Terminal

/// `respite log [CATEGORY…]`: prints or changes which categories of the core's messages the daemon logs (S-229).
struct LogCommand {
    private let client: AdminClient
    private let isJSON: Bool
    /// Categories and presets; if empty, nothing changes.
    private let names: [String]

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        names = command.operands
        let known = LogCategoryNames.all
        for name in names where !known.contains(name) {
            throw CommandFailure(
                "`\(Console.printable(name))` is not a category; the categories are \(known.joined(separator: ", "))",
                exitCode: 2
            )
        }
    }

    func run() throws(CommandFailure) {
        let response =
            names.isEmpty
            ? try client.get("/v1/log") : try client.put("/v1/log", Self.content(names), type: "application/json")
        guard !isJSON else {
            Console.write(response.content)
            return
        }
        Console.write(Self.rows(try response.json()))
    }

    private static func content(_ names: [String]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.memberArray("enabled") { writer in for name in names { writer.text(name) } }
        }
        return writer.bytes
    }

    static func rows(_ document: JSONValue) -> [[Table.Cell]] {
        let enabled = (document["enabled"]?.elements ?? []).compactMap(\.text)
        return (document["categories"]?.elements ?? []).compactMap(\.text).map { name in
            [Table.Cell(name), enabled.contains(name) ? Table.Cell("on", color: 32) : Table.Cell("off")]
        }
    }
}
