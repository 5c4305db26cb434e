import Configurations
import HTTPCaching
import HTTPCore
import ResourceCore
import ResourceDoubles
import ResourceModel
import TestDoubles
import Testing
import Transforms

/// Responses to POST that answer later GETs.
@Suite("Responses to POST") struct PostTests {
    private static let stored = [("Cache-Control", "max-age=60"), ("Content-Location", "/a"), ("ETag", "\"p\"")]

    /// A POST that has been sent.
    private struct Sent {
        let resource: Resource
        let request: ClientRequest
        let changeCount: UInt64

        init(_ world: World, _ lines: [(String, String)] = []) {
            resource = world.resource()
            request = world.request("/a", lines, method: .post)
            changeCount = resource.changeCount
        }

        /// The head of its response.
        func answer(
            _ lines: [(String, String)] = PostTests.stored,
            status: UInt16 = 200,
            length: Int64? = nil
        ) -> PostedContent? {
            var head = ResponseHead(status: status)
            for (name, value) in lines { head.fields.append(name: name, value: value) }
            head.framing = length.map { .length($0) } ?? .chunked
            head.contentLength = length
            return resource.acceptPost(head, for: request, sentAt: changeCount)
        }
    }

    private static func post(_ world: World, _ lines: [(String, String)] = [], _ text: String = "posted") {
        let content = Sent(world, lines).answer()
        content?.append(ByteChunk(Array(text.utf8)))
        content?.finish(trailers: nil)
        world.runUntilIdle()
    }

    @Test("where a rule makes a field part of the key, it answers requests with the same value only (C-9.1, C-25.1)")
    func keyed() {
        var configuration = Configuration()
        configuration.caching.rules = [CachingRule(name: "r", keyFields: [Array("X-Tenant".utf8)])]
        let world = World(configuration: configuration)
        Self.post(world, [("X-Tenant", "1")])
        #expect(world.get("/a", [("X-Tenant", "1")]).text == "posted")
        #expect(!world.get("/a").isHit && !world.get("/a", [("X-Tenant", "2")]).isHit)
    }

    @Test("it is stored once it is complete, and answers GET and HEAD, also after a restart (C-9.1)")
    func stored() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", [("Cache-Control", "max-age=600")], "before")
        Self.post(world)
        #expect(world.get().text == "posted" && world.get().isHit)
        #expect(world.get(method: .head).isHit)
        #expect(world.provider.count == 1)
        let next = World(timekeeper: world.timekeeper, store: world.store)
        #expect(next.get().text == "posted")
    }

    @Test("until it is complete what was held is invalid, and a GET asks the origin (C-9.1)")
    func incomplete() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=600"), ("ETag", "\"1\"")], "before")
        let content = Sent(world).answer()
        content?.append(ByteChunk(Array("post".utf8)))
        let client = world.get()
        #expect(client.answers == 0 && world.last.value(of: .ifNoneMatch) == "\"1\"")
        content?.abandon()
        world.runUntilIdle()
        #expect(world.resource().snapshot.variants.allSatisfy { $0.isInvalidated })
        world.last.answer(304, [("ETag", "\"1\"")])
        world.runUntilIdle()
        #expect(client.text == "before")
    }

    @Test(
        "only a 200 with stated freshness and its own URI as Content-Location is taken (C-9.1)",
        arguments: [
            ([("Cache-Control", "max-age=60")], 200), ([("Content-Location", "/a")], 200),
            ([("Cache-Control", "max-age=60"), ("Content-Location", "/b")], 200),
            ([("Cache-Control", "max-age=60"), ("Content-Location", "/a")], 201),
            ([("Cache-Control", "no-store, max-age=60"), ("Content-Location", "/a")], 200),
            ([("Cache-Control", "private, max-age=60"), ("Content-Location", "/a")], 200),
        ] as [([(String, String)], UInt16)]
    )
    func notTaken(lines: [(String, String)], status: UInt16) {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=600")], "before")
        #expect(Sent(world).answer(lines, status: status) == nil)
        // Marking is left to whoever knows of the request.
        #expect(world.get().isHit)
    }

    @Test("what a credential brought is that credential's, unless the response says otherwise (C-9.1, C-20.1)")
    func partitions() {
        let world = World()
        Self.post(world, [("Authorization", "one")])
        #expect(world.get("/a", [("Authorization", "one")]).isHit)
        #expect(world.get("/a", [("Authorization", "two")]).answers == 0)
        #expect(world.get().answers == 0)
    }

    @Test("nothing is stored once the data has changed since the POST was sent (C-9.1)", arguments: 0..<6)
    func changed(way: Int) {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=600"), ("ETag", "\"1\"")], "before")
        let sent = Sent(world)
        var content: PostedContent?
        // Three before the head, three behind it.
        if way >= 3 { content = sent.answer() }
        switch way % 3 {
        case 0: world.resource().purge()
        case 1: world.resource().overrideLocalData(Array("ours".utf8), fields: Fields())
        default:
            let client = world.get("/a", [("Cache-Control", "no-cache")])
            world.last.answer(200, [("Cache-Control", "max-age=600")], "newer")
            world.runUntilIdle()
            #expect(client.text == "newer")
        }
        if way < 3 { content = sent.answer() }
        content?.append(ByteChunk(Array("posted".utf8)))
        content?.finish(trailers: nil)
        world.runUntilIdle()
        #expect((content != nil) == (way >= 3))
        let text = world.get().text
        #expect(text == ["", "ours", "newer"][way % 3])
    }

    @Test("more than may wait in memory is not stored, announced or not (C-9.1)", arguments: [true, false])
    func tooLarge(isAnnounced: Bool) {
        var configuration = Configuration()
        configuration.body.maximumMemoryObject = 100
        let world = World(configuration: configuration)
        let content = Sent(world).answer(Self.stored, length: isAnnounced ? 101 : nil)
        #expect((content == nil) == isAnnounced)
        content?.append(ByteChunk([UInt8](repeating: 0x61, count: 101)))
        content?.finish(trailers: nil)
        world.runUntilIdle()
        #expect(world.get().answers == 0)
    }

    @Test("one that is dropped amid its content leaves nothing behind (C-9.1)")
    func dropped() {
        let world = World()
        var content = Sent(world).answer()
        content?.append(ByteChunk(Array("post".utf8)))
        content = nil
        #expect(!world.resource().isLoading && world.resource().snapshot.variants.isEmpty)
        #expect(world.table.find(World.uri("/a")) == nil)
    }

    @Test("observers hear of data that a POST brought, and of no load that began or was cancelled (S-095, S-209)")
    func observed() {
        let world = World()
        let observer = EventRecorder()
        world.resource().addObserver(observer)
        Self.post(world)
        #expect(observer.notes.value == ["observerAdded", "newData(network) D"])
        let sent = Sent(world)
        let content = sent.answer()
        content?.append(ByteChunk(Array("late".utf8)))
        world.get("/a", [("Cache-Control", "no-cache")])
        world.last.answer(200, [("Cache-Control", "max-age=600")], "newer")
        world.runUntilIdle()
        let told = observer.notes.value
        content?.finish(trailers: nil)
        world.runUntilIdle()
        #expect(observer.notes.value == told && world.get().text == "newer")
    }

    @Test("as much as may wait in memory is stored, announced or not (C-9.1)", arguments: [true, false])
    func justFits(isAnnounced: Bool) {
        var configuration = Configuration()
        configuration.body.maximumMemoryObject = 100
        let world = World(configuration: configuration)
        let content = Sent(world).answer(Self.stored, length: isAnnounced ? 100 : nil)
        for _ in 0..<2 { content?.append(ByteChunk([UInt8](repeating: 0x61, count: 50))) }
        content?.finish(trailers: nil)
        world.runUntilIdle()
        #expect(world.get().byteCount == 100)
    }

    @Test("where a pipeline redacts content, that of a POST is not stored (C-9.1)", arguments: [true, false])
    func redacted(isRedacted: Bool) {
        var configuration = Configuration()
        let upper = ScriptedTransformer.upper
        configuration.pipeline.add(PipelineStep(isRedacted ? upper.redacting : upper), to: .model)
        let world = World(configuration: configuration)
        #expect((Sent(world).answer() == nil) == isRedacted)
    }

    @Test("a purge by tag before the POST is no change; one after it is (C-9.1, C-24.3)")
    func purgedTags() {
        let world = World()
        let tags = [CacheTag("one".utf8)].compactMap { $0 }
        world.table.purge(tags)
        Self.post(world)
        #expect(world.get().text == "posted")
        let sent = Sent(world)
        world.table.purge(tags)
        #expect(sent.answer() == nil)
    }
}
