import Formats
import Settings

/// `respite purge`, `wipe` and `invalidate`: drops, or marks stale, URLs and what patterns fit.
struct ChangeCommand {
    private let client: AdminClient
    private let isJSON: Bool
    private let targets: [String]
    private let path: String
    /// `purged`, `wiped`, `invalidated`: the member of the answer and the word for people.
    private let word: String

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        targets = command.operands
        path = "/v1/\(command.name)"
        word = command.name + "d"
        for target in targets where !Self.isPattern(target) { _ = try ClientCommand.uri(target) }
    }

    /// An asterisk makes a pattern of a URL.
    static func isPattern(_ target: String) -> Bool { target.utf8.contains(UInt8(ascii: "*")) }

    func run() throws(CommandFailure) {
        var counts: [(target: String, count: Int64)] = []
        for target in targets {
            let answer = try client.post(path, json: Self.content(target))
            counts.append((target, try answer.json()[word]?.integer ?? 0))
        }
        if isJSON { writeJSON(counts) } else { writeLines(counts) }
        if let missing = counts.first(where: { $0.count == 0 }) {
            throw CommandFailure("nothing is held of \(Console.printable(missing.target))", exitCode: 3)
        }
    }

    private static func content(_ target: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { $0.member(isPattern(target) ? "filter" : "uri", target) }
        return writer.bytes
    }

    private func writeLines(_ counts: [(target: String, count: Int64)]) {
        let rows = counts.map { [Table.Cell("\($0.count) \(word)", plain: "\($0.count)"), Table.Cell($0.target)] }
        Console.write(Table().text(rows, isTerminal: Console.isTerminal, hasColor: false))
    }

    private func writeJSON(_ counts: [(target: String, count: Int64)]) {
        var writer = JSONWriter()
        writer.array { writer in
            for (target, count) in counts {
                writer.object { writer in
                    writer.member("target", target)
                    writer.member(word, count)
                }
            }
        }
        Console.write(writer.bytes + [UInt8(ascii: "\n")])
    }
}
