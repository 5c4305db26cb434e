import EntityStorage
import Glibc
import HTTPCaching
import HTTPCore
import Stores
import TestSupport
import Testing
import Transforms

@Suite("What is at rest of clients")
struct PrivacyTests {
    let directory = TemporaryDirectory()
    private var database: ClosedDatabase { ClosedDatabase(path: directory.path + "/cache.db") }

    /// A selection key as earlier versions made it: values as they were.
    private static func former(_ fields: [(String, String)]) -> [UInt8] {
        var key: [UInt8] = []
        for (name, value) in fields {
            key += [0, 0, 0, UInt8(name.utf8.count)]
            key += Array(name.utf8)
            key += [1, 0, 0, 0, UInt8(value.utf8.count)]
            key += Array(value.utf8)
        }
        return key
    }

    private static let fields = [("accept", "text/plain"), ("x-tenant", "planted-tenant")]

    /// Whether any file of the store has these bytes.
    private func holds(_ text: String) -> Bool {
        run("/bin/grep", ["-r", "-q", "-a", text, directory.path]) == 0
    }

    private func now(_ hasher: CredentialHasher) throws -> [UInt8] {
        try #require(
            SelectionPart.concealing(
                Self.former(Self.fields),
                credentials: CredentialFields(),
                digest: { hasher.hash($0) }
            )
        )
    }

    @Test(
        "values of selecting fields in a store of an earlier version become keyed hashes in their rows"
    )
    func formerSelections() async throws {
        // Given a store with a variant, a form of it, and others that no such field selects
        var store = try OpenStore(directory)
        let former = record(
            "/",
            selection: Self.former(Self.fields),
            requestFields: [("Accept", "text/plain"), ("X-Tenant", "planted-tenant")]
        )
        let rendition = StoredRendition(
            name: RenditionName(pipeline: "p", variation: ""),
            fields: Fields(),
            digest: [],
            madeAt: HTTPDate(seconds: 1_700_000_000),
            body: .bytes([1, 2, 3])
        )
        await store.commit(former)
        #expect(await store.commit(rendition, of: former))
        for number in 0..<1200 { store.store.commit(record("/\(number)")) { _ in } }
        await store.commit(record("/large", bytes(200_000), selection: Self.former([("x-tenant", "planted-tenant")])))
        await store.close()
        database.downgrade(to: 3)
        #expect(holds("planted-tenant"))
        // When it is opened, and asked at once
        store = try OpenStore(directory)
        let selection = try now(store.store.hasher)
        let found = try #require(await store.lookUp(uri("/")).first)
        // Then the variant is found by what its request makes now, and its form with it
        #expect(found.selection == selection && found.content == former.content)
        #expect(found.requestFields.lines.count == 1 && found.requestFields.contains(.accept))
        #expect(await store.rendition(rendition.name, of: found) != nil)
        await store.finishReview()
        #expect(await store.lookUp(uri("/large")).first?.content == bytes(200_000))
        #expect(await store.lookUp(uri("/large")).first?.selection != Self.former([("x-tenant", "planted-tenant")]))
        #expect(store.store.statistics().damaged == 0 && store.store.statistics().entries == 1203)
        await store.close()
        #expect(database.query("SELECT value FROM meta WHERE name = 'plain_selections'") == ["0"])
    }

    @Test("a variant that was stored anew since stays; the former one goes")
    func storedAnew() async throws {
        var store = try OpenStore(directory)
        let selection = try now(store.store.hasher)
        await store.commit(record("/", [1], selection: Self.former(Self.fields)))
        await store.commit(record("/", [2], selection: selection))
        await store.close()
        database.downgrade(to: 3)
        store = try OpenStore(directory)
        #expect(await store.lookUp(uri("/")).map(\.content) == [[2]])
        await store.finishReview()
        #expect(store.store.statistics().entries == 1)
    }

    @Test("a damaged row is not made whole by its review")
    func damagedRow() async throws {
        var store = try OpenStore(directory)
        await store.commit(record("/", selection: Self.former(Self.fields)))
        await store.close()
        database.downgrade(to: 3)
        database.edit("UPDATE entry SET status = 201")
        store = try OpenStore(directory)
        #expect(await store.lookUp(uri("/")).isEmpty)
        await store.flush()
        #expect(store.store.statistics().damaged == 1)
    }

    @Test("where private answers live in memory only, none is stored, and those at rest are found no more and removed")
    func privateInMemory() async throws {
        // Given a store with answers of a credential, in the table and in a file
        var store = try OpenStore(directory)
        let mine = Partition.credential([1, 2, 3])
        await store.commit(record("/", Array("planted-answer".utf8), partition: mine))
        await store.commit(record("/large", bytes(200_000), partition: mine))
        await store.commit(record("/all", Array("for everybody".utf8)))
        await store.close()
        #expect(holds("planted-answer"))
        // When it is opened by other settings
        var configuration = StoreConfiguration(directory: directory.path, limit: 64 << 20)
        configuration.keepsPrivate = false
        store = try OpenStore(configuration)
        #expect(!store.store.keepsPrivate)
        #expect(await store.lookUp(uri("/")).isEmpty)
        #expect(await store.lookUp(uri("/large")).isEmpty)
        #expect(await store.listAll(limit: 10).count == 1)
        #expect(!(await store.commit(record("/new", Array("planted-new".utf8), partition: mine))))
        await store.finishReview()
        // Then nothing of them is left, and what is everybody's is
        #expect(filesBelow(directory.path + "/bodies").isEmpty)
        #expect(store.store.statistics().entries == 1)
        #expect(await store.lookUp(uri("/all")).count == 1)
        await store.close()
        #expect(!holds("planted-answer") && !holds("planted-new"))
        store = try OpenStore(directory)
        #expect(await store.commit(record("/again", partition: mine)))
    }
}
