import CommandSyntax
import CommandTexts
import Formats
import JSON
import Settings
import Terminal

/// `respite ls [FILTER]`: lists resources, one line each.
struct ListCommand {
    private let client: AdminClient
    private let isJSON: Bool
    private let isLong: Bool
    private let hasHeading: Bool
    private let order: ListOrder?
    private let isReversed: Bool
    private let filter: String?
    private let limit: Int

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        isLong = command.has("long")
        hasHeading = !command.has("no-header")
        isReversed = command.has("reverse")
        filter = command.operands.first
        if let filter { try PatternOperand.checkFilter(filter) }
        order = try command.value(of: "sort").map { text throws(CommandFailure) in try ListOrder(named: text) }
        guard order != nil || !isReversed else {
            throw CommandFailure("`--reverse` turns the order of `--sort`; name that, too", exitCode: 2)
        }
        guard let text = command.value(of: "limit") else {
            limit = .max
            return
        }
        guard let number = Int(text), number > 0 else {
            throw CommandFailure("`--limit` needs a whole number above 0", exitCode: 2)
        }
        limit = number
    }

    func run() throws(CommandFailure) {
        if isJSON { return Self.writeJSON(try collected()) }
        var totals = ListTotals()
        var printer = TablePrinter(Table(columns.map { $0.column(isLong: isLong) }), hasHeading: hasHeading)
        if order == nil {
            try client.forEachPage(filter: filter, limit: limit) { show($0, &printer, &totals) }
        } else {
            show(try collected(), &printer, &totals)
        }
        if totals.count == 0 { return Console.complain("respite: \(try emptyNote())") }
        guard hasHeading, printer.screen.isTerminal else { return }
        let lines = TextLines.wrapped(totals.text, width: printer.screen.width ?? .max)
        Console.write("\n" + lines.map { $0 + "\n" }.joined())
    }

    private var columns: [ListColumn] { isLong ? ListColumn.allCases : ListColumn.usual }

    /// All resources that are wanted, in their order.
    private func collected() throws(CommandFailure) -> [JSONValue] {
        if let order, limit <= AdminClient.largestPage {
            return try client.first(limit, filter: filter, in: order, isReversed: isReversed)
        }
        var all: [JSONValue] = []
        try client.forEachPage(filter: filter, limit: order == nil ? limit : .max) { all += $0 }
        guard let order else { return all }
        return Array(order.sorted(all, isReversed: isReversed).prefix(limit))
    }

    private func show(_ resources: [JSONValue], _ printer: inout TablePrinter, _ totals: inout ListTotals) {
        for resource in resources { totals.add(resource) }
        printer.write(
            resources.map { resource in
                printer.screen.isTerminal
                    ? columns.map { $0.cell(resource) } : Self.row(resource, isLong: isLong)
            }
        )
    }

    private func emptyNote() throws(CommandFailure) -> String {
        if let filter { return "nothing that is stored fits `\(Console.printable(filter))`" }
        let tunnels = TunnelAdvice.sentence(try client.get("/v1/status").json()).map { ". \($0)" } ?? ""
        return "nothing is stored yet; `respite run -- COMMAND` sends a command's requests through the cache\(tunnels)"
    }

    private static func writeJSON(_ resources: [JSONValue]) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.memberArray("resources") { writer in for resource in resources { writer.value(resource) } }
        }
        Console.write(writer.bytes + [UInt8(ascii: "\n")])
    }

    /// The values for programs; their order does not change.
    static func row(_ resource: JSONValue, isLong: Bool = false) -> [Table.Cell] {
        func number(_ name: String) -> Table.Cell { resource[name]?.integer.map { Table.Cell("\($0)") } ?? .none }
        var row: [Table.Cell] = [
            .state(resource["state"]?.text),
            number("status"),
            .size(resource),
            .seconds(resource["ageSeconds"]?.integer),
            .seconds(resource["ttlSeconds"]?.integer),
            Table.Cell(resource["partition"]?.text ?? "-"),
            number("hits"),
        ]
        if isLong {
            row += [
                Table.Cell(resource["inMemory"]?.isTrue == true ? "memory" : "store"),
                number("variants"),
                Table.Cell(resource["contentType"]?.text ?? "-"),
            ]
        }
        return row + [Table.Cell(resource["uri"]?.text ?? "-")]
    }
}
