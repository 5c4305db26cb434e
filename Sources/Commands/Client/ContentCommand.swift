import CommandSyntax
import HTTPCore
import Settings
import Terminal

/// `respite cat URL`: prints the content as it is stored.
struct ContentCommand {
    private let client: AdminClient
    private let uri: TargetURI

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        uri = try TargetURI(operand: command.operands.first ?? "")
    }

    func run() throws(CommandFailure) {
        let resource = try client.get("/v1/resources?uri=\(QueryText.escaped(uri.bytes))").json()
        guard let id = resource["id"]?.text else { throw CommandFailure("the daemon's response has no `id`") }
        if let part = resource["variants"]?.elements.first.flatMap({ StoredPart($0) }) {
            throw CommandFailure(
                "only a part of the content is stored: \(part.text); a request without Range loads the rest"
            )
        }
        try client.download("/v1/resources/\(QueryText.escaped(id.utf8))/body") { Console.write($0) }
    }
}
