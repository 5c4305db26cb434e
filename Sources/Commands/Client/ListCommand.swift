import Formats
import Settings

/// `respite ls [FILTER]`: lists resources, one line each.
struct ListCommand {
    private static let pageSize = 500
    /// Widths that fit nearly all values, so that each page of a long listing can be printed as it arrives.
    static let table = Table(
        titles: ["STATE", "STATUS", "SIZE", "AGE", "TTL", "FOR", "URL"],
        widths: [7, 6, 9, 8, 8, 7, 3]
    )

    private let client: AdminClient
    private let isJSON: Bool
    private let filter: String?
    private let limit: Int

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        filter = command.operands.first
        if let filter { try PatternOperand.checkFilter(filter) }
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
        var left = limit
        var cursor: String?
        var all: [JSONValue] = []
        if !isJSON { Console.writeHeading(of: Self.table) }
        repeat {
            let page = try client.get(path(cursor, count: min(left, Self.pageSize))).json()
            let resources = page["resources"]?.elements ?? []
            left -= resources.count
            cursor = page["next"]?.text
            if isJSON {
                all += resources
            } else {
                Console.write(resources.map(Self.row), in: Self.table)
            }
        } while cursor != nil && left > 0
        if isJSON { Self.writeJSON(all) }
    }

    private func path(_ cursor: String?, count: Int) -> String {
        var path = "/v1/resources?limit=\(count)"
        if let filter { path += "&filter=\(QueryText.escaped(filter.utf8))" }
        if let cursor { path += "&cursor=\(QueryText.escaped(cursor.utf8))" }
        return path
    }

    private static func writeJSON(_ resources: [JSONValue]) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.memberArray("resources") { writer in for resource in resources { writer.value(resource) } }
        }
        Console.write(writer.bytes + [UInt8(ascii: "\n")])
    }

    static func row(_ resource: JSONValue) -> [Table.Cell] {
        [
            .state(resource["state"]?.text),
            resource["status"]?.integer.map { Table.Cell("\($0)") } ?? .none,
            .size(resource),
            .seconds(resource["ageSeconds"]?.integer),
            .seconds(resource["ttlSeconds"]?.integer),
            Table.Cell(resource["partition"]?.text ?? "-"),
            Table.Cell(resource["uri"]?.text ?? "-"),
        ]
    }
}
