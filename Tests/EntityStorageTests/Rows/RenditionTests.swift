import EntityStorage
import HTTPCore
import ResourceCore
import Testing
import Transforms
import TestSupport

@Suite("Forms of stored responses")
struct RenditionTests {
    let directory = TemporaryDirectory()

    private static func rendition(
        _ content: [UInt8],
        pipeline: String = "p",
        variation: String = "",
        body: RecordBody? = nil
    ) -> StoredRendition {
        var fields = Fields()
        fields.append(name: "Content-Type", value: "application/json")
        return StoredRendition(
            name: RenditionName(pipeline: pipeline, variation: variation),
            fields: fields,
            digest: Array("0123".utf8),
            madeAt: HTTPDate(seconds: 1_700_000_002),
            body: body ?? .bytes(content)
        )
    }

    private static func content(_ rendition: StoredRendition?) -> [UInt8]? {
        switch rendition?.body {
        case .bytes(let bytes)?: bytes
        case .file(let file)?: file.bytes
        case nil: nil
        }
    }

    @Test(
        "a form comes back as it was stored, also by another process, whatever the sizes",
        arguments: [(10, 20), (0, 5), (5, 0), (100, 70_000), (70_000, 100), (3_000_000, 1_048_577)]
    )
    func roundTrip(original: Int, count: Int) async throws {
        let stored = record("/", bytes(original))
        let rendition = Self.rendition(bytes(count, seed: 2), variation: "4:gzip")
        do {
            let store = try OpenStore(directory)
            #expect(await store.commit(stored))
            #expect(await store.commit(rendition, of: stored))
            #expect(Self.content(await store.rendition(rendition.name, of: stored)) == bytes(count, seed: 2))
            await store.close()
        }
        let store = try OpenStore(directory)
        let found = try #require(await store.lookUp(stored.uri).first)
        let again = try #require(await store.rendition(rendition.name, of: found))
        #expect(Self.content(again) == bytes(count, seed: 2))
        #expect(again.name == rendition.name && again.digest == rendition.digest && again.madeAt == rendition.madeAt)
        #expect(again.fields == rendition.fields)
        #expect(await store.rendition(RenditionName(pipeline: "p", variation: ""), of: found) == nil)
        let listed = await store.renditions(stored.uri)
        #expect(listed.map(\.name) == [rendition.name] && listed.map(\.count) == [Int64(count)])
    }

    @Test("a form is of one original: another content, type, coding, tag or status finds nothing, and stores nothing")
    func binding() async throws {
        let store = try OpenStore(directory)
        let original = record("/", bytes(100))
        let rendition = Self.rendition(bytes(50))
        #expect(await store.commit(original))
        #expect(await store.commit(rendition, of: original))
        var others = [record("/", bytes(100, seed: 3)), record("/", bytes(100), fields: [("ETag", "\"1\"")])]
        for change in [("Content-Encoding", "gzip"), ("ETag", "\"2\"")] {
            var other = original
            other.fields.append(name: change.0, value: change.1)
            others.append(other)
        }
        var other = original
        other.status = 404
        others.append(other)
        other = original
        other.rendition = [1]
        others.append(other)
        for other in others {
            #expect(await store.rendition(rendition.name, of: other) == nil)
            #expect(await !store.commit(rendition, of: other))
        }
        #expect(await store.rendition(rendition.name, of: original) != nil)
    }

    @Test("a replaced original takes its forms along, and what was made of it later is not stored")
    func replaced() async throws {
        let store = try OpenStore(directory)
        let original = record("/", bytes(100))
        #expect(await store.commit(original))
        for variation in ["a", "b"] {
            #expect(await store.commit(Self.rendition(bytes(70_000), variation: variation), of: original))
        }
        #expect(store.store.statistics().entries == 3)
        let next = record("/", bytes(200))
        #expect(await store.commit(next))
        #expect(store.store.statistics().entries == 1)
        #expect(await !store.commit(Self.rendition(bytes(50)), of: original))
        #expect(await store.renditions(original.uri).isEmpty)
        #expect(filesBelow(directory.path + "/bodies").isEmpty)
    }

    @Test("freshening and invalidation keep forms; removal takes them along, and they are not counted as responses")
    func lifetime() async throws {
        let store = try OpenStore(directory)
        let rendition = Self.rendition(bytes(50))
        var original = record("/", bytes(100))
        let other = record("/", bytes(100), partition: .credential([1]), selection: [2])
        for stored in [original, other] {
            #expect(await store.commit(stored))
            #expect(await store.commit(rendition, of: stored))
        }
        original.fields.append(name: "X-New", value: "1")
        original.responseTime = HTTPDate(seconds: 1_700_000_100)
        #expect(await store.freshen(original))
        #expect(await store.rendition(rendition.name, of: original) != nil)
        #expect(await store.invalidate(original.uri))
        #expect(await store.rendition(rendition.name, of: original) != nil)
        store.store.remove(other.uri, partition: other.partition, selection: other.selection)
        #expect(await store.rendition(rendition.name, of: other) == nil)
        #expect(await store.renditions(original.uri).count == 1)
        #expect(await store.list(after: 0, limit: 10).entries.count == 1)
        #expect(await store.remove(original.uri) == 1)
        #expect(await store.renditions(original.uri).isEmpty)
        #expect(store.store.statistics().entries == 0)

        #expect(await store.commit(original))
        #expect(await store.commit(rendition, of: original))
        #expect(await store.removeAll { _ in true } == 1)
        #expect(await store.renditions(original.uri).isEmpty)
    }

    @Test("forms of other pipelines leave, and of one pipeline there are sixteen")
    func bounds() async throws {
        let store = try OpenStore(directory)
        let original = record("/", bytes(100))
        #expect(await store.commit(original))
        #expect(await store.commit(Self.rendition(bytes(10), pipeline: "old"), of: original))
        for number in 0..<20 {
            #expect(await store.commit(Self.rendition(bytes(10), variation: "\(number)"), of: original))
        }
        let names = await store.renditions(original.uri).map(\.name)
        #expect(names.map(\.pipeline).allSatisfy { $0 == "p" })
        #expect(names.map(\.variation) == (4..<20).map(String.init))
        // The same once more replaces.
        #expect(await store.commit(Self.rendition(bytes(11), variation: "19"), of: original))
        #expect(await store.renditions(original.uri).count == 16)
    }

    @Test("what bears credentials has no forms at rest (H-158)")
    func credentials() async throws {
        let store = try OpenStore(directory)
        let original = record("/", bytes(100), fields: [("Set-Cookie", "a=b")])
        _ = await store.commit(original)
        #expect(await !store.commit(Self.rendition(bytes(10)), of: original))
        #expect(store.store.statistics().entries == 0)
    }

    @Test("under the limit forms are evicted like everything else")
    func limit() async throws {
        let store = try OpenStore(directory, limit: 4 << 20)
        for number in 0..<40 {
            let original = record("/\(number)", bytes(1000))
            _ = await store.commit(original)
            _ = await store.commit(Self.rendition(bytes(100_000, seed: UInt64(number) + 1)), of: original)
            #expect(directory.usage <= 4 << 20)
        }
        #expect(store.store.statistics().evictions > 0)
    }
}
