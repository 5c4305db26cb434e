import Settings

/// What is stored of a representation, where that is not all of it, as the daemon tells.
struct HeldPart {
    /// Such as `octets 0-99 of 1000`.
    let text: String

    /// Nil if all of it is stored.
    init?(_ resource: JSONValue) {
        let extents = resource["extents"]?.elements ?? []
        if extents.isEmpty { return nil }
        let ranges = extents.map { "\($0["first"]?.integer ?? 0)-\($0["last"]?.integer ?? 0)" }
        let total = resource["total"]?.integer.map { "\($0)" } ?? "an unknown number"
        text = "octets \(ranges.joined(separator: ", ")) of \(total)"
    }
}

extension Table.Cell {
    /// The octets that are stored, and for a person of how many if these are not all.
    static func size(_ resource: JSONValue) -> Table.Cell {
        let held = resource["size"]?.integer
        guard let held, HeldPart(resource) != nil else { return .octets(held) }
        let total = resource["total"]?.integer.map { readable(octets: $0) } ?? "?"
        return Table.Cell("\(readable(octets: held)) of \(total)", plain: "\(held)")
    }
}
