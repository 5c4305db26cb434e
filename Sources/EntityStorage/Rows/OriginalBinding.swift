import HTTPCore
import RecordFormat
import Stores
import Transforms

/// Binds a transformed response to its original, by a hash of the original's content, status and describing fields.
///
/// Freshening does not change it. A store never serves a transformed response for an original with another binding.
enum OriginalBinding {
    private static let describing = [KnownField.contentType, .contentEncoding, .etag]

    /// The binding of a record in memory; reads its content unless that is in a file of the store.
    static func bytes(of record: StoredRecord) -> [UInt8] {
        bytes(
            status: Int64(record.status),
            fields: record.fields,
            mark: record.rendition,
            size: record.body.count,
            sums: sums(of: record.body)
        )
    }

    /// The binding of a row.
    ///
    /// - Parameters:
    ///   - mark: identifies the pipeline that redacted the content; the column `fingerprint`.
    ///   - bodySum: the sum of content in the table.
    ///   - blockSums: the sums of content in a file, as in the row.
    static func bytes(
        status: Int64,
        fields: Fields,
        mark: [UInt8],
        size: Int64,
        isFile: Bool,
        bodySum: Int64,
        blockSums: [UInt8]
    ) -> [UInt8] {
        let sums = isFile ? RecordCoding.decodeSums(blockSums) : size == 0 ? [] : [UInt64(bitPattern: bodySum)]
        return bytes(status: status, fields: fields, mark: mark, size: size, sums: sums)
    }

    private static func bytes(
        status: Int64,
        fields: Fields,
        mark: [UInt8],
        size: Int64,
        sums: [UInt64]
    ) -> [UInt8] {
        let sum = Checksum()
        sum.update(status)
        sum.update(size)
        sum.updatePart(mark)
        for field in describing {
            let values = fields.values(of: field)
            sum.update(Int64(values.count))
            for value in values { sum.updatePart(value) }
        }
        for block in sums { sum.update(Int64(bitPattern: block)) }
        return sum.digest.bigEndianBytes
    }

    /// A sum for each block of the content, in memory or in a file.
    private static func sums(of body: RecordBody) -> [UInt64] {
        switch body {
        case .file(let file as StoredBodyFile): return file.blockSums
        case .file: return []
        case .bytes(let bytes): return BlockSums.of(ByteChunk(bytes))
        }
    }
}

/// The sums of content in memory, by the blocks that it would have in a file.
private enum BlockSums {
    static func of(_ content: ByteChunk) -> [UInt64] {
        let sum = Checksum()
        var sums: [UInt64] = []
        var rest = content
        while !rest.isEmpty {
            let block = rest.prefix(Int(SpillFile.blockSize))
            sum.reset()
            sum.update(block)
            sums.append(sum.digest)
            rest = rest.dropFirst(block.count)
        }
        return sums
    }
}
