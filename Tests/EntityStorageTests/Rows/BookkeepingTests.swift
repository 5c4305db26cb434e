import EntityStorage
import HTTPCore
import ResourceCore
import TestSupport
import Testing

@Suite("What the database notes of the whole store")
struct BookkeepingTests {
    private let home = TemporaryDirectory()

    @Test("the database knows to the byte what body files take, and how many entries there are")
    func figures() async throws {
        // Given a store with small and large content, some of it replaced and some removed
        let store = try OpenStore(home)
        for number in 0..<6 { await store.commit(record("/\(number)", bytes(100_000 + number * 5_000))) }
        for number in 0..<3 { await store.commit(record("/small/\(number)", bytes(200))) }
        await store.commit(record("/0", bytes(150_000)))
        for number in 4..<6 { _ = await store.remove(uri("/\(number)")) }
        // The next transaction forgets the removed files.
        await store.commit(record("/last", bytes(90_000)))
        await store.commit(record("/small/last", bytes(200)))
        await store.close()
        // Then each file counts in whole pages, with one for its place in the directory
        let database = ForeignConnection(home.path + "/cache.db")
        let sum = "SELECT sum((size + 4095) / 4096 * 4096 + 4096) FROM entry WHERE file <> 0"
        #expect(database.number("SELECT count(*) FROM entry WHERE file <> 0") == 5)
        #expect(database.number("SELECT value FROM meta WHERE name = 'file_bytes'") == database.number(sum))
        #expect(database.number("SELECT value FROM meta WHERE name = 'entries'") == 9)
    }

    @Test("a body file gets one row: it is stored again in place of that, and nowhere else")
    func oneRow() async throws {
        let store = try OpenStore(home)
        #expect(await store.openError == nil)
        let body = try #require(await store.body(bytes(100_000)))
        #expect(await store.commit(record("/a", body: .file(body))))
        #expect(!(await store.commit(record("/b", body: .file(body)))))
        #expect(await store.commit(record("/a", body: .file(body))))
        #expect(await store.lookUp(uri("/b")).isEmpty)
        // Without the bytes in what a failure prints.
        let isWhole = await store.lookUp(uri("/a")).map(\.content) == [bytes(100_000)]
        #expect(isWhole)
        #expect(store.store.statistics().entries == 1 && filesBelow(home.path("bodies")).count == 1)
    }
}
