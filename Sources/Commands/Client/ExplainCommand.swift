import CommandSyntax
import HTTPCore
import JSON
import Settings
import Terminal

/// `respite explain URL [-H FIELD]… [-X METHOD]`: prints how the daemon would respond to a request now, and why.
///
/// With `--request ID` it prints why a request of the past was answered as it was.
struct ExplainCommand {
    private let client: AdminClient
    private let isJSON: Bool
    private let path: String

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        if let id = command.value(of: "request") {
            guard command.operands.isEmpty, !command.has("header"), !command.has("method") else {
                throw CommandFailure("`--request` names a request of the past; leave URL, -H and -X out", exitCode: 2)
            }
            path = "/v1/requests/\(try Self.segment(id))"
            return
        }
        guard !command.operands.isEmpty else {
            let usage = "usage: \(command.specification.usage); see `respite explain --help`"
            throw CommandFailure("name a URL, or a request of the past by `--request ID`\n\(usage)", exitCode: 2)
        }
        let uri = try TargetURI(operand: command.operands.first ?? "")
        let fields = command.values(of: "header").map { "&header=\(QueryText.escaped($0.utf8))" }.joined()
        let method = command.values(of: "method").last.map { "&method=\(QueryText.escaped($0.utf8))" } ?? ""
        path = "/v1/explain?url=\(QueryText.escaped(uri.bytes))\(fields)\(method)"
    }

    /// The identifier of a request, as `respite tail --json` shows it.
    static func segment(_ id: String) throws(CommandFailure) -> String {
        guard (1...13).contains(id.utf8.count), id.utf8.allSatisfy({ $0 &- 0x30 < 10 || $0 &- 0x61 < 26 }) else {
            throw CommandFailure(
                "`\(Console.printable(id))` is no identifier of a request; `respite tail --long` shows them",
                exitCode: 2
            )
        }
        return id
    }

    func run() throws(CommandFailure) {
        let response = try client.get(path)
        if isJSON { Console.write(response.content) } else { Console.write(Self.text(try response.json())) }
    }

    static func text(_ document: JSONValue) -> String {
        (document["text"]?.elements ?? []).compactMap(\.text).map { Console.printable($0) + "\n" }.joined()
    }
}
