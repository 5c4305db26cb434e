/// The columns of a row that eviction and removal need.
struct RowReference {
    var id: Int64
    var key: [UInt8]
    var size: Int64
    /// The number of the body file, or 0.
    var file: Int64
    /// 0 for the original, else the number of a transformed response.
    var rendition: Int64
    /// The bytes of the content in the table if it is compressed there, else 0.
    var compressed: Int64

    /// The bytes that the content occupies in the table, or in a file of its own.
    var sizeAtRest: Int64 { compressed > 0 ? compressed : size }

    /// The hashes of its tags.
    var tags: TagHashes

    var isOriginal: Bool { rendition == 0 }
    /// Frames of the log that its removal may need, without a body.
    var frames: Int { 10 + tags.count }

    /// The columns of `entry` that `init(_:)` reads; the first ones of a statement.
    static let columns = "id, key, size, file, form, compressed, tags"
    /// The index of the first column behind these.
    static let end: Int32 = 7

    /// Reads the current row of `statement`.
    init(_ statement: Statement) {
        id = statement.integer(0)
        key = statement.bytes(1)
        size = statement.integer(2)
        file = statement.integer(3)
        rendition = statement.integer(4)
        compressed = statement.integer(5)
        tags = TagHashes(bytes: statement.bytes(6))
    }
}
