import JSON
import Settings
import Terminal

/// A column of `respite ls` on a terminal.
enum ListColumn: CaseIterable {
    case state, status, size, age, partition, hits, location, variants, type, url

    /// Those without `--long`.
    static let usual: [ListColumn] = [.state, .status, .size, .age, .partition, .hits, .url]

    /// - Parameter isLong: with `--long`; what that adds stays longer on a narrow terminal.
    func column(isLong: Bool) -> Table.Column {
        switch self {
        case .state: Table.Column(title: "STATE")
        case .status: Table.Column(title: "STATUS", isNumber: true, rank: isLong ? 6 : 3)
        case .size: Table.Column(title: "SIZE", isNumber: true, rank: 1)
        case .age: Table.Column(title: "AGE", isNumber: true, rank: isLong ? 5 : 2)
        case .partition: Table.Column(title: "FOR", rank: 8)
        case .hits: Table.Column(title: "HITS", isNumber: true, rank: 7)
        case .location: Table.Column(title: "IN", rank: 3)
        case .variants: Table.Column(title: "VARIANTS", isNumber: true, rank: 4)
        case .type: Table.Column(title: "TYPE", most: 20, rank: 2)
        case .url: Table.Column(title: "URL")
        }
    }

    func cell(_ resource: JSONValue) -> Table.Cell {
        func text(_ name: String) -> Table.Cell { Table.Cell(resource[name]?.text ?? "-") }
        return switch self {
        case .state: .standing(resource)
        case .status: resource["status"]?.integer.map { Table.Cell("\($0)") } ?? .none
        case .size: .size(resource)
        case .age: .ago(resource["ageSeconds"]?.integer)
        case .partition: text("partition")
        case .hits: .count(resource["hits"]?.integer)
        case .location: Table.Cell(resource["inMemory"]?.isTrue == true ? "memory" : "store")
        case .variants: .count(resource["variants"]?.integer)
        case .type: text("contentType")
        case .url: text("uri")
        }
    }
}

extension Table.Cell {
    /// Whether a resource is fresh, and for how long: `fresh for 2 h`.
    static func standing(_ resource: JSONValue) -> Table.Cell {
        let state = Table.Cell.state(resource["state"]?.text)
        guard let seconds = resource["ttlSeconds"]?.integer else { return state }
        switch (state.plain, seconds) {
        // What was marked stale has time left, which means nothing.
        case ("fresh", 1...), ("stale", ..<0):
            let text = "\(state.plain) for \(rough(seconds: Int64(clamping: seconds.magnitude)))"
            return Table.Cell(text, plain: state.plain, color: state.color, short: state.plain)
        default: return state
        }
    }
}
