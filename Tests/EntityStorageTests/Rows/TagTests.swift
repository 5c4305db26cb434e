import EntityStorage
import HTTPCaching
import HTTPCore
import Locking
import Stores
import TestSupport
import Testing
import Transforms

/// The index of tags (C-24.3).
@Suite("Tags") struct TagTests {
    private let directory = TemporaryDirectory()
    private var database: ClosedDatabase { ClosedDatabase(path: directory.path + "/cache.db") }

    private func tagged(
        _ path: String,
        _ tags: String,
        partition: Partition = .shared,
        content: [UInt8] = Array("content".utf8)
    ) -> StoredRecord {
        record(path, content, partition: partition, fields: [("ETag", "\"1\""), ("Surrogate-Key", tags)])
    }

    /// The number of rows in the index.
    private var indexed: String? { database.query("SELECT count(*) FROM tag").first }

    @Test("the rows with a tag are removed, of all partitions and with their renditions, and no others (C-24.3)")
    func removed() async throws {
        let store = try OpenStore(directory)
        let original = tagged("/a", "one two")
        await store.commit(original)
        let name = RenditionName(pipeline: "p", variation: "")
        let rendition = StoredRendition(
            name: name,
            fields: Fields(),
            digest: [],
            madeAt: HTTPDate(seconds: 1_700_000_000),
            body: .bytes([1, 2, 3])
        )
        #expect(await store.commit(rendition, of: original))
        await store.commit(tagged("/a", "two", partition: .credential([1, 2, 3])))
        await store.commit(tagged("/large", "two", content: bytes(200_000)))
        await store.commit(tagged("/other", "twofold"))
        await store.commit(record("/none"))
        #expect(await store.list(taggedBy: "two") == [uri("/a"), uri("/large")])
        #expect(await store.removeAll(taggedBy: "two") == 3)
        #expect(await store.lookUp(uri("/a")).isEmpty)
        #expect(await store.lookUp(uri("/large")).isEmpty)
        #expect(await store.rendition(name, of: original) == nil)
        #expect(await !store.lookUp(uri("/other")).isEmpty)
        #expect(await !store.lookUp(uri("/none")).isEmpty)
        #expect(await store.list(taggedBy: "two").isEmpty)
        #expect(await store.removeAll(taggedBy: "one") == 0)
        await store.close()
        #expect(indexed == "1")
        #expect(database.query("PRAGMA integrity_check") == ["ok"])
    }

    @Test("look-ups find nothing that is covered from the call on, and listings neither (C-24.3)")
    func hidden() async throws {
        let store = try OpenStore(directory)
        for number in 0..<20 { await store.commit(tagged("/\(number)", number % 2 == 0 ? "even" : "odd")) }
        let removal = Lock<Int?>(nil)
        store.store.removeAll(taggedBy: tag("even")) { count in removal.withLock { $0 = count } }
        #expect(await store.lookUp(uri("/0")).isEmpty)
        #expect(await !store.lookUp(uri("/1")).isEmpty)
        #expect(await store.listAll(limit: 100).count == 10)
        await store.flush()
        #expect(removal.withLock { $0 } == 10)
    }

    @Test("what comes after the call stays; what was asked for before it does not come back (C-24.3)")
    func order() async throws {
        let store = try OpenStore(directory)
        await store.commit(tagged("/a", "one"))
        var late = tagged("/late", "one")
        let isPurged = Lock(false)
        late.isPurged = { isPurged.withLock { $0 } }
        // The caller notes the purge before it asks the store.
        isPurged.withLock { $0 = true }
        let removal = Lock<Int?>(nil)
        store.store.removeAll(taggedBy: tag("one")) { count in removal.withLock { $0 = count } }
        let isStored = Lock<Bool?>(nil)
        store.store.commit(late) { stored in isStored.withLock { $0 = stored } }
        store.store.commit(tagged("/new", "one")) { _ in }
        await store.flush()
        #expect(removal.withLock { $0 } == 1 && isStored.withLock { $0 } == false)
        #expect(await store.lookUp(uri("/late")).isEmpty)
        #expect(await !store.lookUp(uri("/new")).isEmpty)
        #expect(await store.list(taggedBy: "one") == [uri("/new")])
    }

    @Test("tags survive a restart (C-24.3)")
    func restart() async throws {
        let before = try OpenStore(directory)
        await before.commit(tagged("/a", "one"))
        await before.close()
        let store = try OpenStore(directory)
        // Asked before the database is open.
        #expect(await store.removeAll(taggedBy: "one") == 1)
        #expect(await store.lookUp(uri("/a")).isEmpty)
        await store.close()
        #expect(indexed == "0")
    }

    @Test("a freshened row has the new tags, and a replaced one those of its successor (C-24.3)")
    func changed() async throws {
        let store = try OpenStore(directory)
        await store.commit(tagged("/a", "one two"))
        await store.freshen(tagged("/a", "two three"))
        #expect(await store.list(taggedBy: "one").isEmpty)
        #expect(await store.list(taggedBy: "three") == [uri("/a")])
        await store.commit(tagged("/a", "four"))
        #expect(await store.list(taggedBy: "three").isEmpty)
        #expect(await store.list(taggedBy: "four") == [uri("/a")])
        await store.commit(record("/a"))
        await store.close()
        #expect(indexed == "0")
    }

    @Test("rows that leave take their tags with them: the index is bounded by the rows (C-24.3)")
    func bounded() async throws {
        let store = try OpenStore(directory, limit: 2 << 20)
        for number in 0..<400 {
            await store.commit(tagged("/\(number)", "all t\(number)", content: bytes(20_000, seed: UInt64(number + 1))))
            if number % 7 == 0 { _ = await store.remove(uri("/\(number)")) }
        }
        #expect(store.store.statistics().evictions > 100)
        let left = await store.listAll(limit: 1000).count
        #expect(await store.list(taggedBy: "all").count == left)
        await store.close()
        #expect(indexed == "\(2 * left)")
    }

    @Test("a response with as many tags as count is stored and purged, in a small store, too (C-24.3)")
    func manyTags() async throws {
        let store = try OpenStore(directory, limit: 1 << 20)
        let names = (0..<10_000).map { "tag-\($0)" }
        for path in ["/a", "/b"] { #expect(await store.commit(tagged(path, names.joined(separator: " ")))) }
        #expect(await store.removeAll(taggedBy: "tag-\(CacheTags.countLimit)") == 0)
        #expect(await store.removeAll(taggedBy: "tag-\(CacheTags.countLimit - 1)") == 2)
        await store.close()
        #expect(indexed == "0")
    }

    @Test("another tag with the same hash is not removed (C-24.3)")
    func collision() async throws {
        let before = try OpenStore(directory)
        await before.commit(tagged("/a", "one"))
        await before.commit(tagged("/b", "two"))
        await before.close()
        // Given an index in which both have both hashes
        database.edit("INSERT OR IGNORE INTO tag SELECT tag.hash, entry.id FROM tag, entry")
        let store = try OpenStore(directory)
        #expect(await store.removeAll(taggedBy: "one") == 1)
        #expect(await !store.lookUp(uri("/b")).isEmpty)
    }

    @Test(
        "rows of an earlier version get their tags, before a purge by tag at the latest (C-24.3)",
        arguments: [true, false]
    )
    func migration(isReviewed: Bool) async throws {
        let before = try OpenStore(directory)
        for number in 0..<1200 {
            before.store.commit(tagged("/\(number)", number % 3 == 0 ? "fizz" : "other")) { _ in }
        }
        await before.close()
        database.downgrade(to: 5)
        let store = try OpenStore(directory)
        #expect(await store.openError == nil)
        if isReviewed {
            await store.finishReview()
            #expect(await store.list(taggedBy: "fizz").count == 400)
        }
        #expect(await store.removeAll(taggedBy: "fizz") == 400)
        #expect(await store.lookUp(uri("/3")).isEmpty)
        #expect(await !store.lookUp(uri("/4")).isEmpty)
        await store.close()
        #expect(indexed == "800")
        #expect(database.query("SELECT value FROM meta WHERE name = 'untagged_rows'") == ["0"])
    }
}

/// The tag of this name.
func tag(_ name: String) -> Set<CacheTag> { Set([CacheTag(name.utf8)].compactMap { $0 }) }

extension OpenStore {
    func removeAll(taggedBy name: String) async -> Int {
        await answer { waiter in store.removeAll(taggedBy: tag(name)) { waiter($0) } }
    }

    /// In the order of their paths.
    func list(taggedBy name: String) async -> [TargetURI] {
        let uris: [TargetURI] = await answer { waiter in store.list(taggedBy: tag(name)) { waiter($0) } }
        return uris.sorted { $0.text < $1.text }
    }
}
