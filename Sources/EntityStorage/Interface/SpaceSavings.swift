/// What compression and shared body files save on the disk.
public struct SpaceSavings: Sendable, Equatable {
    /// Stored responses whose content is compressed, transformed ones included.
    public var compressedEntries: Int64 = 0
    /// The bytes of their content, as clients get it.
    public var compressedContent: Int64 = 0
    /// The bytes that it occupies in the database.
    public var compressedBytes: Int64 = 0
    /// Body files that are a further name of another one.
    public var sharedBodies: Int64 = 0
    /// The bytes that they would take as files of their own.
    public var sharedBytes: Int64 = 0

    public init() {}

    static func + (one: SpaceSavings, other: SpaceSavings) -> SpaceSavings {
        var sum = one
        sum.compressedEntries += other.compressedEntries
        sum.compressedContent += other.compressedContent
        sum.compressedBytes += other.compressedBytes
        sum.sharedBodies += other.sharedBodies
        sum.sharedBytes += other.sharedBytes
        return sum
    }
}

extension SpaceSavings {
    /// Counts a row that comes (1) or goes (-1), if its content is compressed.
    mutating func count(_ change: Int64, content: Int64, compressed: Int64) {
        guard compressed > 0 else { return }
        compressedEntries += change
        compressedContent += change * content
        compressedBytes += change * compressed
    }

    /// Counts a body file of `size` bytes that begins (1) or ends (-1) to share its bytes.
    mutating func countShared(_ change: Int64, size: Int64) {
        sharedBodies += change
        sharedBytes += change * size
    }
}
