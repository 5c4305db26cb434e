import CommandSyntax
import HTTPCore
import Settings

/// `respite explain URL [-H FIELD]… [-X METHOD]`: prints how the daemon would respond to a request now, and why.
struct ExplainCommand {
    private let client: AdminClient
    private let isJSON: Bool
    private let path: String

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        let uri = try TargetURI(operand: command.operands.first ?? "")
        let fields = command.values(of: "header").map { "&header=\(QueryText.escaped($0.utf8))" }.joined()
        let method = command.values(of: "method").last.map { "&method=\(QueryText.escaped($0.utf8))" } ?? ""
        path = "/v1/explain?url=\(QueryText.escaped(uri.bytes))\(fields)\(method)"
    }

    func run() throws(CommandFailure) {
        let response = try client.get(path)
        if isJSON { Console.write(response.content) } else { Console.write(Self.text(try response.json())) }
    }

    static func text(_ document: JSONValue) -> String {
        (document["text"]?.elements ?? []).compactMap(\.text).map { Console.printable($0) + "\n" }.joined()
    }
}
