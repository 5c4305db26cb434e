import Exchanges
import HTTPCaching
import HTTPCore
import Locking
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore

/// Purges by tag in memory, and their order with loads (C-24.3).
@Suite("Tags") struct TagTests {
    private static func fresh(_ tags: String) -> [(String, String)] {
        [("Cache-Control", "max-age=60"), ("ETag", "\"1\""), ("Surrogate-Key", tags)]
    }

    private static func tag(_ name: String) -> [CacheTag] { [CacheTag(name.utf8)].compactMap { $0 } }

    /// Purges, and tells how many responses that removed.
    private func purge(_ name: String, in world: World) -> Int? {
        let count = LockedBox<Int?>(nil)
        world.table.purge(Self.tag(name)) { number in count.change { $0 = number } }
        world.runUntilIdle()
        return count.change { $0 }
    }

    @Test("a purge by tag drops the responses that have it, and no others (C-24.3)", arguments: [true, false])
    func purged(hasStore: Bool) {
        let world = World(store: hasStore ? MemoryVariantStore() : nil)
        world.fill("/a", Self.fresh("one two"))
        world.fill("/b", Self.fresh("two"))
        world.fill("/c", Self.fresh("three"))
        world.fill("/d")
        #expect(purge("two", in: world) == 2)
        #expect(!world.isHit("/a") && !world.isHit("/b") && world.isHit("/c") && world.isHit("/d"))
        world.get("/a")
        #expect(world.provider.count == 5)
        #expect(purge("nothing", in: world) == 0)
    }

    @Test("hits do not show tags for caches; Cache-Groups stays (C-24.3)")
    func hidden() throws {
        let world = World()
        world.fill("/a", Self.fresh("one") + [("Cache-Groups", #""g""#), ("xkey", "x"), ("Cache-Tag", "t")])
        let hit = world.table.sharedHit(of: World.uri("/a").bytes.span)
        let stored = try #require(hit)
        let text = String(decoding: stored.prepared.bytes.prefix(stored.prepared.count), as: UTF8.self).lowercased()
        #expect(!text.contains("surrogate-key") && !text.contains("xkey") && !text.contains("cache-tag"))
        #expect(text.contains("cache-groups: \"g\""))
        #expect(stored.fields.contains(named: Array("surrogate-key".utf8)))
    }

    @Test("a group reaches its own origin only; a tag of its name reaches all (C-24.3)")
    func groups() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60"), ("Cache-Groups", #""g""#)])
        let other = TargetURI(scheme: .http, host: Array("other.example".utf8), port: 80, path: [0x2F])
        let groups = [CacheTag(group: Array("g".utf8), of: Origin(other))].compactMap { $0 }
        world.table.purge(groups)
        world.runUntilIdle()
        #expect(world.isHit("/a"))
        world.table.purge([CacheTag(group: Array("g".utf8), of: Origin(World.uri("/z")))].compactMap { $0 })
        world.runUntilIdle()
        #expect(!world.isHit("/a"))
        world.fill("/a", [("Cache-Control", "max-age=60"), ("Cache-Groups", #""g""#)])
        #expect(purge("g", in: world) == 1 && !world.isHit("/a"))
    }

    @Test("a load begun before a purge is answered, but not stored: its head came later (C-24.3)")
    func headAfterPurge() {
        let world = World(store: MemoryVariantStore())
        let early = world.get("/a")
        let load = world.last
        _ = purge("one", in: world)
        let late = world.get("/a")
        load.answer(200, Self.fresh("one"), "old")
        world.runUntilIdle()
        // The one that caused the load gets it; the one that came after the purge gets a load of its own.
        #expect(early.text == "old" && late.text != "old" && world.provider.count == 2)
        world.last.answer(200, Self.fresh("one"), "new")
        world.runUntilIdle()
        #expect(late.text == "new" && world.get("/a").text == "new" && world.provider.count == 2)
    }

    @Test("a load whose head came before the purge is not stored, and nobody joins it any more (C-24.3)")
    func headBeforePurge() {
        let world = World(store: MemoryVariantStore())
        let early = world.get("/a")
        let load = world.last
        load.head(200, Self.fresh("one"), length: 3)
        world.runUntilIdle()
        _ = purge("one", in: world)
        let late = world.get("/a")
        #expect(world.provider.count == 2)
        load.content("old")
        load.end()
        world.runUntilIdle()
        #expect(early.text == "old" && !world.isHit("/a"))
        world.last.answer(200, Self.fresh("one"), "new")
        world.runUntilIdle()
        #expect(late.text == "new" && world.get("/a").text == "new")
    }

    @Test("a load with other tags goes on and is stored; so is one begun after the purge (C-24.3)")
    func others() {
        let world = World()
        world.get("/a")
        _ = purge("two", in: world)
        world.last.answer(200, Self.fresh("one"), "a")
        world.runUntilIdle()
        #expect(world.isHit("/a"))
        world.fill("/b", Self.fresh("two"))
        #expect(world.isHit("/b"))
    }

    @Test("a look-up begun before a purge brings nothing back that it covers (C-24.3)")
    func lookUp() {
        let store = MemoryVariantStore(isImmediate: false)
        let world = World(store: store)
        world.get("/a")
        store.run()
        world.runUntilIdle()
        world.last.answer(200, Self.fresh("one"), "old")
        world.runUntilIdle()
        store.run()
        world.table.wipe { _ in true }
        // The look-up has read its record, and not handed it over.
        let client = world.get("/a")
        world.table.purge(Self.tag("one"))
        store.run()
        world.runUntilIdle()
        #expect(!client.isHit && world.provider.count == 2)
        world.last.answer(200, Self.fresh("one"), "new")
        world.runUntilIdle()
        #expect(client.text == "new")
    }

    @Test("a 304 changes the membership (C-24.3)")
    func notModified() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", Self.fresh("one"))
        world.timekeeper.advance(by: .seconds(61))
        world.get("/a")
        world.last.answer(304, Self.fresh("two"))
        world.runUntilIdle()
        #expect(purge("one", in: world) == 0 && world.isHit("/a"))
        #expect(purge("two", in: world) == 1 && !world.isHit("/a"))
    }

    @Test("a validation begun before a purge of what it validates does not bring it back (C-24.3)")
    func validation() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", Self.fresh("one"))
        world.timekeeper.advance(by: .seconds(61))
        world.get("/a")
        #expect(purge("one", in: world) == 1)
        world.last.answer(304, Self.fresh("one"))
        world.runUntilIdle()
        #expect(!world.isHit("/a") && world.store?.records(of: World.uri("/a")).isEmpty == true)
    }

    @Test("a purge reaches the responses of all partitions, and questions (C-24.3, C-20.1)")
    func partitions() {
        let world = World()
        for name in ["alice", "bob"] {
            world.get("/a", [("Authorization", name)])
            world.last.answer(200, Self.fresh("one"), name)
            world.runUntilIdle()
        }
        world.ask("question")
        world.last.answer(200, Self.fresh("one"), "answer")
        world.runUntilIdle()
        #expect(purge("one", in: world) == 3)
        #expect(!world.ask("question").isHit && !world.get("/a", [("Authorization", "bob")]).isHit)
    }

    @Test("resources that have ended leave no tags behind")
    func bounded() {
        let world = World()
        for number in 0..<50 { world.fill("/\(number)", Self.fresh("tag-\(number) all")) }
        #expect(world.table.resources(taggedBy: Self.tag("all")).count == 50)
        #expect(purge("all", in: world) == 50)
        #expect(world.table.count == 0 && world.table.resources(taggedBy: Self.tag("all")).isEmpty)
        #expect(world.table.tags.count == 0)
    }

    @Test(
        "a worker purges more than 256 resources; if all workers are busy, the purge runs at once (C-24.3)",
        arguments: [(256, false, false), (257, false, true), (257, true, false)]
    )
    func many(count: Int, isBusy: Bool, isByWorker: Bool) {
        let world = World()
        for number in 0..<count { world.fill("/\(number)", Self.fresh("all")) }
        world.workers.isImmediate = false
        world.workers.isFull = isBusy
        let removed = LockedBox<Int?>(nil)
        world.table.purge(Self.tag("all")) { number in removed.change { $0 = number } }
        #expect(world.workers.waiting == (isByWorker ? 1 : 0) && (removed.value == nil) == isByWorker)
        #expect(world.isHit("/0") == isByWorker)
        world.workers.run()
        #expect(removed.value == count && !world.isHit("/0") && !world.isHit("/\(count - 1)"))
    }
}
