import HTTPCore
import RecordFormat
import Stores
import Transforms

/// A record, or a transformed response, ready for its row.
struct PreparedRow {
    var head: RowHead
    /// What goes into the table, compressed if `head` has that flag; nil if the content is in `file`.
    var body: [UInt8]?
    var file: StoredBodyFile?
    /// Empty for a transformed response.
    var tags = TagHashes()
}

/// Decides whether a record may be stored, and where its content goes.
struct RowPreparation {
    /// The seed of the hashes in keys.
    let seed: UInt64
    let configuration: StoreConfiguration
    let limits: StoreLimits
    let compressor: ContentCompressor
    /// Writes content that is too large for a row into a file; nil if that fails.
    let writeFile: ([UInt8]) -> StoredBodyFile?

    /// The row of an operation that adds one; nil if there is none, or the record must not be stored.
    func row(of operation: RowOperation) -> PreparedRow? {
        switch operation {
        case .commit(let record, _):
            configuration.mayStore(record) ? row(of: record) : nil
        case .commitRendition(let rendition, let original, _):
            configuration.mayStore(original)
                ? row(RowHead(rendition, of: original, seed: seed), rendition.body, rendition.fields) : nil
        case .freshen, .invalidate, .removeVariant, .remove, .dropDamaged, .dropUnreadable:
            nil
        }
    }

    private func row(of record: StoredRecord) -> PreparedRow? {
        var row = row(RowHead(record), record.body, record.fields)
        row?.tags = TagHashes(record, seed: seed)
        return row
    }

    private func row(_ plain: RowHead, _ body: RecordBody, _ fields: Fields) -> PreparedRow? {
        var head = plain
        head.size = body.count
        guard head.size <= limits.maximumObjectSize else { return nil }
        switch body {
        case .bytes(let bytes):
            if head.size > Int64(StoreLimits.inlineLimit) { return writeFile(bytes).map { row(head, in: $0) } }
            head.bodySum = Int64(bitPattern: Checksum.sum(bytes))
            let mayGain = configuration.compression.mayGain(fields, count: head.size)
            let compressed = mayGain ? compressor.compress(bytes) : nil
            head.compressed = Int64(compressed?.count ?? 0)
            return PreparedRow(head: head, body: compressed ?? bytes)
        case .file(let file):
            return (file as? StoredBodyFile).map { row(head, in: $0) }
        }
    }

    private func row(_ plain: RowHead, in file: StoredBodyFile) -> PreparedRow {
        var head = plain
        head.file = file.number
        head.blockSums = RecordCoding.encode(file.blockSums)
        return PreparedRow(head: head, file: file)
    }
}

extension StoreConfiguration {
    private static let credentialFields: [KnownField] = [.authorization, .proxyAuthorization, .cookie, .setCookie]

    /// Whether a record may be stored on disk: one with a credential in its fields stays in memory (H-158).
    ///
    /// If `keepsPrivate` is false, a response that belongs to a credential stays in memory, too.
    func mayStore(_ record: StoredRecord) -> Bool {
        guard keepsPrivate || record.partition == .shared else { return false }
        return [record.fields, record.requestFields].allSatisfy { fields in
            !Self.credentialFields.contains(where: fields.contains)
                && credentialFields.allSatisfy { fields.values(named: $0).isEmpty }
        }
    }
}
