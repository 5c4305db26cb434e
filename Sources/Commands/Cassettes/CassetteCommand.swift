import Cassettes
import CommandSyntax
import Formats
import Recording
import Settings
import Terminal

/// `respite cassette show`, `check` and `prune`.
struct CassetteCommand {
    private let command: ParsedCommand
    private let file: CassetteFile

    static func run(_ command: ParsedCommand) -> Int32 {
        CommandFailure.report { () throws(CommandFailure) in
            let file = CassetteFile(command.operands.first ?? "")
            do throws(CassetteError) {
                return try CassetteCommand(command: command, file: file).run(file.read())
            } catch {
                throw CommandFailure(Console.printable("\(error)"))
            }
        }
    }

    private func run(_ cassette: Cassette) throws(CassetteError) -> Int32 {
        switch command.name {
        case "cassette check": return try check(cassette)
        case "cassette prune": try prune(cassette)
        default: if command.has("json") { showJSON(cassette) } else { show(cassette) }
        }
        return 0
    }

    private func check(_ cassette: Cassette) throws(CassetteError) -> Int32 {
        let faults = try cassette.credentials()
        for fault in faults { Console.complain("respite: \(Console.printable("\(file.path): \(fault)"))") }
        guard faults.isEmpty else {
            Console.complain("respite: record it again, or replace each value by \"\(Scrubber.replacement)\"")
            return 1
        }
        Console.write("\(Plural.text(cassette.entries.count, "exchange")), no credentials\n")
        return 0
    }

    private func prune(_ cassette: Cassette) throws(CassetteError) {
        let pruned = cassette.pruned
        let count = cassette.entries.count - pruned.entries.count
        if count > 0 { try file.write(pruned, without: SecretIndex(), creator: Version.text) }
        Console.write("removed \(Plural.text(count, "exchange")), \(pruned.entries.count) left\n")
    }

    private func show(_ cassette: Cassette) {
        let numbers = Table.Column(title: "ORDER", isNumber: true)
        let columns = ["METHOD", "URL", "STATUS"].map { Table.Column(title: $0) }
        let size = Table.Column(title: "SIZE", isNumber: true)
        var printer = TablePrinter(Table([numbers] + columns + [size, Table.Column(title: "TYPE")]))
        printer.write(
            cassette.entries.enumerated().map { index, entry in
                [
                    Table.Cell("\(index + 1)"), Table.Cell(entry.request.method), Table.Cell(entry.request.url),
                    Table.Cell("\(entry.response.status)"),
                    Table.Cell(
                        Table.Cell.readable(bytes: Int64(entry.response.content.count)),
                        plain: "\(entry.response.content.count)"
                    ),
                    Table.Cell(entry.response.fields.value(of: "content-type") ?? "-"),
                ]
            }
        )
    }

    private func showJSON(_ cassette: Cassette) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.memberArray("exchanges") { writer in
                for entry in cassette.entries {
                    writer.object { writer in
                        writer.member("method", entry.request.method)
                        writer.member("url", entry.request.url)
                        writer.member("status", Int(entry.response.status))
                        writer.member("bytes", entry.response.content.count)
                        writer.member("type", entry.response.fields.value(of: "content-type") ?? "")
                        writer.member("pieces", entry.response.pieces.count)
                    }
                }
            }
        }
        Console.write(writer.bytes + [0x0A])
    }
}
