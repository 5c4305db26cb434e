package import HTTPCore

/// A digest of each block of a content.
///
/// With it the same content is recognized when it is loaded again.
package struct BlockDigests: Sendable {
    /// The number of bytes in a block.
    let size: Int64
    /// The digests of the complete blocks.
    private(set) var complete: [ContentDigest.Value] = []
    private var current = ContentDigest()
    private var filled: Int64 = 0

    package init(size: Int64) { self.size = max(1, size) }

    package mutating func update(_ chunk: ByteChunk) {
        var rest = chunk
        while !rest.isEmpty {
            let piece = rest.prefix(Int(min(size - filled, Int64(rest.count))))
            piece.withBytes { current.update($0) }
            filled += Int64(piece.count)
            rest = rest.dropFirst(piece.count)
            if filled < size { return }
            complete.append(current.value)
            current = ContentDigest()
            filled = 0
        }
    }

    /// Returns a comparison with the blocks up to the one that contains `offset`; nil if that block is not complete.
    package func comparison(upTo offset: Int64) -> ContentComparison? {
        let count = Int(offset / size) + 1
        guard count <= complete.count else { return nil }
        return ContentComparison(Array(complete.prefix(count)), size: size, offset: offset)
    }
}

/// Compares content that is loaded again with the content that a reader has, and returns the bytes that the reader
/// lacks.
package struct ContentComparison: Sendable {
    private let expected: [ContentDigest.Value]
    private let offset: Int64
    private var digests: BlockDigests
    private var position: Int64 = 0
    /// Bytes past the reader's offset in a block that is not compared yet.
    private var pending: [ByteChunk] = []

    fileprivate init(_ expected: [ContentDigest.Value], size: Int64, offset: Int64) {
        self.expected = expected
        self.offset = offset
        digests = BlockDigests(size: size)
    }

    /// Whether all blocks are compared; they are equal unless `compare` has returned nil.
    package var isDone: Bool { digests.complete.count == expected.count }

    /// Compares the next bytes.
    ///
    /// Returns the chunks that the reader may have, or nil if the content is a different one.
    package mutating func compare(_ chunk: ByteChunk) -> [ByteChunk]? {
        let end = Int64(expected.count) * digests.size
        let piece = chunk.prefix(Int(min(Int64(chunk.count), end - position)))
        digests.update(piece)
        let skipped = min(Int64(piece.count), max(0, offset - position))
        position += Int64(piece.count)
        if skipped < Int64(piece.count) { pending.append(piece.dropFirst(Int(skipped))) }
        guard digests.complete.elementsEqual(expected.prefix(digests.complete.count)) else { return nil }
        guard isDone else { return [] }
        defer { pending = [] }
        return piece.count < chunk.count ? pending + [chunk.dropFirst(piece.count)] : pending
    }
}
