import Cassettes
import CommandSyntax
import Recording
import Terminal

/// `respite import FILE`: has the daemon store the responses of a HAR file.
struct ImportCommand {
    let client: AdminClient
    let command: ParsedCommand

    /// - Returns: the exit code: 1 if nothing was stored.
    func run() throws(CommandFailure) -> Int32 {
        let path = command.operands.first ?? "-"
        let input = try CommandFailure.of { () throws(CassetteError) in try ArchiveInput(path) }
        var (count, stored) = (0, 0)
        for (title, json) in input.requests {
            count += 1
            if let reason = try send(json) {
                Console.complain(Console.printable("respite: not imported: \(title): \(reason)"))
            } else {
                stored += 1
            }
        }
        Console.write("imported \(stored) of \(Plural.text(count, "response"))\n")
        return stored > 0 || count == 0 ? 0 : 1
    }

    /// Why the entry is not stored; nil if it is.
    private func send(_ entry: [UInt8]) throws(CommandFailure) -> String? {
        do throws(CommandFailure) {
            let result = try client.post("/v1/import", json: entry).json()
            guard result["stored"]?.isTrue != true else { return nil }
            return "\(result["detail"]?.text ?? "?") (\(result["reason"]?.text ?? "?"))"
        } catch {
            // The daemon refuses this entry, such as one that is too large.
            guard error.exitCode == 1, !error.isRefusedToken else { throw error }
            return error.userMessage
        }
    }
}
