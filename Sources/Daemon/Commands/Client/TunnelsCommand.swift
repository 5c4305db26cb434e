import Settings

/// `respite tunnels`: the tunnels that are open, a line for each.
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
        let answer = try client.get("/v1/tunnels?limit=100000")
        if isJSON {
            Console.write(answer.content)
            return
        }
        let rows = (try answer.json()["tunnels"]?.elements ?? []).map(Self.row)
        let (isTerminal, hasColor) = (Console.isTerminal, Console.hasColor)
        Console.write(Self.table.heading(isTerminal: isTerminal, hasColor: hasColor))
        Console.write(Self.table.text(rows, isTerminal: isTerminal, hasColor: hasColor))
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
