package import HTTPCore

/// A digest of each block of a content, so that the content can be compared when it comes once more.
package struct BlockDigests: Sendable {
    /// Bytes of a block.
    let size: Int64
    /// Of the blocks that are complete.
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

    /// What compares a content with the blocks up to the one that holds `offset`; nil if that one is not complete.
    package func comparison(upTo offset: Int64) -> ContentComparison? {
        let count = Int(offset / size) + 1
        guard count <= complete.count else { return nil }
        return ContentComparison(Array(complete.prefix(count)), size: size, offset: offset)
    }
}

/// Compares a content that comes once more with what a reader has got of it, and lets through what the reader lacks.
package struct ContentComparison: Sendable {
    private let expected: [ContentDigest.Value]
    private let offset: Int64
    private var digests: BlockDigests
    private var place: Int64 = 0
    /// Behind the reader's place, in a block that is not compared yet.
    private var held: [ByteChunk] = []

    fileprivate init(_ expected: [ContentDigest.Value], size: Int64, offset: Int64) {
        self.expected = expected
        self.offset = offset
        digests = BlockDigests(size: size)
    }

    /// Whether all of it was compared; it is the same unless `compare` has returned nil.
    package var isDone: Bool { digests.complete.count == expected.count }

    /// The next bytes; returns those that the reader may have, or nil if the content is another one.
    package mutating func compare(_ chunk: ByteChunk) -> [ByteChunk]? {
        let end = Int64(expected.count) * digests.size
        let piece = chunk.prefix(Int(min(Int64(chunk.count), end - place)))
        digests.update(piece)
        let skipped = min(Int64(piece.count), max(0, offset - place))
        place += Int64(piece.count)
        if skipped < Int64(piece.count) { held.append(piece.dropFirst(Int(skipped))) }
        guard digests.complete.elementsEqual(expected.prefix(digests.complete.count)) else { return nil }
        guard isDone else { return [] }
        defer { held = [] }
        return piece.count < chunk.count ? held + [chunk.dropFirst(piece.count)] : held
    }
}
