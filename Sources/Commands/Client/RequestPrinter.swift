import CommandTexts
import Formats
import JSON
import Settings
import Terminal

/// Prints requests as rows, or one JSON object a line.
final class RequestPrinter {
    private let isJSON: Bool
    /// Whether the identifiers are shown.
    private let isLong: Bool
    private var hasHeading = false

    init(isJSON: Bool, isLong: Bool) {
        self.isJSON = isJSON
        self.isLong = isLong
    }

    /// Prints the requests among events, and where some are missing a note between them.
    func print(_ events: [EventReader.Event]) {
        for block in events.split(separator: EventReader.gap, omittingEmptySubsequences: false).enumerated() {
            if block.offset > 0 { noteGap() }
            print(block.element.filter { $0.name == "request" }.compactMap { try? JSONReader.parse($0.data) })
        }
    }

    func print(_ requests: [JSONValue]) {
        guard !requests.isEmpty else { return }
        if isJSON { return Console.write(requests.flatMap(Self.line)) }
        let width = Screen.output.width
        let columns = Self.columns(isLong, width)
        let table = RequestColumn.table(columns)
        if !hasHeading { Console.writeHeading(of: table) }
        hasHeading = true
        Console.write(requests.map { Self.row($0, columns, width: width) }, in: table)
    }

    /// Reports that there were more requests than could be shown.
    private func noteGap() {
        Console.complain("respite: requests are missing here: more were answered than the daemon keeps")
    }

    /// The columns before the URL for which a line has room.
    static func columns(_ isLong: Bool, _ width: Int?) -> [RequestColumn] {
        guard isLong else { return RequestColumn.fitting(width) }
        return [.id] + RequestColumn.fitting(width.map { $0 - RequestColumn.id.width - 2 })
    }

    private static func line(_ request: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(request)
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// - Parameter width: the characters of a line; nil: no limit.
    static func row(_ request: JSONValue, _ columns: [RequestColumn], width: Int?) -> [Table.Cell] {
        let cells = columns.map { $0.cell(request) }
        let url = Console.printable(request["url"]?.text ?? "-")
        guard let width else { return cells + [Table.Cell(url)] }
        let used = zip(columns, cells).reduce(0) { $0 + max($1.0.width, $1.1.human.count) + 2 }
        return cells + [Table.Cell(url.shortened(to: max(8, width - used)), plain: url)]
    }
}

/// A column of `respite tail` before the URL.
enum RequestColumn {
    case id, time, status, cache, method, duration, size

    var title: String {
        switch self {
        case .id: "ID"
        case .time: "TIME (UTC)"
        case .status: "STATUS"
        case .cache: "CACHE"
        case .method: "METHOD"
        case .duration: "TOOK"
        case .size: "SIZE"
        }
    }

    /// Widths that fit nearly all values.
    var width: Int {
        switch self {
        case .id: 10
        case .time: 12
        case .status: 6
        case .cache: 11
        case .method: 7
        case .duration: 7
        case .size: 8
        }
    }

    /// The columns for which a line has room.
    static func fitting(_ width: Int?) -> [RequestColumn] {
        switch width ?? .max {
        case 100...: [.time, .status, .cache, .method, .duration, .size]
        case 60...: [.time, .status, .cache, .duration]
        case 40...: [.status, .cache]
        default: [.status]
        }
    }

    static func table(_ columns: [RequestColumn]) -> Table {
        Table(titles: columns.map(\.title) + ["URL"], widths: columns.map(\.width) + [3])
    }

    func cell(_ request: JSONValue) -> Table.Cell {
        switch self {
        case .id: return Table.Cell(request["id"]?.text ?? "-")
        case .time:
            guard let text = request["time"]?.text else { return .none }
            return Table.Cell(String(text.dropFirst(11).dropLast()), plain: text)
        case .status:
            guard let status = request["status"]?.integer, status > 0 else { return .none }
            return Table.Cell("\(status)", color: [3: 36, 4: 33, 5: 31][status / 100])
        case .cache:
            guard let word = request["cache"]?.text else { return .none }
            return Table.Cell(word, color: ["hit": 32, "stale": 33, "refused": 31, "error": 31][word])
        case .method: return Table.Cell(request["method"]?.text ?? "-")
        case .duration: return .microseconds(request["durationMicroseconds"]?.integer)
        case .size: return .bytes(request["bytes"]?.integer)
        }
    }
}
