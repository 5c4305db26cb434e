import HTTPCore
import ResourceCore

/// The 16-byte key of a row, made of two hashes under the store's own seed.
///
/// The first eight bytes are the hash of the target URI. The others are the hash of partition, selection and rendition.
struct RecordKey {
    /// The first half of all keys of one URI.
    static func prefix(_ uri: TargetURI, seed: UInt64) -> UInt64 { Checksum.sum(uri.bytes, seed: seed) }

    let bytes: [UInt8]

    init(_ uri: TargetURI, _ partition: Partition, _ selection: [UInt8], rendition: Int64 = 0, seed: UInt64) {
        var rest = partition.bytes
        rest.append(contentsOf: UInt64(rest.count).bigEndianBytes)
        rest.append(contentsOf: UInt64(bitPattern: rendition).bigEndianBytes)
        rest.append(contentsOf: selection)
        bytes =
            RecordKey.prefix(uri, seed: seed).bigEndianBytes + Checksum.sum(rest, seed: seed).bigEndianBytes
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
        let prefix = prefix(uri, seed: seed).bigEndianBytes
        return (prefix + UInt64.min.bigEndianBytes, prefix + UInt64.max.bigEndianBytes)
    }

    // MARK: Listings

    /// The cursor of a row's URI in listings: 63 bits of its hash, never 0.
    static func cursor(ofKey key: [UInt8]) -> Int64 {
        max(1, Int64(truncatingIfNeeded: UInt64(bigEndian: key.prefix(8)) >> 1))
    }

    /// The highest key of the URI at a cursor; below all keys for 0.
    static func end(ofCursor cursor: Int64) -> [UInt8] {
        guard cursor > 0 else { return [] }
        return (UInt64(cursor) << 1 | 1).bigEndianBytes + UInt64.max.bigEndianBytes
    }
}

extension UInt64 {
    var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) } }

    init(bigEndian bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
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
