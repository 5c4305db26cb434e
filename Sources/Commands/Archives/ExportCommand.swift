import Cassettes
import CommandSyntax
import JSON
import Recording
import Settings
import Terminal

/// `respite export --har FILE [FILTER]`: writes stored responses as a HAR file.
struct ExportCommand {
    let client: AdminClient
    let command: ParsedCommand

    func run() throws(CommandFailure) {
        guard let path = command.value(of: "har") else {
            throw CommandFailure("`export` needs `--har FILE`; - is standard output", exitCode: 2)
        }
        let filter = command.operands.first
        if let filter { try PatternOperand.checkFilter(filter) }
        let export = try CommandFailure.of { () throws(CassetteError) in try StoreExport(path, creator: Version.text) }
        do throws(CommandFailure) {
            try client.forEachPage(filter: filter) { page throws(CommandFailure) in
                for id in export.newIdentifiers(in: page) { try add(id, to: export) }
            }
            try CommandFailure.of(export.finish)
        } catch {
            export.discard()
            throw error
        }
        for line in export.report { Console.complain("respite: \(line)") }
    }

    private func add(_ id: String, to export: StoreExport) throws(CommandFailure) {
        let archive: JSONValue
        do throws(CommandFailure) {
            archive = try client.get("/v1/resources/\(id)/har?private=\(command.has("private"))").json()
        } catch {
            // It has left the store meanwhile.
            if error.exitCode == 3 { return }
            throw error
        }
        try CommandFailure.of { () throws(CassetteError) in try export.add(archive) }
    }
}

extension CommandFailure {
    /// Turns faults of a file into failures of the command.
    static func of<Result>(_ body: () throws(CassetteError) -> Result) throws(CommandFailure) -> Result {
        do throws(CassetteError) {
            return try body()
        } catch {
            throw CommandFailure(Console.printable("\(error)"))
        }
    }
}
