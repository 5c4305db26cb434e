import CommandSyntax
import Formats
import HTTPCore
import Settings
import Terminal

/// `respite match PATTERN URL…`: reports which URLs fit a pattern, and asks no daemon.
struct MatchCommand {
    private let pattern: String
    private let urls: [TargetURI]
    private let isAboutHosts: Bool
    private let isJSON: Bool

    init(_ command: ParsedCommand) throws(CommandFailure) {
        pattern = command.operands[0]
        var urls: [TargetURI] = []
        for text in command.operands.dropFirst() { urls.append(try TargetURI(operand: text)) }
        self.urls = urls
        isAboutHosts = command.has("host")
        isJSON = command.has("json")
    }

    /// - Returns: 0 if a URL fits, else 1, as `grep` does.
    static func run(_ command: ParsedCommand) -> Int32 {
        CommandFailure.report { () throws(CommandFailure) in try MatchCommand(command).run() }
    }

    private func run() throws(CommandFailure) -> Int32 {
        let (matches, warning): ((TargetURI) -> Bool, PatternWarning?)
        do throws(URLGlob.SyntaxError) {
            if isAboutHosts {
                let hosts = try HostPattern(pattern)
                (matches, warning) = (hosts.matches, hosts.warning)
            } else {
                let glob = try URLGlob(pattern)
                (matches, warning) = (glob.matches, glob.warning())
            }
        } catch {
            throw CommandFailure(pattern: pattern, error)
        }
        let results = urls.map { (uri: $0, fits: matches($0)) }
        let message = warning?.message(for: pattern)
        if isJSON {
            writeJSON(results, warning: message)
        } else {
            if let message { Console.complain("respite: warning: \(Console.printable(message))") }
            let rows = results.map { [Table.Cell($0.fits ? "fits" : "does not fit"), Table.Cell($0.uri.text)] }
            Console.write(rows)
        }
        return results.contains { $0.fits } ? 0 : 1
    }

    private func writeJSON(_ results: [(uri: TargetURI, fits: Bool)], warning: String?) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("pattern", pattern)
            if let warning { writer.member("warning", warning) }
            writer.memberArray("urls") { writer in
                for result in results {
                    writer.object { writer in
                        writer.member("url", bytes: result.uri.bytes)
                        writer.member("fits", result.fits)
                    }
                }
            }
        }
        Console.write(writer.bytes + [UInt8(ascii: "\n")])
    }
}
