import HTTPCore
import RecordFormat
import ResourceCore
import Stores
import Transforms

/// A stored response as a value on the shared server (format 2), with a checksum at its end.
///
/// It begins with a mark of the format, and the version and number of its load. Scripts read these at fixed places.
struct SharedRecord {
    enum Content: Equatable {
        /// In the record; compressed, if `isCompressed`.
        case inline([UInt8], isCompressed: Bool)
        /// In values of their own, whose keys contain `id`, with the checksum of each.
        case pieces(id: UInt64, sums: [UInt64])
    }

    /// The response, without its content.
    var response: StoredRecord
    /// The version of the resource for which it was stored.
    var token: String
    /// The number of the load that brought it; see `Claim`.
    var number: String
    /// Its age and how long it had to live when it was stored.
    var storing: StoringTimes
    /// The bytes of the content.
    var size: Int
    var content: Content

    /// How old a response was when it was stored, how long the server keeps it, and which purges were known.
    struct StoringTimes: Sendable, Equatable {
        var ageSeconds: Int64
        var lifetime: Duration
        /// The latest purge that the storing node knew when the load began.
        var seen = PurgeID.none

        /// The age while the server keeps the value for `milliseconds` more; nil: no node has stored it so.
        ///
        /// Only the server's clock counts, so nodes may be set to different times.
        func age(left milliseconds: Int64) -> Int64? {
            let spent = lifetime / .milliseconds(1) - Double(milliseconds)
            return milliseconds > 0 && spent >= 0 ? ageSeconds + Int64((spent / 1000).rounded(.up)) : nil
        }
    }

    private static let mark = Array("RSR2".utf8)
    /// Mark, version and number.
    private static let prefixCount = 4 + 32 + 16
    private static let sumCount = 8
    /// The end of the year 9999, in seconds since 1970.
    private static let latestTime: UInt64 = 253_402_300_799

    // MARK: Writing

    var encoded: [UInt8] {
        var bytes = Self.mark + Array(token.utf8) + Array(number.utf8)
        for part in [
            response.uri.bytes, response.partition.sharedBytes, response.selection, response.reason,
            RecordCoding.encode(response.fields), RecordCoding.encode(response.requestFields),
        ] {
            bytes.appendPart(part)
        }
        let times = [response.requestTime, response.responseTime].map { UInt64(bitPattern: $0.seconds) }
        let seconds = [storing.ageSeconds, storing.lifetime.components.seconds].map { UInt64(max(0, $0)) }
        let seen = [storing.seen.time, storing.seen.number]
        for number in [UInt64(response.status)] + times + seconds + seen + [UInt64(size)] { bytes.appendNumber(number) }
        append(content, to: &bytes)
        bytes.appendNumber(Checksum.sum(bytes))
        return bytes
    }

    private func append(_ content: Content, to bytes: inout [UInt8]) {
        switch content {
        case .inline(let content, let isCompressed):
            bytes.appendNumber(isCompressed ? 1 : 0)
            bytes.appendPart(content)
        case .pieces(let id, let sums):
            bytes.appendNumber(2)
            bytes.appendNumber(id)
            bytes.appendPart(RecordCoding.encode(sums))
        }
    }

    // MARK: Reading

    init(_ response: StoredRecord, _ claim: Claim, _ storing: StoringTimes, size: Int, content: Content) {
        (self.response, self.storing, self.size, self.content) = (response, storing, size, content)
        (token, number) = (claim.token, claim.number)
    }

    /// - Parameter sizeLimit: the most bytes of content that are believed.
    init(decoding bytes: [UInt8], sizeLimit: Int) throws(RecordFault) {
        guard bytes.starts(with: Self.mark) else { throw .foreign }
        guard bytes.count >= Self.prefixCount + Self.sumCount else { throw .broken }
        let end = bytes.count - Self.sumCount
        guard UInt64(bigEndian: bytes[end...]) == Checksum.sum(Array(bytes[..<end])) else { throw .broken }
        token = String(decoding: bytes[Self.mark.count..<Self.mark.count + 32], as: UTF8.self)
        number = String(decoding: bytes[Self.prefixCount - 16..<Self.prefixCount], as: UTF8.self)
        var reader = RecordReader(bytes[Self.prefixCount..<end])
        var parts: [[UInt8]] = []
        for _ in 0..<6 { parts.append(try reader.part()) }
        var numbers: [UInt64] = []
        for _ in 0..<7 { numbers.append(try reader.number()) }
        response = try Self.response(parts, numbers)
        storing = StoringTimes(ageSeconds: Int64(numbers[3]), lifetime: .seconds(Int64(numbers[4])))
        storing.seen = PurgeID(time: numbers[5], number: numbers[6])
        size = try reader.count(sizeLimit)
        content = try Self.content(&reader, size: size)
        guard reader.rest.isEmpty else { throw .broken }
    }

    private static func response(_ parts: [[UInt8]], _ numbers: [UInt64]) throws(RecordFault) -> StoredRecord {
        let name = parts[0]
        guard let uri = TargetURI(canonical: name.span), let fields = RecordCoding.decode(parts[4]),
            let requestFields = RecordCoding.decode(parts[5]), let status = UInt16(exactly: numbers[0]),
            200...599 ~= status, numbers[1...4].allSatisfy({ $0 <= latestTime })
        else { throw .broken }
        return StoredRecord(
            uri: uri,
            partition: Partition(sharedBytes: parts[1]),
            selection: parts[2],
            status: status,
            reason: parts[3],
            fields: fields,
            requestFields: requestFields,
            requestTime: HTTPDate(seconds: Int64(bitPattern: numbers[1])),
            responseTime: HTTPDate(seconds: Int64(bitPattern: numbers[2])),
            isInvalidated: false,
            body: .bytes([])
        )
    }

    private static func content(_ reader: inout RecordReader, size: Int) throws(RecordFault) -> Content {
        switch try reader.number() {
        case 0: return .inline(try reader.part(), isCompressed: false)
        case 1: return .inline(try reader.part(), isCompressed: true)
        case 2:
            let id = try reader.number()
            let sums = RecordCoding.decodeSums(try reader.part())
            guard sums.count == ContentPieces.count(of: size), sums.count > 0 else { throw .broken }
            return .pieces(id: id, sums: sums)
        default: throw .foreign
        }
    }
}

extension Partition {
    /// None for the shared one.
    var sharedBytes: [UInt8] {
        switch self {
        case .shared: []
        case .credential(let hash): hash
        }
    }

    init(sharedBytes: [UInt8]) { self = sharedBytes.isEmpty ? .shared : .credential(sharedBytes) }
}
