import CommandSyntax
import JSON
import Settings
import Terminal

/// `respite tunnels`: lists the open tunnels, one line each.
struct TunnelsCommand {
    static let table = Table([
        Table.Column(title: "ID", isNumber: true, rank: 7), Table.Column(title: "CLIENT", rank: 2),
        Table.Column(title: "ROUTE", rank: 6), Table.Column(title: "STATE", rank: 1),
        Table.Column(title: "UP", isNumber: true, rank: 4), Table.Column(title: "DOWN", isNumber: true, rank: 3),
        Table.Column(title: "OPENED", isNumber: true, rank: 5), Table.Column(title: "IDLE", isNumber: true, rank: 8),
        Table.Column(title: "TARGET"),
    ])

    private let client: AdminClient
    private let isJSON: Bool
    private let hasHeading: Bool

    init(_ client: AdminClient, _ command: ParsedCommand) {
        self.client = client
        isJSON = command.has("json")
        hasHeading = !command.has("no-header")
    }

    func run() throws(CommandFailure) {
        let response = try client.get("/v1/tunnels?limit=100000")
        if isJSON {
            Console.write(response.content)
            return
        }
        let rows = (try response.json()["tunnels"]?.elements ?? []).map(Self.row)
        var printer = TablePrinter(Self.table, hasHeading: hasHeading)
        printer.write(rows)
        if rows.isEmpty, printer.screen.isTerminal { Console.complain("respite: no tunnel is open") }
    }

    static func row(_ tunnel: JSONValue) -> [Table.Cell] {
        func text(_ name: String) -> Table.Cell { Table.Cell(tunnel[name]?.text ?? "-") }
        return [
            tunnel["id"]?.integer.map { Table.Cell("\($0)") } ?? .none,
            text("client"),
            text("route"),
            text("state"),
            .bytes(tunnel["bytesUp"]?.integer),
            .bytes(tunnel["bytesDown"]?.integer),
            .ago(tunnel["ageSeconds"]?.integer),
            .roughly(tunnel["idleSeconds"]?.integer),
            text("target"),
        ]
    }
}
