import CommandSyntax
import Settings
import Terminal

/// `respite status`: prints the state of the daemon.
struct StatusCommand {
    private let client: AdminClient
    private let isJSON: Bool

    init(_ client: AdminClient, _ command: ParsedCommand) {
        self.client = client
        isJSON = command.has("json")
    }

    func run() throws(CommandFailure) {
        let response = try client.get("/v1/status")
        if isJSON {
            Console.write(response.content)
        } else {
            Console.write(TableSection.text(StatusSection.all(try response.json()), on: .output))
        }
    }
}
