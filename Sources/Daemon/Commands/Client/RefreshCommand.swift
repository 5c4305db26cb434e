import Formats
import Settings

/// `respite refresh URL…`: has the daemon load URLs now.
struct RefreshCommand {
    private let client: AdminClient
    private let isJSON: Bool
    private let targets: [String]

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        targets = command.operands
        for target in targets { _ = try ClientCommand.uri(target) }
    }

    func run() throws(CommandFailure) {
        for target in targets {
            var writer = JSONWriter()
            writer.object { $0.member("uri", target) }
            let answer = try client.post("/v1/refresh", json: writer.bytes)
            if isJSON {
                Console.write(answer.content)
            } else {
                let word = try answer.json()["result"]?.text == "notModified" ? "not modified" : "loaded"
                Console.write("\(word)  \(Console.printable(target))\n")
            }
        }
    }
}
