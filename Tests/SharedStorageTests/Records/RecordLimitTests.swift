import HTTPCore
import RecordFormat
import ResourceCore
import Stores
import Testing
import Transforms

@testable import SharedStorage

/// What a record may say, at its limits.
@Suite struct RecordLimitTests {
    private static let claim = Claim(token: String(repeating: "a", count: 32), number: "000000000000002a")
    private static let times = SharedRecord.StoringTimes(ageSeconds: 9, lifetime: .seconds(51))

    private static func encoded(
        _ content: SharedRecord.Content = .inline([], isCompressed: false),
        size: Int = 0,
        _ change: (inout StoredRecord) -> Void = { _ in }
    ) throws -> [UInt8] {
        var response = try RecordTests.response()
        change(&response)
        return SharedRecord(response, claim, times, size: size, content: content).encoded
    }

    private static func fault(_ bytes: [UInt8], limit: Int = 8 << 20) -> RecordFault? {
        do throws(RecordFault) {
            _ = try SharedRecord(decoding: bytes, sizeLimit: limit)
            return nil
        } catch {
            return error
        }
    }

    /// The bytes with another end, under a right sum.
    private static func resealed(_ bytes: [UInt8], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
        var body = Array(bytes.dropLast(8))
        change(&body)
        return body + Checksum.sum(body).bigEndianBytes
    }

    @Test("a record has a final status, and times up to the end of the year 9999")
    func values() throws {
        for (status, isTaken) in [(199, false), (200, true), (599, true), (600, false)] as [(UInt16, Bool)] {
            #expect(Self.fault(try Self.encoded { $0.status = status }) == (isTaken ? nil : .broken), "\(status)")
        }
        let last: Int64 = 253_402_300_799
        for (seconds, isTaken) in [(0, true), (last, true), (last + 1, false), (-1, false)] as [(Int64, Bool)] {
            let (asked, answered) = (
                try Self.encoded { $0.requestTime = HTTPDate(seconds: seconds) },
                try Self.encoded { $0.responseTime = HTTPDate(seconds: seconds) }
            )
            #expect(Self.fault(asked) == (isTaken ? nil : .broken), "\(seconds)")
            #expect(Self.fault(answered) == (isTaken ? nil : .broken), "\(seconds)")
        }
    }

    @Test("content has the size that may be shared at most")
    func sizes() throws {
        let bytes = try Self.encoded(.inline([1, 2, 3], isCompressed: false), size: 3)
        #expect(Self.fault(bytes, limit: 3) == nil && Self.fault(bytes, limit: 2) == .broken)
    }

    @Test("content is kept as it is, compressed, or in pieces; another kind is foreign")
    func kinds() throws {
        let bytes = try Self.encoded()
        for (kind, isCompressed) in [(0, false), (1, true)] as [(UInt8, Bool)] {
            let record = try SharedRecord(decoding: Self.resealed(bytes) { $0[$0.count - 9] = kind }, sizeLimit: 1)
            #expect(record.content == .inline([], isCompressed: isCompressed))
        }
        #expect(Self.fault(Self.resealed(bytes) { $0[$0.count - 9] = 3 }) == .foreign)
        let pieces = SharedRecord.Content.pieces(id: 7, sums: [1, 2])
        let size = ContentPieces.size + 1
        #expect(try SharedRecord(decoding: Self.encoded(pieces, size: size), sizeLimit: size).content == pieces)
        #expect(Self.fault(try Self.encoded(pieces, size: ContentPieces.size)) == .broken)
        #expect(Self.fault(try Self.encoded(.pieces(id: 7, sums: []), size: 0)) == .broken)
    }

    @Test("a record ends where it says")
    func ends() throws {
        let bytes = try Self.encoded()
        #expect(Self.fault(Self.resealed(bytes) { $0.append(0) }) == .broken)
        #expect(Self.fault(Self.resealed(bytes) { $0.removeLast() }) == .broken)
        #expect(Self.fault(Array("RSR2".utf8)) == .broken && Self.fault(Array("RSR".utf8)) == .foreign)
    }

    @Test("content that has another size than the record says is broken")
    func otherSize() throws {
        let packer = RecordPacker()
        func content(_ bytes: Int, size: Int) throws -> Int? {
            let inline = SharedRecord.Content.inline([UInt8](repeating: 1, count: bytes), isCompressed: false)
            return try packer.content(
                of: SharedRecord(try RecordTests.response(), Self.claim, Self.times, size: size, content: inline)
            )?.count
        }
        #expect(try content(5, size: 5) == 5 && content(64 << 10, size: 64 << 10) == 64 << 10)
        for (bytes, size) in [(5, 4), (5, 6), ((64 << 10) + 1, (64 << 10) + 1)] {
            #expect(throws: RecordFault.broken) { try content(bytes, size: size) }
        }
        let pieces = SharedRecord(
            try RecordTests.response(),
            Self.claim,
            Self.times,
            size: 3,
            content: .pieces(id: 1, sums: [1])
        )
        #expect(try packer.content(of: pieces) == nil)
    }

    @Test("content in pieces of 512 KiB has as many as it needs")
    func pieces() {
        let size = 512 << 10
        #expect(ContentPieces.size == size && ContentPieces.inlineLimit == 64 << 10)
        #expect([0, 1, size, size + 1, 2 * size].map(ContentPieces.count) == [0, 1, 1, 2, 2])
        #expect(ContentPieces.size(of: 0, of: size + 5) == size && ContentPieces.size(of: 1, of: size + 5) == 5)
    }

    @Test("a piece begins with its kind, and has the bytes that it should")
    func kindsOfPieces() throws {
        func content(_ piece: [UInt8], size: Int = 2, sum: UInt64? = nil) throws -> [UInt8] {
            try ContentPieces.decode(
                [piece],
                sums: [sum ?? Checksum.sum(piece)],
                size: size,
                ContentRestorer()
            )
        }
        #expect(try content([0, 5, 6]) == [5, 6])
        for piece in [[2, 5, 6], [0, 5], [0, 5, 6, 7], [], [1, 5, 6]] as [[UInt8]] {
            #expect(throws: RecordFault.broken) { try content(piece) }
        }
        #expect(throws: RecordFault.broken) { try content([0, 5, 6], sum: 1) }
        #expect(throws: RecordFault.broken) { try content([0, 5, 6], size: 0) }
    }

    @Test("numbers have eight bytes, and parts as many as they say")
    func reader() throws {
        func reader(_ bytes: [UInt8]) -> RecordReader { RecordReader(bytes[...]) }
        let two = [UInt8](repeating: 0, count: 7) + [2]
        var whole = reader(two + [8, 9])
        #expect(try whole.part() == [8, 9] && whole.rest.isEmpty)
        #expect(throws: RecordFault.broken) { try whole.number() }
        var short = reader(two + [8])
        #expect(throws: RecordFault.broken) { try short.part() }
        var seven = reader([UInt8](repeating: 0, count: 7))
        #expect(throws: RecordFault.broken) { try seven.number() }
        var counts = reader(two + two + [UInt8](repeating: 255, count: 8))
        #expect(try counts.count(2) == 2)
        #expect(throws: RecordFault.broken) { try counts.count(1) }
        #expect(throws: RecordFault.broken) { try counts.count(.max) }
    }
}
