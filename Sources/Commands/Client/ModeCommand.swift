import CommandSyntax
import Formats
import JSON
import Settings
import Terminal

/// `respite mode [[SERVICE] MODE]`: prints how the daemon uses the network, or changes it until the next start.
struct ModeCommand {
    private let client: AdminClient
    private let isJSON: Bool
    private let mode: String?
    private let service: String?

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        mode = command.operands.last
        service = command.operands.count == 2 ? command.operands.first : nil
        if let mode, OperatingMode(rawValue: mode) == nil {
            let names = OperatingMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure("`\(Console.printable(mode))` is not a mode; the modes are \(names)", exitCode: 2)
        }
    }

    func run() throws(CommandFailure) {
        let response = if let mode { try change(to: mode) } else { try client.get("/v1/mode") }
        if isJSON {
            Console.write(response.content)
        } else {
            Console.write(Self.rows(try response.json()))
        }
    }

    private func change(to mode: String) throws(CommandFailure) -> AdminResponse {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("mode", mode)
            if let service { writer.member("service", service) }
        }
        return try client.put("/v1/mode", writer.bytes, type: "application/json")
    }

    static func rows(_ document: JSONValue) -> [[Table.Cell]] {
        var rows = [[Table.Cell("mode"), Table.Cell(document["mode"]?.text ?? "-")]]
        for service in document["services"]?.elements ?? [] where service["own"]?.isTrue == true {
            rows.append([
                Table.Cell("service \(service["name"]?.text ?? "-")"), Table.Cell(service["mode"]?.text ?? "-"),
            ])
        }
        return rows + outages(document)
    }

    /// A row for each origin that is down.
    static func outages(_ document: JSONValue) -> [[Table.Cell]] {
        (document["outages"]?.elements ?? []).map { outage in
            let since = outage["since"]?.text ?? "-"
            let text = "\(outage["origin"]?.text ?? "-") since \(since): \(outage["reason"]?.text ?? "-")"
            return [Table.Cell("down"), Table.Cell(text, color: 33)]
        }
    }
}
