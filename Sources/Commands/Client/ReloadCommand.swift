import CommandSyntax
import HTTPCore
import JSON
import Settings
import Terminal

/// `respite reload`: makes the daemon read its settings again.
struct ReloadCommand {
    private let client: AdminClient
    private let isJSON: Bool

    init(_ client: AdminClient, _ command: ParsedCommand) {
        self.client = client
        isJSON = command.has("json")
    }

    func run() throws(CommandFailure) {
        let response = try client.post("/v1/reload", json: [])
        if isJSON {
            Console.write(response.content)
        } else {
            let json = try response.json()
            Console.write(Self.text(json))
            for warning in json["warnings"]?.elements ?? [] {
                Console.complain("respite: warning: \(Console.printable(warning.text ?? ""))")
            }
        }
    }

    static func text(_ response: JSONValue) -> String {
        let changed = response["changed"]?.elements ?? []
        let waiting = response["needsRestart"]?.elements ?? []
        var text = changed.isEmpty ? "nothing has changed\n" : "in force now:\n" + changed.map(line).joined()
        if !waiting.isEmpty { text += "in force after a restart:\n" + waiting.map(line).joined() }
        return text
    }

    private static func line(_ change: JSONValue) -> String {
        let name = Console.printable(change["name"]?.text ?? "-")
        let (old, new) = (change["old"]?.text, change["new"]?.text)
        switch (old, new) {
        case (let old?, let new?) where old != new:
            return "  \(name) = \(Console.printable(new)), was \(Console.printable(old))\n"
        case (nil, let new?): return "  \(name) = \(Console.printable(new)), is new\n"
        case (let old?, nil): return "  \(name) was \(Console.printable(old)), is gone\n"
        default: return "  \(name)\n"
        }
    }
}
