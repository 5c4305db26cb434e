import CommandSyntax
import Formats
import HTTPCore
import Settings
import Terminal

/// `respite purge`, `wipe` and `invalidate`: drop resources or mark them stale, by URL or by pattern; `purge` also by
/// tag.
struct ChangeCommand {
    private let client: AdminClient
    private let isJSON: Bool
    /// URLs and patterns, or tags.
    private let targets: [String]
    private let areTags: Bool
    private let path: String
    /// The member of the response, which is also the word to print: `purged`, `wiped` or `invalidated`.
    private let word: String
    private let isDryRun: Bool
    /// Whether a pattern that fits every host was confirmed, or needs no confirmation.
    private let isConfirmed: Bool

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        let tags = command.values(of: "tag")
        areTags = !tags.isEmpty
        targets = areTags ? tags : command.operands
        path = "/v1/\(command.name)"
        word = command.name + "d"
        isDryRun = command.has("dry-run")
        isConfirmed = command.has("yes") || command.name != "purge"
        guard !targets.isEmpty, !areTags || command.operands.isEmpty else {
            let fault = areTags ? "purge by URL or by `--tag`, not both" : "name URLs, or a tag by `--tag NAME`"
            let usage = command.specification.usage
            throw CommandFailure("\(fault)\nusage: \(usage); see `respite \(command.name) --help`", exitCode: 2)
        }
        for target in targets where !areTags { try PatternOperand.check(target) }
    }

    func run() throws(CommandFailure) {
        if isDryRun { return try PurgePreview(client, targets, areTags: areTags, isJSON: isJSON).run() }
        if !isConfirmed, !areTags, let target = targets.first(where: Self.coversEveryHost) { try confirm(target) }
        var counts: [(target: String, count: Int64)] = []
        for target in targets {
            let response = try client.post(path, json: areTags ? Self.content(tag: target) : Self.content(target))
            counts.append((target, try response.json()[word]?.integer ?? 0))
        }
        if isJSON { writeJSON(counts) } else { writeLines(counts) }
        if let missing = counts.first(where: { $0.count == 0 }) {
            throw CommandFailure("nothing is stored for \(Console.printable(missing.target))", exitCode: 3)
        }
    }

    static func content(tag: String, isDryRun: Bool = false) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.memberArray("tags") { $0.text(tag) }
            if isDryRun { writer.member("dryRun", true) }
        }
        return writer.bytes
    }

    /// Whether a pattern, or one of its alternatives, names no host: `**`, `https://**`, `http://{*,a.example}/**`.
    static func coversEveryHost(_ target: String) -> Bool {
        guard URLGlob.isPattern(target), let glob = try? URLGlob(target) else { return false }
        return glob.hasEveryHost
    }

    private func confirm(_ target: String) throws(CommandFailure) {
        let preview = try PurgePreview.Part(client, target)
        switch Console.confirm("purge \(preview.text) that fit `\(Console.printable(target))`?") {
        case true?: return
        case false?: throw CommandFailure("nothing was purged")
        case nil:
            throw CommandFailure(
                "`\(Console.printable(target))` fits every host, now \(preview.text): `--yes` purges them, `--dry-run` lists "
                    + "them",
                exitCode: 2
            )
        }
    }

    private static func content(_ target: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { $0.member(URLGlob.isPattern(target) ? "filter" : "uri", target) }
        return writer.bytes
    }

    private func writeLines(_ counts: [(target: String, count: Int64)]) {
        let rows = counts.map { [Table.Cell("\($0.count) \(word)", plain: "\($0.count)"), Table.Cell($0.target)] }
        Console.write(rows)
    }

    private func writeJSON(_ counts: [(target: String, count: Int64)]) {
        var writer = JSONWriter()
        writer.array { writer in
            for (target, count) in counts {
                writer.object { writer in
                    writer.member(areTags ? "tag" : "target", target)
                    writer.member(word, count)
                }
            }
        }
        Console.write(writer.bytes + [UInt8(ascii: "\n")])
    }
}
