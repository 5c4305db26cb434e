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
        let prefix = prefix(uri, seed: seed)
        var low = [UInt8](repeating: .min, count: 16)
        var high = [UInt8](repeating: .max, count: 16)
        for index in 0..<8 {
            let byte = UInt8(truncatingIfNeeded: prefix >> UInt64(56 - 8 * index))
            (low[index], high[index]) = (byte, byte)
        }
        return (low, high)
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
