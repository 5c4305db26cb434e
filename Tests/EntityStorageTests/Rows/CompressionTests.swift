import CZstd
import HTTPCore
import RecordFormat
import ResourceCore
import Stores
import TestSupport
import Testing
import Transforms

@testable import EntityStorage

/// Content of tests, and frames of zstd.
private enum Sample {
    static func page(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        let words = bytes(count / 20 + 1, seed: seed).map { "item \($0) of the list, " }
        return Array(words.joined().utf8.prefix(count))
    }

    /// A frame of zstd, as another program makes it.
    static func frame(_ content: [UInt8], level: Int32 = 1) -> [UInt8] {
        var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(content.count))
        let count = ZSTD_compress(&frame, frame.count, content, content.count, level)
        return Array(frame.prefix(count))
    }

    /// Digits of digests, which become about half as long.
    static func digests(_ count: Int, seed: UInt64) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes(count / 2, seed: seed).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    static let plain = [("Content-Type", "text/plain")]
}

@Suite("Compressed content in a store")
struct CompressionTests {
    let directory = TemporaryDirectory()

    private var database: ClosedDatabase { ClosedDatabase(path: directory.path + "/cache.db") }

    private func opened(_ compression: StoreCompression = .auto, limit: Int64 = 64 << 20) throws -> OpenStore {
        var configuration = StoreConfiguration(directory: directory.path, limit: limit)
        configuration.compression = compression
        return try OpenStore(configuration)
    }

    private func page(_ path: String, _ count: Int, seed: UInt64 = 1) -> StoredRecord {
        record(path, Sample.page(count, seed: seed))
    }

    // MARK: What is compressed

    @Test(
        "auto compresses text of 4 to 64 KiB without a content coding, all what is in the table, off nothing; it comes back whole",
        arguments: [
            (.auto, Sample.plain, 4096, true), (.auto, Sample.plain, 4095, false), (.auto, Sample.plain, 65_536, true),
            (.auto, Sample.plain, 65_537, false),
            (.auto, [("Content-Type", "application/json; charset=utf-8")], 5000, true),
            (.auto, [("Content-Type", "image/svg+xml")], 5000, true),
            (.auto, [("Content-Type", "image/png")], 5000, false), (.auto, [], 5000, false),
            (.auto, Sample.plain + [("Content-Encoding", "gzip")], 5000, false),
            (.auto, Sample.plain + [("Content-Encoding", "identity")], 5000, true),
            (.all, [("Content-Type", "image/png")], 5000, true), (.all, [], 300, true),
            (.all, Sample.plain, 65_536, true),
            (.all, Sample.plain + [("Content-Encoding", "br")], 5000, true), (.all, Sample.plain, 65_537, false),
            (.all, Sample.plain, 0, false), (.off, Sample.plain, 5000, false),
        ] as [(StoreCompression, [(String, String)], Int, Bool)]
    )
    func choice(compression: StoreCompression, fields: [(String, String)], count: Int, isCompressed: Bool) async throws
    {
        let content = Sample.page(count)
        var store = try opened(compression)
        #expect(await store.commit(record("/", content, fields: fields)))
        #expect(await store.lookUp(uri("/")).map(\.content) == [content])
        #expect(store.store.statistics().space.compressedEntries == (isCompressed ? 1 : 0))
        await store.close()
        #expect(database.query("SELECT compressed > 0 FROM entry") == [isCompressed ? "1" : "0"])
        store = try opened(compression)
        #expect(await store.lookUp(uri("/")).map(\.content) == [content])
        #expect(store.store.statistics().damaged == 0)
    }

    @Test("bytes that do not become a fifth smaller are stored as they came, whatever the setting")
    func randomBytes() async throws {
        let store = try opened(.all)
        await store.commit(record("/", bytes(60_000)))
        #expect(await store.lookUp(uri("/")).map(\.content) == [bytes(60_000)])
        #expect(store.store.statistics().space == SpaceSavings())
    }

    @Test("what becomes smaller by exactly a fifth is stored compressed, by a byte less as it came")
    func exactFifth() throws {
        let random = bytes(12_000)
        /// Content that takes `excess` bytes more than four fifths of it as a frame.
        func content(_ excess: Int) throws -> [UInt8] {
            for size in stride(from: 10_000, to: 12_000, by: 5) {
                for count in size * 4 / 5 - 40..<size * 4 / 5 {
                    let content = random[..<count] + [UInt8](repeating: 0, count: size - count)
                    if Sample.frame(Array(content)).count == size * 4 / 5 + excess { return Array(content) }
                }
            }
            return try #require(nil)
        }
        let compressor = ContentCompressor()
        let fifth = try content(0)
        #expect(compressor.compress(fifth)?.count == fifth.count * 4 / 5)
        #expect(compressor.compress(try content(1)) == nil)
    }

    // MARK: Life of a row

    @Test("rows of both kinds live side by side, whatever the setting is now; freshening and invalidation keep them")
    func mixedRows() async throws {
        var store = try opened(.off)
        await store.commit(page("/plain", 20_000))
        await store.close()
        store = try opened(.auto)
        await store.commit(page("/compressed", 20_000, seed: 2))
        var fresh = page("/compressed", 20_000, seed: 2)
        fresh.fields.append(name: "X-New", value: "1")
        #expect(await store.freshen(fresh))
        #expect(await store.freshen(page("/plain", 20_000)))
        await store.invalidate(uri("/compressed"))
        await store.close()
        #expect(database.query("SELECT compressed > 0 FROM entries ORDER BY id") == ["NULL", "1"])
        store = try opened(.off)
        #expect(await store.lookUp(uri("/plain")).first?.content == Sample.page(20_000))
        let found = try #require(await store.lookUp(uri("/compressed")).first)
        #expect(found.content == Sample.page(20_000, seed: 2) && found.isInvalidated && found.fields == fresh.fields)
        await store.commit(page("/compressed", 20_000, seed: 3))
        #expect(await store.lookUp(uri("/compressed")).first?.content == Sample.page(20_000, seed: 3))
        #expect(store.store.statistics().space == SpaceSavings())
    }

    @Test("a transformed response of a compressed original is compressed, too, and found after a restart")
    func rendition() async throws {
        let original = page("/", 20_000)
        let name = RenditionName(pipeline: "p", variation: "v")
        let fields = original.fields
        let made = StoredRendition(
            name: name,
            fields: fields,
            digest: [1],
            madeAt: HTTPDate(seconds: 1_700_000_000),
            body: .bytes(Sample.page(30_000, seed: 2))
        )
        var store = try opened()
        await store.commit(original)
        #expect(await store.commit(made, of: original))
        #expect(store.store.statistics().space.compressedEntries == 2)
        await store.close()
        store = try opened()
        let found = try #require(await store.rendition(name, of: original))
        guard case .bytes(let content) = found.body else {
            Issue.record("30,000 bytes are in the table")
            return
        }
        #expect(content == Sample.page(30_000, seed: 2))
    }

    @Test("what compression saves is counted over replacing, removing and restarts")
    func counting() async throws {
        var store = try opened()
        for number in 0..<12 { await store.commit(page("/\(number)", 5000 * (number + 1), seed: UInt64(number))) }
        _ = await store.remove(uri("/3"))
        await store.commit(page("/4", 30_000, seed: 77))
        await store.commit(record("/5", bytes(5000)))
        await store.close()
        store = try opened()
        await store.flush()
        let counted = store.store.statistics().space
        #expect(counted.compressedEntries == 10)
        await store.close()
        let rows = "FROM entry WHERE compressed > 0"
        #expect(database.query("SELECT count(*) \(rows)") == ["\(counted.compressedEntries)"])
        #expect(database.query("SELECT sum(size) \(rows)") == ["\(counted.compressedContent)"])
        #expect(database.query("SELECT sum(compressed) \(rows)") == ["\(counted.compressedBytes)"])
        #expect(
            database.query("SELECT sum(length(data)) FROM body JOIN entry USING(id) WHERE compressed > 0")
                == ["\(counted.compressedBytes)"]
        )
    }

    @Test("a store of the version before, which compressed nothing, is taken over; its rows stay as they are")
    func migration() async throws {
        var store = try opened(.off)
        await store.commit(page("/row", 20_000))
        await store.commit(record("/file", bytes(200_000)))
        await store.close()
        database.downgrade(to: 5)
        store = try opened()
        #expect(await store.lookUp(uri("/row")).first?.content == Sample.page(20_000))
        #expect(await store.lookUp(uri("/file")).first?.content == bytes(200_000))
        #expect(store.store.statistics().space == SpaceSavings())
        await store.commit(page("/new", 20_000))
        _ = await store.remove(uri("/file"))
        await store.close()
        #expect(database.query("SELECT compressed FROM entries ORDER BY id").first == "NULL")
        #expect(database.query("PRAGMA user_version") == ["7"])
        #expect(database.query("PRAGMA integrity_check") == ["ok"])
    }

    // MARK: Space

    @Test("the limit holds while text flows through that is smaller at rest; half as much again of it stays (H-130)")
    func limit() async throws {
        let limit: Int64 = 2 << 20
        var entries: [Int64] = []
        for compression in [StoreCompression.off, .auto] {
            let folder = TemporaryDirectory()
            var configuration = StoreConfiguration(directory: folder.path, limit: limit)
            configuration.compression = compression
            let store = try OpenStore(configuration)
            for number in 0..<300 {
                store.store.commit(record("/\(number)", Sample.digests(20_000, seed: UInt64(number)))) { _ in }
                if number % 10 == 9 {
                    await store.flush()
                    #expect(folder.usage <= limit)
                }
            }
            let statistics = store.store.statistics()
            #expect(statistics.evictions > 0 && statistics.usedBytes <= limit && statistics.state == .ok)
            #expect(await store.lookUp(uri("/299")).first?.content == Sample.digests(20_000, seed: 299))
            entries.append(statistics.entries)
        }
        #expect(2 * entries[1] > 3 * entries[0])
    }

    // MARK: Damage

    @Test(
        "compressed content that is damaged is a miss and dropped, and nothing else is lost (H-155)",
        arguments: [
            "UPDATE body SET data = substr(data, 1, length(data) - 1)", "UPDATE body SET data = x'00'",
            "UPDATE body SET data = zeroblob(length(data))",
            "UPDATE entry SET compressed = 0", "UPDATE entry SET compressed = compressed - 1",
            "UPDATE entry SET size = size - 1", "DELETE FROM body",
        ]
    )
    func damage(sql: String) async throws {
        var store = try opened()
        for number in 0..<3 { await store.commit(page("/\(number)", 20_000, seed: UInt64(number))) }
        await store.close()
        database.edit("\(sql) WHERE id = (SELECT id FROM entry WHERE uri LIKE '%/1')")
        store = try opened()
        #expect(await store.lookUp(uri("/1")).isEmpty)
        await store.flush()
        #expect(store.store.statistics().damaged == 1 && store.store.statistics().entries == 2)
        for number in [0, 2] {
            #expect(await store.lookUp(uri("/\(number)")).first?.content == Sample.page(20_000, seed: UInt64(number)))
        }
    }

    @Test(
        "a frame that gives other bytes than its row says is a miss, even if all sums fit: none takes more memory than that (H-155)",
        arguments: [
            // A frame that says nothing of its length, of 64 MiB in some kilobytes.
            (Sample.frame([UInt8](repeating: 0, count: 64 << 20)), 65_536), (Sample.frame(Sample.page(20_000)), 19_999),
            (Sample.frame(Sample.page(20_000)), 20_001), (Sample.frame(Sample.page(20_000)), 1 << 40),
            (Sample.frame(Sample.page(20_000)), -1),
            (Sample.frame(Sample.page(20_000)), 0),
            (Sample.frame(Sample.page(10_000)) + Sample.frame(Sample.page(9_999)), 20_000),
            (Array("no frame at all".utf8), 20_000), ([], 20_000),
        ] as [([UInt8], Int64)]
    )
    func hostileFrame(frame: [UInt8], size: Int64) async throws {
        var store = try opened()
        await store.commit(page("/", 20_000))
        await store.close()
        try ForgedRow(directory: directory.path).forge(
            { head in
                head.size = size
                head.compressed = Int64(frame.count)
            },
            body: frame
        )
        store = try opened()
        #expect(await store.lookUp(uri("/")).isEmpty)
        await store.flush()
        #expect(store.store.statistics().damaged == 1 && store.store.statistics().entries == 0)
        #expect(await store.commit(page("/", 20_000)))
        #expect(await store.lookUp(uri("/")).first?.content == Sample.page(20_000))
    }

    @Test("a frame of other content is a miss: the sum is one of the content, not of the frame (H-155)")
    func otherContent() async throws {
        var store = try opened()
        await store.commit(page("/", 20_000))
        await store.close()
        let other = Sample.frame(Sample.page(20_000, seed: 2))
        try ForgedRow(directory: directory.path).forge({ $0.compressed = Int64(other.count) }, body: other)
        store = try opened()
        #expect(await store.lookUp(uri("/")).isEmpty)
    }
}
