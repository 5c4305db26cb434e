import HTTPCore
import ResourceCore
import Transforms

/// What a derived form is bound to: the content, status and describing fields of its original.
///
/// Freshening leaves it as it is; under another one the form is never served.
enum OriginalBinding {
    private static let describing = [KnownField.contentType, .contentEncoding, .etag]

    /// Of a record in memory; reads its content unless that lies in a file of the store's.
    static func bytes(of record: StoredRecord) -> [UInt8] {
        bytes(
            status: Int64(record.status),
            fields: record.fields,
            mark: record.rendition,
            size: record.body.count,
            sums: sums(of: record.body)
        )
    }

    /// Of a row.
    ///
    /// - Parameters:
    ///   - bodySum: of content in the table.
    ///   - blockSums: of content in a file, as the row has them.
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

    /// One sum for each block, wherever the content lies.
    private static func sums(of body: RecordBody) -> [UInt64] {
        switch body {
        case .file(let file as StoredBodyFile): return file.blockSums
        case .file: return []
        case .bytes(let bytes): return BlockSums.of(ByteChunk(bytes))
        }
    }
}

/// The sums of content in memory, by the blocks it would have in a file.
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
