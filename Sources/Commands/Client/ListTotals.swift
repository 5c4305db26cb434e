import Settings

/// The sums of a listing's lines.
struct ListTotals {
    private(set) var count = 0
    private var bytes: Int64 = 0
    private var hits: Int64 = 0

    mutating func add(_ resource: JSONValue) {
        count += 1
        bytes += resource["size"]?.integer ?? 0
        hits += resource["hits"]?.integer ?? 0
    }

    /// `2 resources, 3.4 MiB, 17 hits`.
    var text: String {
        "\(Plural.text(count, "resource")), \(Table.Cell.readable(bytes: bytes)), \(Plural.text(Int(clamping: hits), "hit"))"
    }
}
