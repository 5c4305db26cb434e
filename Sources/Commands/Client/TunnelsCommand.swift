import CommandSyntax
import Settings

/// `respite tunnels`: lists the open tunnels, one line each.
struct TunnelsCommand {
    private static let table = Table(
        titles: ["ID", "CLIENT", "ROUTE", "STATE", "UP", "DOWN", "AGE", "IDLE", "TARGET"],
        widths: [4, 15, 7, 5, 9, 9, 8, 8, 6]
    )

    private let client: AdminClient
    private let isJSON: Bool

    init(_ client: AdminClient, _ command: ParsedCommand) {
        self.client = client
        isJSON = command.has("json")
    }

    func run() throws(CommandFailure) {
        let response = try client.get("/v1/tunnels?limit=100000")
        if isJSON {
            Console.write(response.content)
            return
        }
        let rows = (try response.json()["tunnels"]?.elements ?? []).map(Self.row)
        Console.writeHeading(of: Self.table)
        Console.write(rows, in: Self.table)
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
            .seconds(tunnel["ageSeconds"]?.integer),
            .seconds(tunnel["idleSeconds"]?.integer),
            text("target"),
        ]
    }
}
