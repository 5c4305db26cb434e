import RecordFormat

/// Content of more than 64 KiB, in pieces of 512 KiB, each a value of its own.
///
/// The first byte of a piece shows whether a frame of zstd follows.
enum ContentPieces {
    static let inlineLimit = 64 << 10
    static let size = 512 << 10

    static func count(of size: Int) -> Int { (size + Self.size - 1) / Self.size }

    /// The bytes of the piece with this number.
    static func size(of number: Int, of total: Int) -> Int { min(size, total - number * size) }

    static func encode(_ content: [UInt8], _ compressor: ContentCompressor) -> [[UInt8]] {
        (0..<count(of: content.count)).map { number in
            let start = number * size
            let piece = Array(content[start..<(start + size(of: number, of: content.count))])
            return compressor.compress(piece).map { [1] + $0 } ?? [0] + piece
        }
    }

    /// The content of some pieces: all must be there, with these checksums.
    static func decode(
        _ pieces: [[UInt8]],
        sums: [UInt64],
        size: Int,
        _ restorer: ContentRestorer
    ) throws(RecordFault) -> [UInt8] {
        guard pieces.count == sums.count, pieces.count == count(of: size) else { throw .broken }
        var content: [UInt8] = []
        content.reserveCapacity(size)
        for (number, piece) in pieces.enumerated() {
            guard Checksum.sum(piece) == sums[number], let kind = piece.first else { throw .broken }
            let count = Self.size(of: number, of: size)
            let body = Array(piece.dropFirst())
            let plain = kind == 0 ? body : kind == 1 ? restorer.restore(body, count: count) : nil
            guard let plain, plain.count == count else { throw .broken }
            content += plain
        }
        return content
    }
}
