import EntityStorage
import Exchanges
import ResourceCore
import ResourceModel
import Testing

@testable import Respite

@Suite("Entities as rows")
struct EntityCodingTests {
    private static func entity(
        _ content: any Sendable,
        charset: String? = nil,
        headers: [String: String] = [:]
    ) -> Entity<any Sendable> {
        Entity(content: content, charset: charset, headers: headers, timestamp: Timestamp(sinceEpoch: .nanoseconds(7)))
    }

    @Test("a row has time, kind, charset and fields by name, each with its length")
    func layout() throws {
        let row = try #require(EntityCoding.row(Self.entity("ü", charset: "x", headers: ["B": "", "A": "1"])))
        let head: [UInt8] = [0, 0, 0, 1, 0x78, 1, 0, 0, 0, 1, 0x61, 0, 0, 0, 1, 0x31, 0, 0, 0, 1, 0x62, 0, 0, 0, 0]
        #expect(row == EntityRow(time: 7, kind: 1, head: head, content: [0xC3, 0xBC]))
        let bare = try #require(EntityCoding.row(Self.entity([1, 2] as [UInt8])))
        #expect(bare == EntityRow(time: 7, kind: 0, head: [0, 0, 0, 0, 0], content: [1, 2]))
        let long = try #require(EntityCoding.row(Self.entity("", charset: String(repeating: "x", count: 0x0102_03))))
        #expect(long.head.prefix(4) == [0, 1, 2, 3])
    }

    @Test("a charset that is empty is told from none", arguments: [nil, "", "utf-8"] as [String?])
    func charsets(charset: String?) throws {
        let row = try #require(EntityCoding.row(Self.entity("x", charset: charset)))
        let read = try #require(EntityCoding.entity(row))
        #expect(read.charset == charset && read.text == "x" && read.headers.isEmpty)
        #expect(read.timestamp == Timestamp(sinceEpoch: .nanoseconds(7)))
    }

    @Test("a row that is cut anywhere but between fields is none, nor is one of another kind")
    func damaged() throws {
        let row = try #require(EntityCoding.row(Self.entity("x", charset: "y", headers: ["a": "1", "b": ""])))
        var read: [Int] = []
        for count in 0...row.head.count {
            var cut = row
            cut.head = Array(row.head.prefix(count))
            if EntityCoding.entity(cut) != nil { read.append(count) }
        }
        #expect(read == [6, 16, row.head.count])
        for (kind, content) in [(3, [0x31]), (-1, [0x31]), (1, [0xFF]), (2, [0x7B])] as [(Int64, [UInt8])] {
            #expect(EntityCoding.entity(EntityRow(time: 0, kind: kind, head: row.head, content: content)) == nil)
        }
        let long: [UInt8] = [0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]
        #expect(EntityCoding.entity(EntityRow(time: 0, kind: 0, head: long, content: [])) == nil)
    }

    @Test(
        "what says no-store is not stored, in any case and between any blanks; other words do not matter (S-196)",
        arguments: [
            ("no-store", false), ("private, NO-STORE", false), (" \tno-store\t ,x", false), ("no-storey", true),
            ("x=no-store", true), ("no-cache, , \t", true), ("", true),
        ]
    )
    func noStore(directives: String, isStored: Bool) {
        let entity = Self.entity("x", headers: ["Cache-Control": directives, "Set-Cookie": "a=1"])
        let row = EntityCoding.row(entity)
        #expect((row != nil) == isStored)
        if let row { #expect(EntityCoding.entity(row)?.headers == ["cache-control": directives]) }
    }

    @Test("content that is neither bytes nor text nor JSON has no row (S-196)")
    func contents() {
        #expect(EntityCoding.row(Self.entity(7)) == nil)
        #expect(EntityCoding.row(Self.entity(["a": Double.nan] as [String: any Sendable])) == nil)
        #expect(EntityCoding.row(Self.entity([1] as [any Sendable]))?.content == Array("[1]".utf8))
        #expect(EntityCoding.row(Self.entity(["a": 1] as [String: any Sendable]))?.kind == 2)
    }

    @Test(
        "times are whole nanoseconds, and those that are too far away the last that there are",
        arguments: [
            (.zero, 0), (.milliseconds(1500), 1_500_000_000), (.milliseconds(-1500), -1_500_000_000),
            (.seconds(Int64.max), .max), (.seconds(-Int64.max), .min),
            (.seconds(9_223_372_036), 9_223_372_036_000_000_000),
            (Duration.seconds(9_223_372_036) + Duration.milliseconds(900), .max),
            (Duration.seconds(-9_223_372_036) - Duration.milliseconds(900), .min),
        ] as [(Duration, Int64)]
    )
    func times(time: Duration, nanoseconds: Int64) {
        #expect(EntityCoding.nanoseconds(Timestamp(sinceEpoch: time)) == nanoseconds)
    }

    @Test("unless a program says otherwise, a file takes 64 MiB, of what servers sent (S-198)")
    func defaults() {
        #expect(SQLiteEntityCache.usualLimit == 64 << 20)
        #expect(PersistentCache.sqlite(directory: "/nowhere").stage == .rawData)
    }

    @Test("the bytes of a key are scope, stage, version and URL, with their lengths before the first two (S-184)")
    func keys() {
        let resource = Service(baseURL: "http://org.example").resource("item")
        func text(_ cache: (any EntityCache)?, _ stage: PipelineStageKey) -> String? {
            let key = (cache as? SQLiteEntityCache)?.key(for: resource, stage: stage)
            return key.map { String(decoding: $0.bytes, as: UTF8.self) }
        }
        let own = PersistentCache.sqlite(directory: "/nowhere", scope: "ännä", version: 3)
        #expect(text(own.cache, .rawData) == "6 ännä 7 rawData 3 http://org.example/item")
        #expect(text(own.cache, .parsing) == "6 ännä 7 parsing 3 http://org.example/item")
        let usual = PersistentCache.sqlite(directory: "/nowhere")
        #expect(text(usual.cache, .rawData) == "0  7 rawData 1 http://org.example/item")
        let cache = SQLiteEntityCache(directory: "/nowhere")
        #expect(text(cache, .rawData) == text(usual.cache, .rawData))
        #expect(cache.key(for: resource) == cache.key(for: resource, stage: .rawData))
    }
}
