import JSON
import Settings
import Terminal

/// The sums of a listing's lines.
struct ListTotals {
    private(set) var count = 0
    private var bytes: Int64 = 0
    private var hits: Int64 = 0

    /// - Parameter resource: a row of a listing, or a whole resource with its variants.
    mutating func add(_ resource: JSONValue) {
        count += 1
        let variants = resource["variants"]?.elements ?? []
        for part in variants.isEmpty ? [resource] : variants {
            bytes += part["size"]?.integer ?? 0
            hits += part["hits"]?.integer ?? 0
        }
    }

    /// `2 resources, 3.4 MiB, 17 hits`.
    var text: String {
        "\(Plural.text(count, "resource")), \(Table.Cell.readable(bytes: bytes)), \(Plural.text(Int(clamping: hits), "hit"))"
    }
}
