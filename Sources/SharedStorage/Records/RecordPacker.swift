import HTTPCore
import RecordFormat
import ResourceCore
import Stores

/// The values of one response for the shared server.
struct PackedRecord: Sendable {
    var record: [UInt8]
    var id: UInt64
    var pieces: [[UInt8]]
}

/// Makes values of responses, and responses of values; used on one thread at a time.
final class RecordPacker {
    private let compressor = ContentCompressor()
    private let restorer = ContentRestorer()

    /// - Parameters:
    ///   - claim: that of the load which brought the response.
    ///   - times: its age, and how long it will be there.
    ///   - id: distinguishes the pieces from those of other responses.
    func pack(
        _ response: StoredRecord,
        _ content: [UInt8],
        _ claim: Claim,
        _ times: SharedRecord.StoringTimes,
        id: UInt64
    ) -> PackedRecord {
        guard content.count > ContentPieces.inlineLimit else {
            let record = SharedRecord(response, claim, times, size: content.count, content: inline(content))
            return PackedRecord(record: record.encoded, id: id, pieces: [])
        }
        let pieces = ContentPieces.encode(content, compressor)
        let index = SharedRecord.Content.pieces(id: id, sums: pieces.map { Checksum.sum($0) })
        let record = SharedRecord(response, claim, times, size: content.count, content: index)
        return PackedRecord(record: record.encoded, id: id, pieces: pieces)
    }

    private func inline(_ content: [UInt8]) -> SharedRecord.Content {
        if let frame = compressor.compress(content) { return .inline(frame, isCompressed: true) }
        return .inline(content, isCompressed: false)
    }

    /// The content of a record that contains it; nil if it is in pieces.
    func content(of record: SharedRecord) throws(RecordFault) -> [UInt8]? {
        guard case .inline(let bytes, let isCompressed) = record.content else { return nil }
        guard record.size <= ContentPieces.inlineLimit else { throw .broken }
        let content = isCompressed ? restorer.restore(bytes, count: record.size) : bytes
        guard let content, content.count == record.size else { throw .broken }
        return content
    }

    func content(of record: SharedRecord, _ pieces: [[UInt8]]) throws(RecordFault) -> [UInt8] {
        guard case .pieces(_, let sums) = record.content else { throw .broken }
        return try ContentPieces.decode(pieces, sums: sums, size: record.size, restorer)
    }
}
