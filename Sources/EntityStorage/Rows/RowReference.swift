/// What eviction and removal need to know of a row.
struct RowReference {
    var id: Int64
    var key: [UInt8]
    var size: Int64
    /// The number of the body file, or 0.
    var file: Int64
    /// 0 for the original, else the number of a transformed response.
    var rendition: Int64

    var isOriginal: Bool { rendition == 0 }

    /// The columns of `entry` that `init(_:)` reads, the first of a statement.
    static let columns = "id, key, size, file, form"

    /// Reads the row that `statement` stands on.
    init(_ statement: Statement) {
        id = statement.integer(0)
        key = statement.bytes(1)
        size = statement.integer(2)
        file = statement.integer(3)
        rendition = statement.integer(4)
    }
}
