import HTTPCore
import RecordFormat
import ResourceCore
import Stores
import TransportSecurity

/// The keys of one resource on the shared server; a common hash tag keeps them in one slot.
///
/// The tag is a hash of the URI, and each record has the URI itself: equal hashes cost a miss, and no mix-up.
struct ResourceKeys {
    /// The key of the index.
    let index: [UInt8]

    init(_ uri: TargetURI) {
        var hash = ContentHash()
        hash.append(uri.bytes[...])
        let digits = hash.finish().prefix(16).flatMap { [Hexadecimal.digit($0 >> 4), Hexadecimal.digit($0 & 15)] }
        index = Array("respite:{".utf8) + digits + [UInt8(ascii: "}")]
    }

    /// The key of the record of a variant.
    func record(_ partition: Partition, _ selection: [UInt8]) -> [UInt8] {
        var name: [UInt8] = []
        name.appendPart(partition.sharedBytes)
        name.appendPart(selection)
        return index + Self.suffix(Checksum.sum(name))
    }

    /// The key of the lease for a variant; also the name of the channel on which the server announces its end.
    func lease(_ partitions: [Partition], _ selection: [UInt8], isAnonymous: Bool) -> [UInt8] {
        var name: [UInt8] = []
        for partition in partitions { name.appendPart(partition.sharedBytes) }
        name.appendPart(selection)
        name.appendNumber(isAnonymous ? 0 : 1)
        return index + Self.suffix(Checksum.sum(name)) + Array(":lease".utf8)
    }

    /// The key of a piece of a record's content.
    func piece(_ number: Int, id: UInt64) -> [UInt8] { index + Self.suffix(id) + Array(":\(number)".utf8) }

    private static func suffix(_ number: UInt64) -> [UInt8] { Array(":\(String(number, radix: 16))".utf8) }
}
