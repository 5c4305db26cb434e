import Settings

/// What is stored of a representation, where that is not all of it, as the daemon tells.
struct StoredPart {
    /// Such as `bytes 0-99 of 1000`.
    let text: String

    /// Nil if all of it is stored.
    init?(_ resource: JSONValue) {
        let extents = resource["extents"]?.elements ?? []
        if extents.isEmpty { return nil }
        let ranges = extents.map { "\($0["first"]?.integer ?? 0)-\($0["last"]?.integer ?? 0)" }
        let total = resource["total"]?.integer.map { "\($0)" } ?? "an unknown number"
        text = "bytes \(ranges.joined(separator: ", ")) of \(total)"
    }
}

extension Table.Cell {
    /// The bytes that are stored, and for a person of how many if these are not all.
    static func size(_ resource: JSONValue) -> Table.Cell {
        let held = resource["size"]?.integer
        guard let held, StoredPart(resource) != nil else { return .bytes(held) }
        let total = resource["total"]?.integer.map { readable(bytes: $0) } ?? "?"
        return Table.Cell("\(readable(bytes: held)) of \(total)", plain: "\(held)")
    }
}
