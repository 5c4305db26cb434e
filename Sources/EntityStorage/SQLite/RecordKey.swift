import HTTPCore
import ResourceCore

/// The 16 octets a row is found by: eight of the target URI, eight of variant, partition and form; hashes under the store's
/// own seed.
struct RecordKey {
    /// Starts of all keys of one URI.
    static func prefix(_ uri: TargetURI, seed: UInt64) -> UInt64 { Checksum.sum(uri.octets, seed: seed) }

    let octets: [UInt8]

    init(_ uri: TargetURI, _ partition: Partition, _ selection: [UInt8], form: Int64 = 0, seed: UInt64) {
        var rest = partition.octets
        rest.append(contentsOf: UInt64(rest.count).bigEndianOctets)
        rest.append(contentsOf: UInt64(bitPattern: form).bigEndianOctets)
        rest.append(contentsOf: selection)
        octets =
            RecordKey.prefix(uri, seed: seed).bigEndianOctets + Checksum.sum(rest, seed: seed).bigEndianOctets
    }

    /// Of a form of the record.
    init(_ form: FormName, of original: StoredRecord, seed: UInt64) {
        self.init(
            original.uri,
            original.partition,
            original.selection,
            form: form.number(seed: seed),
            seed: seed
        )
    }

    /// The lowest and the highest key of a URI.
    static func range(_ uri: TargetURI, seed: UInt64) -> (low: [UInt8], high: [UInt8]) {
        let prefix = prefix(uri, seed: seed).bigEndianOctets
        return (prefix + UInt64.min.bigEndianOctets, prefix + UInt64.max.bigEndianOctets)
    }

    /// The place of a row's URI in listings: 63 bits of its hash, never 0.
    static func listed(_ key: [UInt8]) -> Int64 {
        max(1, Int64(truncatingIfNeeded: UInt64(bigEndian: key.prefix(8)) >> 1))
    }

    /// The highest key of what stands at a place in listings; below all keys for 0.
    static func end(ofListed place: Int64) -> [UInt8] {
        guard place > 0 else { return [] }
        return (UInt64(place) << 1 | 1).bigEndianOctets + UInt64.max.bigEndianOctets
    }
}

extension UInt64 {
    var bigEndianOctets: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) } }

    init(bigEndian octets: some Sequence<UInt8>) {
        self = octets.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension Partition {
    /// How a partition is stored: empty for the shared one.
    var octets: [UInt8] {
        switch self {
        case .shared: []
        case .credential(let hash): hash
        }
    }

    init(octets: [UInt8]) { self = octets.isEmpty ? .shared : .credential(octets) }
}
