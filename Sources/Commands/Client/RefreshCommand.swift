import Formats
import HTTPCore
import Settings

/// `respite refresh URL…`: makes the daemon load URLs now.
struct RefreshCommand {
    private let client: AdminClient
    private let isJSON: Bool
    private let targets: [String]

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        targets = command.operands
        for target in targets { _ = try TargetURI(operand: target) }
    }

    func run() throws(CommandFailure) {
        for target in targets {
            var writer = JSONWriter()
            writer.object { $0.member("uri", target) }
            let response = try client.post("/v1/refresh", json: writer.bytes)
            if isJSON {
                Console.write(response.content)
            } else {
                let word = try response.json()["result"]?.text == "notModified" ? "not modified" : "loaded"
                Console.write("\(word)  \(Console.printable(target))\n")
            }
        }
    }
}
