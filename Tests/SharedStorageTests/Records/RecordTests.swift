import HTTPCore
import RecordFormat
import ResourceCore
import Stores
import TestSupport
import Testing
import Transforms

@testable import SharedStorage

@Suite("Records on the shared server")
struct RecordTests {
    private let packer = RecordPacker()

    private static let claim = Claim(token: ResourceIndex.newToken(), number: "000000000000002a")
    private static let times = SharedRecord.StoringTimes(ageSeconds: 9, lifetime: .seconds(51))

    static func response(
        _ fields: [(String, String)] = [("Cache-Control", "max-age=60"), ("ETag", "\"a\"")]
    ) throws
        -> StoredRecord
    {
        var list = Fields()
        for (name, value) in fields { list.append(name: Array(name.utf8), value: Array(value.utf8)) }
        return StoredRecord(
            uri: try TargetURI(parsing: "http://a.example/x?y"),
            partition: .shared,
            selection: [1, 2, 3],
            status: 200,
            reason: Array("OK".utf8),
            fields: list,
            requestFields: Fields(),
            requestTime: HTTPDate(seconds: 1_000),
            responseTime: HTTPDate(seconds: 1_001),
            isInvalidated: false,
            body: .bytes([])
        )
    }

    private func decoded(_ packed: PackedRecord, limit: Int = 8 << 20) throws -> (StoredRecord, [UInt8]) {
        let record = try SharedRecord(decoding: packed.record, sizeLimit: limit)
        let content = try packer.content(of: record) ?? packer.content(of: record, packed.pieces)
        return (record.response, content)
    }

    @Test(
        "a response comes back as it was stored, with content of any size",
        arguments: [0, 1, 1_000, 64 << 10, (64 << 10) + 1, 512 << 10, (512 << 10) + 1, 1_700_000]
    )
    func roundTrip(count: Int) throws {
        for content in [[UInt8](repeating: 0x61, count: count), noise(count)] {
            let response = try Self.response()
            let packed = packer.pack(response, content, Self.claim, Self.times, id: 7)
            let (again, bytes) = try decoded(packed)
            #expect(bytes == content)
            #expect(again.uri == response.uri && again.selection == response.selection && again.status == 200)
            #expect(RecordCoding.encode(again.fields) == RecordCoding.encode(response.fields))
            #expect((again.requestTime, again.responseTime) == (response.requestTime, response.responseTime))
            #expect(packed.pieces.count == (count > 64 << 10 ? (count + (512 << 10) - 1) / (512 << 10) : 0))
        }
    }

    @Test("the age is what it was when it was stored, and the time that the server says has gone")
    func age() throws {
        let packed = packer.pack(try Self.response(), [], Self.claim, Self.times, id: 7)
        let times = try SharedRecord(decoding: packed.record, sizeLimit: 1).storing
        #expect(times == Self.times)
        #expect(times.age(left: 51_000) == 9 && times.age(left: 50_999) == 10 && times.age(left: 1) == 60)
        // Gone, without an end, and with more time than it had.
        for left in [-2, -1, 0, 51_001] as [Int64] { #expect(times.age(left: left) == nil) }
    }

    @Test("content is compressed where that wins, and only there")
    func compression() throws {
        func packed(_ content: [UInt8]) throws -> PackedRecord {
            packer.pack(try Self.response(), content, Self.claim, Self.times, id: 1)
        }
        let small = try packed([UInt8](repeating: 0x61, count: 60_000))
        #expect(small.record.count < 1_000)
        #expect(try packed(noise(60_000)).record.count > 60_000)
        let large = try packed([UInt8](repeating: 0x61, count: 600_000))
        #expect(large.pieces.allSatisfy { $0.count < 2_000 })
    }

    @Test("a record with any byte changed, cut or added is broken or foreign, and never another response")
    func corruption() throws {
        let content = Array("hello, hello, hello".utf8)
        let packed = packer.pack(try Self.response(), content, Self.claim, Self.times, id: 7)
        for index in packed.record.indices {
            for bit in [UInt8(1), 0x80] {
                var changed = packed.record
                changed[index] ^= bit
                #expect(throws: RecordFault.self) { try SharedRecord(decoding: changed, sizeLimit: 1 << 20) }
            }
            #expect(throws: RecordFault.self) {
                try SharedRecord(decoding: Array(packed.record[..<index]), sizeLimit: 1 << 20)
            }
        }
        #expect(throws: RecordFault.broken) { try SharedRecord(decoding: packed.record + [0], sizeLimit: 1 << 20) }
    }

    @Test("random bytes behind the right mark and under the right sum trap nowhere")
    func forged() {
        var random = FixedRandom(seed: 11)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...200, using: &random)
            var bytes = Array("RSR2".utf8)
            // Small numbers, since most large ones end at the first check.
            for _ in 0..<count { bytes.append(random.next(2) == 0 ? 0 : UInt8(random.next(256))) }
            bytes += Checksum.sum(bytes).bigEndianBytes
            if let record = try? SharedRecord(decoding: bytes, sizeLimit: 1 << 20) {
                _ = try? packer.content(of: record)
                _ = try? packer.content(of: record, [[], [1], [0, 1, 2]])
            }
        }
    }

    @Test("pieces that are missing, mixed up, changed or of another size are broken")
    func brokenPieces() throws {
        let content = noise(1_100_000)
        let packed = packer.pack(try Self.response(), content, Self.claim, Self.times, id: 7)
        let record = try SharedRecord(decoding: packed.record, sizeLimit: 8 << 20)
        #expect(try packer.content(of: record, packed.pieces) == content)
        var changed = packed.pieces
        changed[1][100] ^= 1
        for pieces in [[], Array(packed.pieces.dropLast()), packed.pieces.reversed(), changed] {
            #expect(throws: RecordFault.broken) { try packer.content(of: record, pieces) }
        }
    }

    @Test("a record that announces more content than may be shared takes no memory for it")
    func tooLarge() throws {
        let packed = packer.pack(try Self.response(), noise(200_000), Self.claim, Self.times, id: 7)
        #expect(throws: RecordFault.broken) { try SharedRecord(decoding: packed.record, sizeLimit: 100_000) }
        let frame = SharedRecord.Content.inline([], isCompressed: true)
        var record = SharedRecord(try Self.response(), Self.claim, Self.times, size: 1 << 40, content: frame)
        #expect(throws: RecordFault.broken) { try SharedRecord(decoding: record.encoded, sizeLimit: 8 << 20) }
        record.size = 8 << 20
        let decoded = try SharedRecord(decoding: record.encoded, sizeLimit: 8 << 20)
        #expect(throws: RecordFault.broken) { try packer.content(of: decoded) }
    }

    @Test("values of other programs are foreign")
    func foreign() {
        for text in ["", "hello", "RSR0", "RSR1abcdefghijkl", "RSR3abcdefghijkl", "{\"a\":1}"] {
            #expect(throws: RecordFault.foreign) { try SharedRecord(decoding: Array(text.utf8), sizeLimit: 1) }
        }
        for text in ["", "1", "xyz\n", "1\na b", "\n", "0123456789abcdef0123456789abcdef\n"] {
            #expect(throws: RecordFault.foreign) { try ResourceIndex(Array(text.utf8)) }
        }
    }

    @Test("an index comes back with its version and names")
    func index() throws {
        for vary in [[], ["accept"], ["accept", "accept-language"]] {
            let index = ResourceIndex(token: ResourceIndex.newToken(), vary: vary.map { Array($0.utf8) })
            #expect(try ResourceIndex(index.encoded) == index)
        }
    }

    @Test("all keys of a resource are in one slot, those of its variants differ")
    func keys() throws {
        let keys = ResourceKeys(try TargetURI(parsing: "http://a.example/}{x"))
        let all = [
            keys.index, keys.record(.shared, []), keys.record(.shared, [1]), keys.record(.credential([1]), []),
            keys.piece(0, id: 1), keys.piece(1, id: 1), keys.piece(0, id: 2),
        ]
        #expect(Set(all).count == all.count)
        #expect(Set(all.map { KeySlot.slot(of: $0) }).count == 1)
    }
}
