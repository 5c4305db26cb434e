import Configurations
import HTTPCore
import ResourceCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing
import Transforms

@Suite("Renditions in the store") struct StoredRenditionTests {
    private let store = MemoryVariantStore()
    private static let lines = PipelineTests.lines

    /// A process with the store of the test.
    private func world(
        _ transformer: ScriptedTransformer,
        after before: World? = nil,
        eviction: (any EvictionPolicy)? = nil
    ) -> World {
        var configuration = Configuration()
        configuration.pipeline.add(PipelineStep(transformer), to: .model)
        return World(
            timekeeper: before?.timekeeper ?? ManualTimekeeper(),
            store: store,
            eviction: eviction,
            configuration: configuration
        )
    }

    private func statistics(_ world: World) -> [Int] {
        [world.table.environment.renditions.made, world.table.environment.renditions.restored]
    }

    @Test("after a restart a form is served as it was, without origin and without any transformer")
    func restart() throws {
        let before = world(.suffix("!"))
        before.fill("/a", Self.lines)
        let first = before.get()
        #expect(statistics(before) == [1, 0])
        #expect(store.renditions(of: "/a").count == 1)

        let transformer = ScriptedTransformer.suffix("!")
        let after = world(transformer)
        let clients = (0..<10).map { _ in after.get() }
        #expect(clients.allSatisfy { $0.text == "abc!" && $0.isHit })
        #expect(clients[0].stored?.fields.text(of: .etag) == first.stored?.fields.text(of: .etag))
        #expect(transformer.counts.finished == 0 && transformer.counts.pieces == 0)
        #expect(statistics(after) == [0, 1])
        #expect(after.provider.count == 0)
    }

    @Test("content whose original has no entity tag keeps its tag")
    func digest() throws {
        let lines = [("Cache-Control", "max-age=60"), ("Content-Type", "text/plain")]
        let before = world(.suffix("!"))
        before.fill("/a", lines)
        let tag = try #require(before.get().stored?.fields.text(of: .etag))
        let transformer = ScriptedTransformer.suffix("!")
        let after = world(transformer)
        #expect(after.get().stored?.fields.text(of: .etag) == tag)
        #expect(transformer.counts.finished == 0)
    }

    @Test("what memory had no room for comes back from the store")
    func eviction() {
        let transformer = ScriptedTransformer.suffix("!")
        let world = world(transformer, eviction: KeepOne())
        world.fill("/a", Self.lines)
        world.fill("/b", Self.lines)
        let runs = transformer.counts.finished
        #expect(world.get("/a").text == "abc!")
        #expect(world.get("/b").text == "abc!")
        #expect(transformer.counts.finished == runs)
        #expect(world.provider.count == 2)
    }

    @Test("a form in memory counts for the eviction policy besides its original, made or restored, until both leave")
    func counted() {
        var before: World?
        for _ in 0..<2 {
            let policy = EntryCount()
            let world = world(.suffix("!"), after: before, eviction: policy)
            if before == nil { world.fill("/a", Self.lines) }
            #expect(world.get().text == "abc!" && policy.held.value.count == 2)
            #expect(world.get().text == "abc!" && policy.held.value.count == 2)
            world.resource().wipe()
            world.runUntilIdle()
            #expect(policy.held.value.isEmpty)
            before = world
        }
    }

    @Test("a form whose content is damaged leaves memory, is served no more, and is made or restored again")
    func damaged() throws {
        let policy = EntryCount()
        let world = world(.suffix("!"), eviction: policy)
        world.fill("/a", Self.lines)
        let form = try #require(world.get().stored)
        #expect(policy.held.value.count == 2 && world.resource().snapshot.sharedHit === form)
        world.resource().contentIsDamaged(form)
        #expect(policy.held.value.count == 1 && world.resource().snapshot.sharedHit == nil)
        let again = try #require(world.get().stored)
        #expect(again !== form && policy.held.value.count == 2)
        #expect(world.get().text == "abc!" && world.provider.count == 1)
    }

    @Test("an evicted rendition is no longer a shared hit; its original stays, and the store restores it")
    func evicted() throws {
        let policy = EntryChoice()
        let transformer = ScriptedTransformer.suffix("!")
        let world = world(transformer, eviction: policy)
        world.fill("/a", Self.lines)
        let form = try #require(world.get().stored)
        #expect(policy.held.value.count == 2 && world.resource().snapshot.sharedHit === form)
        // When something else enters memory, and the form has to make room
        policy.victim.change { $0 = policy.held.value.first { !($0 is StoredResponse) } }
        world.fill("/b", Self.lines)
        #expect(policy.victim.value == nil && policy.held.value.count == 3)
        #expect(world.resource().snapshot.sharedHit == nil && world.resource().snapshot.latestResponse != nil)
        let again = try #require(world.get().stored)
        #expect(again !== form && world.get().text == "abc!" && policy.held.value.count == 4)
        #expect(statistics(world) == [2, 1] && world.provider.count == 2)
    }

    @Test("the form of another pipeline is not served")
    func otherPipeline() {
        world(.suffix("!")).fill("/a", Self.lines)
        let after = world(.suffix("?"))
        #expect(after.get().text == "abc?")
        #expect(statistics(after) == [1, 0])
        // That of an original which the store had already is stored, too.
        let again = world(.suffix("?"))
        #expect(again.get().text == "abc?" && statistics(again) == [0, 1])
    }

    @Test("a form is stored for each variation, and served to requests of that only")
    func variations() {
        func transformer() -> ScriptedTransformer {
            var transformer = ScriptedTransformer.suffix("!")
            transformer.varies = .acceptLanguage
            transformer.dependsOnRequest = true
            return transformer
        }
        let before = world(transformer())
        before.fill("/a", Self.lines)
        before.get("/a", [("Accept-Language", "de")])
        #expect(store.renditions(of: "/a").count == 2)
        let last = transformer()
        let after = world(last)
        #expect(after.get("/a", [("Accept-Language", "de")]).text == "abc!")
        #expect(last.counts.finished == 0)
        #expect(after.get("/a", [("Accept-Language", "fr")]).text == "abc!")
        #expect(last.counts.finished == 1)
    }

    @Test("a 304 keeps the form, whose head is then the freshened one")
    func notModified() throws {
        let before = world(.suffix("!"))
        before.fill("/a", Self.lines)
        before.timekeeper.advance(by: .seconds(61))
        before.get()
        before.last.answer(304, [("ETag", "\"a\""), ("Cache-Control", "max-age=3000"), ("X-New", "1")])
        before.runUntilIdle()
        let transformer = ScriptedTransformer.suffix("!")
        let after = world(transformer, after: before)
        let client = after.get()
        #expect(client.text == "abc!")
        #expect(client.stored?.fields.values(named: Array("x-new".utf8)) == [Array("1".utf8)])
        #expect(transformer.counts.finished == 0)
    }

    @Test("another response takes the forms of the one before along, and gets its own")
    func replaced() {
        let before = world(.suffix("!"))
        before.fill("/a", Self.lines)
        before.timekeeper.advance(by: .seconds(61))
        before.get()
        before.last.answer(200, [("Cache-Control", "max-age=60"), ("ETag", "\"b\"")] + Self.lines.suffix(1), "abcd")
        before.runUntilIdle()
        #expect(store.renditions(of: "/a").count == 1)
        let transformer = ScriptedTransformer.suffix("!")
        let after = world(transformer, after: before)
        #expect(after.get().text == "abcd!")
        #expect(transformer.counts.finished == 0)
    }

    @Test("nothing that was being made when the original was purged is stored")
    func purged() {
        let world = world(.suffix("!"))
        world.workers.isImmediate = false
        world.get()
        world.last.answer(200, Self.lines, "abc")
        world.runUntilIdle()
        world.resource().purge()
        world.workers.isImmediate = true
        world.runUntilIdle()
        #expect(store.renditions(of: "/a").isEmpty)
        #expect(store.records(of: World.uri("/a")).isEmpty)
    }

    @Test("who leaves while the store is asked leaves nothing behind, and the next gets the form")
    func leaving() {
        world(.suffix("!")).fill("/a", Self.lines)
        let transformer = ScriptedTransformer.suffix("!")
        let after = world(transformer)
        after.workers.isImmediate = false
        let client = after.get()
        client.leave()
        after.workers.isImmediate = true
        after.runUntilIdle()
        #expect(after.get().text == "abc!")
        #expect(transformer.counts.finished == 0)
    }
}

/// Notes which entries are in memory.
private final class EntryCount: EvictionPolicy {
    let held = LockedBox<Set<ObjectIdentifier>>([])

    func didStore(_ entry: any MemoryEntry) -> [any MemoryEntry] {
        held.change { _ = $0.insert(ObjectIdentifier(entry)) }
        return []
    }

    func didRemove(_ entry: any MemoryEntry) { held.change { _ = $0.remove(ObjectIdentifier(entry)) } }
}

/// Names one entry, once, when another one enters memory.
private final class EntryChoice: EvictionPolicy {
    let held = LockedBox<[any MemoryEntry]>([])
    let victim = LockedBox<(any MemoryEntry)?>(nil)

    func didStore(_ entry: any MemoryEntry) -> [any MemoryEntry] {
        let leaving = victim.change { $0.take() }
        held.change { held in
            held.removeAll { $0 === leaving }
            held.append(entry)
        }
        return leaving.map { [$0] } ?? []
    }

    func didRemove(_ entry: any MemoryEntry) { held.change { held in held.removeAll { $0 === entry } } }
}
