import Configurations
import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing
import Transforms

@Suite("Store and look-up")
struct StoreTests {
    private func record(_ world: World, age: Int64 = 0, _ text: String = "stored") -> StoredRecord {
        var fields = Fields()
        fields.append(.cacheControl, "max-age=60")
        fields.append(.etag, "\"v1\"")
        let time = HTTPDate(seconds: world.timekeeper.wallNow.seconds - age)
        return StoredRecord(
            uri: World.uri("/a"),
            partition: .shared,
            selection: [],
            status: 200,
            reason: [],
            fields: fields,
            requestFields: Fields(),
            requestTime: time,
            responseTime: time,
            isInvalidated: false,
            body: .bytes(Array(text.utf8))
        )
    }

    @Test("requests wait for one look-up together; a fresh record answers them without the origin (S-091)")
    func freshRecord() {
        let world = World(store: MemoryVariantStore(isImmediate: false))
        world.store?.put(record(world, age: 10))
        let clients = (0..<50).map { _ in world.get() }
        #expect(clients.allSatisfy { $0.answers == 0 })
        world.store?.run()
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.isHit && $0.text == "stored" })
        #expect(world.store?.log == ["lookUp"])
        #expect(world.provider.count == 0)
        // S-189, S-241: the record's own time counts.
        world.timekeeper.advance(by: .seconds(49))
        #expect(world.get().stored?.currentAge(at: world.timekeeper.now) == 59)
        world.timekeeper.advance(by: .seconds(1))
        world.get()
        #expect(world.last.value(of: .ifNoneMatch) == "\"v1\"")
    }

    @Test("a record younger than the wall clock is stale (S-251)")
    func negativeAge() {
        let world = World(store: MemoryVariantStore())
        world.store?.put(record(world, age: -1000))
        world.get()
        #expect(world.last.value(of: .ifNoneMatch) == "\"v1\"")
    }

    @Test("a miss in the store leads to one load for all who waited, committed after its end is proven (H-111)")
    func missLoads() {
        let world = World(store: MemoryVariantStore(isImmediate: false))
        let clients = (0..<5).map { _ in world.get() }
        world.store?.run()
        world.runUntilIdle()
        #expect(world.provider.count == 1)
        world.last.head(200, [("Cache-Control", "max-age=60")], length: 3)
        world.last.content("abc")
        world.runUntilIdle()
        #expect(world.store?.log == ["lookUp"])
        world.last.end()
        world.runUntilIdle()
        #expect(world.store?.log == ["lookUp", "commit"])
        #expect(clients.allSatisfy { $0.text == "abc" })
    }

    @Test("a look-up overwrites nothing that was set after it began (S-189, S-248)")
    func lookUpIsLate() {
        let world = World(store: MemoryVariantStore(isImmediate: false))
        world.store?.put(record(world))
        let client = world.get()
        world.resource().overrideLocalData(Array("local".utf8), fields: Fields())
        world.runUntilIdle()
        // T-257: the request was waiting for the look-up and is served from what is there now.
        #expect(client.text == "local")
        world.store?.run()
        world.runUntilIdle()
        #expect(world.get().text == "local")
        #expect(world.provider.count == 0)
    }

    @Test("a purge during a look-up: what it brings counts no more (S-194)")
    func purgeDuringLookUp() {
        let world = World(store: MemoryVariantStore(isImmediate: false))
        world.store?.put(record(world))
        let client = world.get()
        world.resource().purge()
        world.store?.run()
        world.runUntilIdle()
        #expect(client.answers == 0)
        #expect(world.provider.count == 1)
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
    }

    @Test("who waits for a look-up when the resource is wiped waits for another; the first counts no more (S-193)")
    func wipeDuringLookUp() {
        let world = World(store: MemoryVariantStore(isImmediate: false))
        world.store?.put(record(world))
        let client = world.get()
        world.resource().wipe()
        world.runUntilIdle()
        #expect(client.answers == 0 && world.store?.log == ["lookUp", "lookUp"])
        world.store?.run()
        world.runUntilIdle()
        #expect(client.isHit && client.text == "stored" && world.provider.count == 0)
    }

    @Test("a response that memory had no room for is looked up again")
    func eviction() {
        let policy = KeepOne()
        let world = World(store: MemoryVariantStore(), eviction: policy)
        world.fill("/a")
        world.fill("/b")
        #expect(world.table.find(World.uri("/a")) == nil)
        #expect(world.get("/a").isHit)
        #expect(world.provider.count == 2)
        #expect(world.table.find(World.uri("/b")) == nil)
    }

    @Test("the least recently used variant leaves when there are too many (H-117)")
    func variantLimit() {
        let world = World(store: MemoryVariantStore())
        func fill(_ kind: Int) {
            world.get("/a", [("X-Kind", "\(kind)")])
            world.last.answer(200, [("Cache-Control", "max-age=60"), ("Vary", "X-Kind")], "abc")
            world.runUntilIdle()
        }
        for kind in 0..<16 { fill(kind) }
        #expect(world.get("/a", [("X-Kind", "0")]).isHit)
        fill(16)
        #expect(world.store?.records(of: World.uri("/a")).count == 16)
        #expect(world.get("/a", [("X-Kind", "0")]).isHit)
        let before = world.provider.count
        world.get("/a", [("X-Kind", "1")])
        #expect(world.provider.count == before + 1)
    }

    @Test("the store is told what leaves memory after it was used there, and nothing of what was not")
    func touched() {
        let world = World(store: MemoryVariantStore(), eviction: KeepOne())
        world.fill("/a")
        world.get("/a")
        world.fill("/b")
        #expect(world.store?.log.count { $0 == "touch" } == 1)
        world.fill("/c")
        #expect(world.store?.log.count { $0 == "touch" } == 1)
    }

    @Test("variants found beyond the limit leave the store too")
    func tooManyFound() {
        let store = MemoryVariantStore()
        let before = World(store: store)
        for kind in 0..<5 {
            before.get("/a", [("X-Kind", "\(kind)")])
            before.last.answer(200, [("Cache-Control", "max-age=60"), ("Vary", "X-Kind")], "abc")
            before.runUntilIdle()
        }
        var configuration = Configuration()
        configuration.variantLimit = 3
        let world = World(store: store, configuration: configuration)
        #expect(world.get("/a", [("X-Kind", "4")]).isHit)
        #expect(store.records(of: World.uri("/a")).count == 3)
    }

    @Test("without a store everything lives in memory")
    func noStore() {
        let world = World()
        world.fill()
        #expect(world.get().isHit)
        world.resource().wipe()
        world.get()
        #expect(world.provider.count == 2)
    }
}

/// Has room for one entry.
final class KeepOne: EvictionPolicy {
    private let held = LockedBox<[any MemoryEntry]>([])

    func didStore(_ entry: any MemoryEntry) -> [any MemoryEntry] {
        held.change { held in
            defer { held = [entry] }
            return held
        }
    }

    func didRemove(_ entry: any MemoryEntry) { held.change { held in held.removeAll { $0 === entry } } }
}
