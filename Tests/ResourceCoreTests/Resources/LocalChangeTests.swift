import ResourceDoubles
import HTTPCaching
import HTTPCore
import ResourceCore
import ResourceModel
import TestDoubles
import Testing

@Suite("Purge, wipe, invalidation, override")
struct LocalChangeTests {
    private let fresh = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")]

    @Test(
        "a load that is running when its resource is purged serves its clients and commits nothing (T-259, S-243, S-203)"
    )
    func purgeDuringLoad() {
        let world = World(store: MemoryVariantStore())
        let client = world.get()
        world.last.head(200, fresh, length: 6)
        world.last.content("abc")
        let done = LockedBox(false)
        world.resource().purge { _ in done.change { $0 = true } }
        world.runUntilIdle()
        #expect(done.value)
        // A client that comes now does not join it.
        let later = world.get()
        #expect(world.provider.count == 2)
        world.provider.exchanges[0].content("def")
        world.provider.exchanges[0].end()
        world.runUntilIdle()
        #expect(client.text == "abcdef" && client.ending == .complete)
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
        world.provider.exchanges[1].answer(200, fresh, "new")
        world.runUntilIdle()
        #expect(later.text == "new")
        #expect(world.get().text == "new")
    }

    @Test("a load that a local change has detached is given up without a word to observers (S-243)", arguments: 0..<3)
    func detachedLoadIsGivenUp(change: Int) {
        let world = World()
        let client = world.get()
        let resource = world.resource()
        let recorder = EventRecorder()
        resource.addObserver(recorder)
        switch change {
        case 0: resource.purge()
        case 1: resource.wipe()
        default: resource.overrideLocalData(Array("local".utf8), fields: Fields())
        }
        world.runUntilIdle()
        let notes = recorder.notes.value
        client.leave()
        world.runUntilIdle()
        #expect(world.last.isCancelled)
        #expect(recorder.notes.value == notes)
    }

    @Test("a purge is visible at once, and reported once the store has committed it (S-194)")
    func purge() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", fresh)
        let removed = LockedBox<Int?>(nil)
        world.table.purge(World.uri("/a"), of: world.service) { count in removed.change { $0 = count } }
        #expect(!world.isHit())
        #expect(removed.value == nil)
        world.runUntilIdle()
        #expect(removed.value == 1)
        world.get()
        #expect(world.provider.count == 2)
    }

    @Test("a purge by condition takes live resources and records that are not live (S-019)")
    func purgeMany() {
        let world = World(store: MemoryVariantStore())
        for path in ["/a", "/b", "/c"] { world.fill(path, fresh) }
        world.table.flushUnused()
        world.get("/a")
        let removed = LockedBox<Int?>(nil)
        let spared = World.uri("/c")
        world.table.purge(where: { $0 != spared }, { count in removed.change { $0 = count } })
        world.runUntilIdle()
        #expect(removed.value == 2)
        _ = (world.get("/a"), world.get("/b"))
        #expect(world.provider.count == 5)
        #expect(world.get("/c").isHit)
    }

    @Test("a purge by condition also counts what was stored while it ran (S-019)")
    func purgeMeanwhile() {
        let store = MemoryVariantStore()
        let world = World(store: store)
        world.fill("/b", fresh)
        world.get("/a")
        let load = world.last
        store.interruption.change { $0 = { load.answer(200, fresh, "new") } }
        let removed = LockedBox<Int?>(nil)
        world.table.purge(where: { _ in true }, { count in removed.change { $0 = count } })
        world.runUntilIdle()
        #expect(store.log.contains("commit") && removed.value == 2)
        #expect(store.records(of: World.uri("/a")).isEmpty && !world.isHit("/a") && !world.isHit("/b"))
    }

    @Test("a wipe drops memory, and the store's copy comes back (S-193)")
    func wipe() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", fresh)
        world.resource().wipe()
        #expect(!world.isHit())
        #expect(world.get().isHit)
        #expect(world.provider.count == 1)
    }

    @Test("what was invalidated is validated before use; a 304 serves the old content with a new age (T-270, S-201)")
    func invalidate() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", fresh)
        world.timekeeper.advance(by: .seconds(10))
        world.resource().invalidate()
        world.runUntilIdle()
        #expect(world.store?.records(of: World.uri("/a")).first?.isInvalidated == true)
        let client = world.get()
        #expect(world.last.value(of: .ifNoneMatch) == "\"v1\"")
        world.last.answer(304)
        world.runUntilIdle()
        #expect(client.text == "abc")
        #expect(client.stored?.currentAge(at: world.timekeeper.now) == 0)
        #expect(world.get().isHit)
        #expect(world.store?.records(of: World.uri("/a")).first?.isInvalidated == false)
    }

    @Test("an invalidated response does not stand in for a failure, and its mark outlives it (RFC 9111 §4.4)")
    func invalidatedAndFailed() {
        let world = World()
        world.fill("/a", fresh)
        world.resource().invalidate()
        let client = world.get()
        world.last.fail()
        world.runUntilIdle()
        #expect(client.failure != nil)
        world.timekeeper.advance(by: .seconds(2))
        #expect(world.get().answers == 0)
    }

    @Test("an unsafe request invalidates what is in memory and what is only in the store (C-15.1)")
    func unsafe() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", fresh)
        world.fill("/b", fresh)
        world.table.flushUnused()
        world.get("/a")
        world.service.resource(for: World.uri("/a")).invalidate()
        world.service.resource(for: World.uri("/b")).invalidate()
        world.runUntilIdle()
        _ = (world.get("/a"), world.get("/b"))
        #expect(world.provider.count == 4)
        #expect(world.provider.exchanges.suffix(2).allSatisfy { $0.value(of: .ifNoneMatch) == "\"v1\"" })
    }

    @Test("a load that was running when its resource was invalidated does not count as validation")
    func invalidateDuringLoad() {
        let world = World()
        world.get()
        world.resource().invalidate()
        world.last.answer(200, fresh, "old")
        world.runUntilIdle()
        world.get()
        #expect(world.provider.count == 2)
    }

    @Test("an override is served for the expiration time, its end included; the store's copies go (S-199, S-192)")
    func override() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", fresh)
        var fields = Fields()
        fields.append(.contentType, "text/plain")
        world.resource().overrideLocalData(Array("local".utf8), fields: fields)
        world.runUntilIdle()
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
        #expect(world.get().text == "local")
        world.timekeeper.advance(by: .seconds(30))
        #expect(world.get().text == "local")
        world.timekeeper.advance(by: .nanoseconds(1))
        // T-258: never validated.
        world.get()
        #expect(world.provider.count == 2)
        #expect(world.last.value(of: .ifNoneMatch) == nil)
    }

    @Test("an override answers who waits for the store; what that finds comes too late (S-199)")
    func overrideDuringLookUp() {
        let store = MemoryVariantStore(isImmediate: false)
        let former = World(store: store)
        former.get("/a", [("Accept-Language", "de")])
        store.run()
        former.runUntilIdle()
        former.last.answer(200, fresh + [("Vary", "Accept-Language")], "deutsch")
        former.runUntilIdle()
        #expect(store.records(of: World.uri("/a")).count == 1)

        let world = World(timekeeper: former.timekeeper, store: store)
        let client = world.get()
        let (resource, recorder) = (world.resource(), EventRecorder())
        resource.addObserver(recorder)
        #expect(client.answers == 0)
        resource.overrideLocalData(Array("local".utf8), fields: Fields())
        world.runUntilIdle()
        let notes = recorder.notes.value
        #expect(client.text == "local")
        store.run()
        world.runUntilIdle()
        #expect(recorder.notes.value == notes && world.get().text == "local" && world.provider.count == 0)
    }

    @Test("an override has status 200, and what the very first load brings replaces it (S-199, S-256)")
    func overrideOfNothing() {
        let world = World()
        world.resource().overrideLocalData(Array("local".utf8), fields: Fields())
        let client = world.get()
        #expect(client.stored?.status == 200 && client.text == "local" && world.isHit())
        world.timekeeper.advance(by: .seconds(31))
        world.get()
        #expect(world.provider.count == 1)
        world.last.answer(200, fresh, "new")
        world.runUntilIdle()
        #expect(world.get().text == "new" && world.provider.count == 1)
        world.resource().override(content: [0x78], fields: Fields())
        #expect(world.get().stored?.status == 200)
    }

    @Test("a result older than what is held changes nothing (S-256)")
    func numberedLoads() {
        let world = World()
        world.get()
        world.timekeeper.advance(by: .milliseconds(1))
        world.get("/a", [("Cache-Control", "no-cache")])
        let (old, new) = (world.provider.exchanges[0], world.provider.exchanges[1])
        new.answer(200, fresh, "new")
        old.answer(200, fresh, "old")
        world.runUntilIdle()
        #expect(world.get().text == "new")
    }
}
