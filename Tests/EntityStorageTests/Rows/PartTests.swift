import EntityStorage
import HTTPCaching
import HTTPCore
import Stores
import TestSupport
import Testing

@Suite("Parts of representations in a store")
struct PartTests {
    let directory = TemporaryDirectory()

    private var database: ClosedDatabase { ClosedDatabase(path: directory.path + "/cache.db") }

    private func part(_ path: String, _ content: [UInt8], from first: Int64, of total: Int64?) -> StoredRecord {
        var part = record(path, content)
        part.status = 206
        part.extent = ContentExtent(first..<(first + Int64(content.count)), total: total)
        return part
    }

    @Test(
        "a part outlives a restart with its place and the total, in rows and in files (C-16.2)",
        arguments: [7, 200_000]
    )
    func roundTrip(count: Int) async throws {
        let known = part("/known", bytes(count), from: 3, of: 1_000_000)
        let unknown = part("/unknown", bytes(count), from: 0, of: nil)
        let before = try OpenStore(directory)
        for part in [known, unknown] { #expect(await before.commit(part)) }
        await before.close()
        let store = try OpenStore(directory)
        for part in [known, unknown] {
            let found = try #require(await store.lookUp(part.uri).first)
            #expect(found.extent == part.extent)
            #expect(found.status == 206)
            #expect(found.content == bytes(count))
        }
        let listed = await store.list(after: 0, limit: 10).entries
        #expect(Set(listed.map(\.extent)) == [known.extent, unknown.extent])
        #expect(listed.allSatisfy { $0.count == Int64(count) })
    }

    @Test("freshening and invalidation leave a part what it is; a whole takes its place (C-16.2)")
    func changes() async throws {
        let store = try OpenStore(directory)
        var part = part("/a", Array("2345".utf8), from: 2, of: 10)
        await store.commit(part)
        part.fields.append(name: "X-New", value: "1")
        #expect(await store.freshen(part))
        #expect(await store.invalidate(part.uri))
        let found = try #require(await store.lookUp(part.uri).first)
        #expect(found.extent == part.extent)
        #expect(found.isInvalidated)
        #expect(found.fields == part.fields)
        #expect(await store.commit(record("/a")))
        let whole = await store.lookUp(part.uri)
        #expect(whole.count == 1)
        #expect(whole.first?.extent == nil)
    }

    @Test(
        "what contradicts joined parts marks the rows they came from, also for a restart (C-21.7)",
        arguments: [10, 8],
        [true, false]
    )
    func contradiction(end: Int64, isFirstAlone: Bool) async throws {
        let before = try OpenStore(directory)
        var parts = [part("/a", Array("01234".utf8), from: 0, of: 10), part("/a", Array("567".utf8), from: 5, of: 10)]
        if end == 10 { parts.append(part("/a", Array("89".utf8), from: 8, of: 10)) }
        for (number, var part) in parts.enumerated() {
            // The first one is alone, and has the key that a whole would have.
            part.otherParts = number == 0 && isFirstAlone ? .unchanged : .joined
            #expect(await before.commit(part))
        }
        var joined = part("/a", Array("0123456789".utf8.prefix(Int(end))), from: 0, of: 10)
        if end == 10 { (joined.extent, joined.status) = (nil, 200) }
        joined.isInvalidated = true
        #expect(await before.freshen(joined))
        await before.close()
        let found = try await OpenStore(directory).lookUp(joined.uri)
        #expect(found.count == parts.count && found.allSatisfy(\.isInvalidated))
    }

    @Test(
        "a part whose place was lost or changed is a damaged entry, and never the whole (C-16.2)",
        arguments: ["", "3-6/10", "2-5/11", "2-5", "x"]
    )
    func damaged(extent: String) async throws {
        let before = try OpenStore(directory)
        await before.commit(part("/a", Array("2345".utf8), from: 2, of: 10))
        await before.close()
        database.edit("UPDATE entry SET extent = '\(extent)'")
        let store = try OpenStore(directory)
        #expect(await store.lookUp(uri("/a")).isEmpty)
        await store.flush()
        #expect(store.store.statistics().entries == 0)
    }

    @Test("a store of the version before, which knew no parts, is taken over; the view tells parts from wholes")
    func migration() async throws {
        let before = try OpenStore(directory)
        await before.commit(record("/row", bytes(1000)))
        await before.commit(record("/file", bytes(200_000)))
        await before.close()
        database.downgrade(to: 2)
        let store = try OpenStore(directory)
        #expect(await store.lookUp(uri("/row")).first?.content == bytes(1000))
        #expect(await store.lookUp(uri("/file")).first?.content == bytes(200_000))
        #expect(await store.lookUp(uri("/row")).first?.extent == nil)
        #expect(await store.commit(part("/part", Array("2345".utf8), from: 2, of: 10)))
        await store.close()
        #expect(database.query("SELECT part FROM entries ORDER BY id") == ["NULL", "NULL", "2-5/10"])
        #expect(database.query("PRAGMA user_version") == ["7"])
        #expect(database.query("PRAGMA integrity_check") == ["ok"])
    }
}
