import HTTPCaching
import HTTPCore
import RecordFormat
import Stores
import Transforms

/// A row of `entry` without its body: everything that its checksum covers.
struct RowHead {
    /// XORed with the sum of an invalidated row, so that a row that lost its mark counts as damaged.
    static let invalidationMask: Int64 = 0x5A3C_96E1_0F87_D24B

    var uri: [UInt8]
    var partition: [UInt8]
    var selection: [UInt8]
    /// 0 for the original, else the number of a transformed response.
    var rendition: Int64 = 0
    /// Identifies the pipeline that redacted the content before it was stored; empty if none did.
    var fingerprint: [UInt8] = []
    /// The part of the representation in the content, as text; empty for the whole.
    var extent: [UInt8] = []
    /// The encoded pieces of a recorded stream; empty for all other content.
    var pieces: [UInt8] = []
    /// The bytes of the content in the table if it is compressed there; 0 if it is as it came, or in a file.
    var compressed: Int64 = 0
    var status: Int64
    var reason: [UInt8]
    var fields: [UInt8]
    var requestFields: [UInt8]
    var requestTime: Int64
    var responseTime: Int64
    var isInvalidated: Bool
    var size: Int64
    /// The number of the body file, or 0.
    var file: Int64
    var bodySum: Int64
    /// A sum for each MiB of the body file.
    var blockSums: [UInt8]

    /// The sum of all properties above.
    var sum: Int64 {
        let sum = Checksum()
        sum.update(RecordCoding.format)
        for part in [uri, partition, selection, reason, fields, requestFields, blockSums] { sum.updatePart(part) }
        for number in [rendition, status, requestTime, responseTime, size, file, bodySum] { sum.update(number) }
        // Rows of earlier versions have the sums of theirs.
        for part in laterParts { sum.updatePart(part) }
        let plain = Int64(bitPattern: sum.digest)
        return isInvalidated ? plain ^ RowHead.invalidationMask : plain
    }

    /// The columns that came with later versions, in their order, without the empty ones at the end.
    private var laterParts: ArraySlice<[UInt8]> {
        if fingerprint.isEmpty, extent.isEmpty, pieces.isEmpty, compressed == 0 { return [] }
        let compressed = compressed == 0 ? [] : UInt64(bitPattern: compressed).bigEndianBytes
        let parts = [fingerprint, extent, pieces, compressed]
        return parts[..<(parts.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? 0)]
    }

    /// The record of this row with `body`; nil if a column cannot be read.
    func record(_ body: RecordBody) -> StoredRecord? {
        guard let uri = TargetURI(canonical: uri.span), let fields = RecordCoding.decode(fields),
            let requestFields = RecordCoding.decode(requestFields), let status = UInt16(exactly: status)
        else { return nil }
        let extent = ContentExtent(text: extent[...])
        // A part must never be taken for the whole, or for another part.
        guard self.extent.isEmpty || extent?.count == size else { return nil }
        return StoredRecord(
            uri: uri,
            partition: Partition(bytes: partition),
            selection: selection,
            status: status,
            reason: reason,
            fields: fields,
            requestFields: requestFields,
            requestTime: HTTPDate(seconds: requestTime),
            responseTime: HTTPDate(seconds: responseTime),
            isInvalidated: isInvalidated,
            body: body,
            rendition: fingerprint,
            extent: extent,
            pieces: StreamPieces(encoded: pieces, of: size) ?? StreamPieces()
        )
    }
}

extension RowHead {
    /// The columns of `entry` that `init(_:from:)` reads, in its order.
    static let columns = """
        uri, partition, selection, form, status, reason, fields, request_fields, request_time, response_time, invalidated,
            size, file, body_sum, block_sums, fingerprint, extent, pieces, compressed
        """

    /// Reads the current row of `statement`; `first` is the index of the first of these columns.
    init(_ statement: Statement, from first: Int32) {
        self.init(
            uri: statement.bytes(first),
            partition: statement.bytes(first + 1),
            selection: statement.bytes(first + 2),
            rendition: statement.integer(first + 3),
            fingerprint: statement.bytes(first + 15),
            extent: statement.bytes(first + 16),
            pieces: statement.bytes(first + 17),
            compressed: statement.integer(first + 18),
            status: statement.integer(first + 4),
            reason: statement.bytes(first + 5),
            fields: statement.bytes(first + 6),
            requestFields: statement.bytes(first + 7),
            requestTime: statement.integer(first + 8),
            responseTime: statement.integer(first + 9),
            isInvalidated: statement.integer(first + 10) != 0,
            size: statement.integer(first + 11),
            file: statement.integer(first + 12),
            bodySum: statement.integer(first + 13),
            blockSums: statement.bytes(first + 14)
        )
    }
}

extension RowHead {
    /// The head of `record`, without the columns that depend on its body.
    init(_ record: StoredRecord) {
        self.init(
            uri: record.uri.bytes,
            partition: record.partition.bytes,
            selection: record.selection,
            fingerprint: record.rendition,
            extent: record.extent.map { Array($0.text.utf8) } ?? [],
            pieces: record.pieces.encoded,
            status: Int64(record.status),
            reason: record.reason,
            fields: RecordCoding.encode(record.fields),
            requestFields: RecordCoding.encode(record.requestFields),
            requestTime: record.requestTime.seconds,
            responseTime: record.responseTime.seconds,
            isInvalidated: record.isInvalidated,
            size: 0,
            file: 0,
            bodySum: 0,
            blockSums: []
        )
    }
}
