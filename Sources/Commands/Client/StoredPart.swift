import JSON
import Settings
import Terminal

/// The stored byte ranges of a representation.
struct StoredPart {
    /// Such as `bytes 0-99 of 1000`.
    let text: String

    /// Nil if the whole representation is stored.
    init?(_ resource: JSONValue) {
        let extents = resource["extents"]?.elements ?? []
        if extents.isEmpty { return nil }
        let ranges = extents.map { "\($0["first"]?.integer ?? 0)-\($0["last"]?.integer ?? 0)" }
        let total = resource["total"]?.integer.map { "\($0)" } ?? "an unknown length"
        text = "bytes \(ranges.joined(separator: ", ")) of \(total)"
    }
}

extension Table.Cell {
    /// The number of stored bytes; on a terminal also the total, if only a part is stored.
    static func size(_ resource: JSONValue) -> Table.Cell {
        let stored = resource["size"]?.integer
        guard let stored, StoredPart(resource) != nil else { return .bytes(stored) }
        let total = resource["total"]?.integer.map { readable(bytes: $0) } ?? "?"
        return Table.Cell("\(readable(bytes: stored)) of \(total)", plain: "\(stored)")
    }
}
