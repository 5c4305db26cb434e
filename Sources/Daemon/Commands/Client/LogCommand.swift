import Administration
import Formats
import Observability
import Settings

/// `respite log [CATEGORY…]`: what of the core's work the daemon logs (S-229).
struct LogCommand {
    private let client: AdminClient
    private let isJSON: Bool
    /// None: nothing is to be changed.
    private let words: [String]

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        words = command.operands
        for word in words where LogWords.categories([word]) == nil {
            let known = LogWords.all.joined(separator: ", ")
            throw CommandFailure("`\(Console.printable(word))` is no category; there are \(known)", exitCode: 2)
        }
    }

    func run() throws(CommandFailure) {
        let answer =
            words.isEmpty
            ? try client.get("/v1/log") : try client.put("/v1/log", Self.content(words), type: "application/json")
        guard !isJSON else {
            Console.write(answer.content)
            return
        }
        let rows = Self.rows(try answer.json())
        Console.write(Table().text(rows, isTerminal: Console.isTerminal, hasColor: Console.hasColor))
    }

    private static func content(_ words: [String]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.memberArray("enabled") { writer in for word in words { writer.text(word) } }
        }
        return writer.bytes
    }

    static func rows(_ answer: JSONValue) -> [[Table.Cell]] {
        let enabled = (answer["enabled"]?.elements ?? []).compactMap(\.text)
        return (answer["categories"]?.elements ?? []).compactMap(\.text).map { name in
            [Table.Cell(name), enabled.contains(name) ? Table.Cell("on", color: 32) : Table.Cell("off")]
        }
    }
}
