import HTTPCore
import RecordFormat
import Stores
import Transforms

/// The 16-byte key of a row, made of two hashes under the store's own seed.
///
/// The first eight bytes are the hash of the target URI. The others are the hash of partition, selection and rendition.
///
/// The keys of all questions to one target have one first half, so that they are removed together. Four bytes of each
/// question's own hash follow, so that no look-up reads the rows of the others.
struct RecordKey {
    /// The first half of all keys of one URI.
    static func prefix(_ uri: TargetURI, seed: UInt64) -> UInt64 {
        uri.isQuestion ? questionPrefix(uri.withoutQuestion, seed: seed) : Checksum.sum(uri.bytes, seed: seed)
    }

    /// The first half of the keys of all questions to `target`.
    static func questionPrefix(_ target: TargetURI, seed: UInt64) -> UInt64 {
        Checksum.sum(target.bytes + [0x23], seed: seed)
    }

    let bytes: [UInt8]

    init(_ uri: TargetURI, _ partition: Partition, _ selection: [UInt8], rendition: Int64 = 0, seed: UInt64) {
        var rest = partition.bytes
        rest.append(contentsOf: UInt64(rest.count).bigEndianBytes)
        rest.append(contentsOf: UInt64(bitPattern: rendition).bigEndianBytes)
        rest.append(contentsOf: selection)
        let variant = Checksum.sum(rest, seed: seed)
        let own = uri.isQuestion ? RecordKey.questionPart(uri, seed: seed) | variant >> 32 : variant
        bytes = RecordKey.prefix(uri, seed: seed).bigEndianBytes + own.bigEndianBytes
    }

    /// The key of the row of a response; a part that joins others has one for its first byte.
    init(_ record: StoredRecord, seed: UInt64) {
        let first = record.otherParts == .joined ? record.extent?.ranges.first?.lowerBound : nil
        let part = first.map { -1 - $0 } ?? 0
        self.init(record.uri, record.partition, record.selection, rendition: part, seed: seed)
    }

    /// The upper half of the second half of all keys of one question.
    private static func questionPart(_ uri: TargetURI, seed: UInt64) -> UInt64 {
        Checksum.sum(uri.bytes, seed: seed) & 0xFFFF_FFFF_0000_0000
    }

    /// The key of a transformed response of `original`.
    init(_ rendition: RenditionName, of original: StoredRecord, seed: UInt64) {
        self.init(
            original.uri,
            original.partition,
            original.selection,
            rendition: rendition.number(seed: seed),
            seed: seed
        )
    }

    /// The lowest and the highest key of a URI.
    static func range(_ uri: TargetURI, seed: UInt64) -> (low: [UInt8], high: [UInt8]) {
        let prefix = prefix(uri, seed: seed)
        guard uri.isQuestion else { return range(prefix, .min ... .max) }
        let part = questionPart(uri, seed: seed)
        return range(prefix, part...(part | 0xFFFF_FFFF))
    }

    /// The lowest and the highest key of the questions to `target`.
    static func range(questionsTo target: TargetURI, seed: UInt64) -> (low: [UInt8], high: [UInt8]) {
        range(questionPrefix(target, seed: seed), .min ... .max)
    }

    private static func range(_ prefix: UInt64, _ rest: ClosedRange<UInt64>) -> (low: [UInt8], high: [UInt8]) {
        let first = prefix.bigEndianBytes
        return (first + rest.lowerBound.bigEndianBytes, first + rest.upperBound.bigEndianBytes)
    }
}

extension Partition {
    /// The value of the column `partition`; empty for the shared one.
    var bytes: [UInt8] {
        switch self {
        case .shared: []
        case .credential(let hash): hash
        }
    }

    init(bytes: [UInt8]) { self = bytes.isEmpty ? .shared : .credential(bytes) }
}
