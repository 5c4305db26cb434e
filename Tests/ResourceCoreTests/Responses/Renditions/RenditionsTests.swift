import HTTPCore
import Outcomes
import ResourceDoubles
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore

/// Which renditions of one original are kept.
@Suite("The renditions of a response") struct RenditionsTests {
    private let world: World
    private let stored: StoredResponse

    init() throws {
        world = World()
        world.fill("/a", PipelineTests.lines)
        stored = try #require(world.resource().latestResponse)
    }

    /// A rendition for a language, by a pipeline with this suffix; nothing makes it yet.
    private func content(_ language: Int = 0, _ suffix: String = "!", hash: UInt64 = 0) throws -> DerivedContent {
        var transformer = ScriptedTransformer.suffix(suffix)
        transformer.varies = .acceptLanguage
        transformer.dependsOnRequest = true
        world.service.configuration.pipeline = PipelineTests.pipeline((PipelineStep(transformer), .model))
        var request = world.request("/a", [("Accept-Language", "x\(language)")])
        request.prepare(world.service.configuration, world.table.environment)
        let plan = try #require(request.rendition?.plan(status: stored.status, fields: stored.fields))
        let (configuration, environment) = (world.service.configuration, world.table.environment)
        return DerivedContent(plan, .stored(stored), hash, world.resource(), configuration, environment)
    }

    @Test("a rendition is made once for its key, until it is removed")
    func once() throws {
        let renditions = Renditions()
        let (first, second) = (try content(), try content())
        #expect(first.key == second.key)
        var (found, isNew, left) = renditions.content(first.key) { first }
        #expect(found === first && isNew && left.isEmpty)
        (found, isNew, left) = renditions.content(first.key) { second }
        #expect(found === first && !isNew && left.isEmpty)
        #expect(!renditions.remove(second) && renditions.remove(first) && !renditions.remove(first))
        (found, isNew, left) = renditions.content(first.key) { second }
        #expect(found === second && isNew && left.isEmpty)
    }

    @Test("one that accepts no readers any more makes room for a new one of its key")
    func replaced() throws {
        let renditions = Renditions()
        let (first, second) = (try content(), try content())
        _ = renditions.content(first.key) { first }
        first.discard()
        let (found, isNew, left) = renditions.content(first.key) { second }
        #expect(found === second && isNew && left.map { $0 === first } == [true])
    }

    @Test("sixteen are kept; with one more the oldest goes, and with another pipeline all go")
    func limit() throws {
        let renditions = Renditions()
        let contents = try (0..<17).map { try content($0) }
        for content in contents.dropLast() {
            let (_, isNew, left) = renditions.content(content.key) { content }
            #expect(isNew && left.isEmpty)
        }
        let (_, _, left) = renditions.content(contents[16].key) { contents[16] }
        #expect(left.map { $0 === contents[0] } == [true])
        let other = try content(0, "?")
        let (_, isNew, obsolete) = renditions.content(other.key) { other }
        #expect(isNew && obsolete.count == 16 && !renditions.remove(contents[16]) && renditions.remove(other))
    }

    @Test("what is made for an original that has left memory is made, and not kept")
    func gone() throws {
        let renditions = Renditions()
        let (first, second) = (try content(), try content())
        _ = renditions.content(first.key) { first }
        #expect(renditions.enterMemory().isEmpty && renditions.isInMemory(first) && !renditions.isInMemory(second))
        #expect(renditions.leaveMemory().map { $0 === first } == [true])
        #expect(!renditions.isInMemory(first) && renditions.leaveMemory().isEmpty && renditions.enterMemory().isEmpty)
        let (found, isNew, left) = renditions.content(second.key) { second }
        #expect(found === second && isNew && left.isEmpty && !renditions.remove(second))
    }

    @Test("the response that serves an original is kept for that very original, as long as the content is")
    func derived() throws {
        let (renditions, content) = (Renditions(), try content())
        let other = stored.invalidated
        renditions.keep(other, of: stored, content)
        #expect(renditions.derived(of: stored, content.key) == nil, "the content is not kept")
        _ = renditions.content(content.key) { content }
        renditions.keep(other, of: stored, content)
        #expect(renditions.derived(of: stored, content.key) === other)
        #expect(renditions.derived(of: other, content.key) == nil)
        let next = Renditions()
        next.succeed(renditions)
        #expect(next.former(content.key) === other && renditions.former(content.key) == nil)
        let third = Renditions()
        third.succeed(next)
        #expect(third.former(content.key) === other, "it has none of its own yet")
        _ = third.content(content.key) { content }
        third.keep(other, of: stored, content)
        #expect(third.former(content.key) == nil)
        #expect(renditions.remove(content) && renditions.derived(of: stored, content.key) == nil)
    }

    @Test("renditions that use memory enter it with their original, once")
    func charged() throws {
        world.service.configuration.pipeline = PipelineTests.pipeline(
            (PipelineStep(ScriptedTransformer.suffix("!")), .model)
        )
        #expect(world.get().text == "abc!")
        let form = try #require(world.get().stored?.derivation)
        #expect(form.isCharged && form.descriptorCount == 0)
        let (idle, renditions) = (try content(), Renditions())
        #expect(!idle.isCharged && form.cost == idle.cost + 4)
        #expect(idle.cost == 2 * stored.fields.bytes.count + 2048, "the heads of original and rendition, and objects")
        _ = renditions.content(form.key) { form }
        #expect(renditions.enterMemory().map { $0 === form } == [true] && renditions.enterMemory().isEmpty)
    }

    @Test("a rendition is another one for another URI, key or original; its hits are hits of the original")
    func identity() throws {
        let (one, other) = (try content(), try content())
        #expect(one.identity == other.identity)
        #expect(try content(1).identity != one.identity && content(0, "!", hash: 1).identity != one.identity)
        one.noteUse()
        #expect(one.takeUses() == 1 && one.takeUses() == 0 && other.takeUses() == 0 && stored.hitCount == 1)
    }

    @Test("the name of a rendition in a store has the edition of the transformers, the pipeline and the variation")
    func name() {
        let key = RenditionKey(fingerprint: "f", variation: "v")
        #expect(key.name == RenditionName(pipeline: "1-f", variation: "v"))
    }

    // MARK: Requests

    @Test("who has read all of a rendition is not counted any more, like one that has left", arguments: [true, false])
    func leaving(byEnd: Bool) throws {
        let content = try content()
        content.start(of: .stored(stored))
        let client = Client(context: world.context)
        let waiters = (0..<2).map { _ in
            Waiter(
                request: world.request(),
                delegate: client,
                owner: ResourceLink(world.resource())
            )
        }
        for waiter in waiters {
            let pending = DerivedContent.PendingRendition(waiter: waiter, original: .stored(stored), outcome: .hit)
            waiter.wait(for: content, delegate: client)
            #expect(waiter.delegate === client)
            guard case .waiting = content.join(pending, isNew: waiter === waiters[0]) else {
                Issue.record("it does not wait")
                return
            }
        }
        for (number, waiter) in waiters.enumerated() {
            #expect(!content.run.isCancelled)
            for _ in 0..<2 { if byEnd { waiter.end() } else { waiter.cancel() } }
            #expect(content.run.isCancelled == (number == 1) && waiter.delegate == nil)
        }
        #expect(!content.acceptsReaders)
    }

    @Test("who leaves once, or has read all once, is not counted any more", arguments: [true, false])
    func leavingOnce(byEnd: Bool) throws {
        let content = try content()
        content.start(of: .stored(stored))
        let client = Client(context: world.context)
        let waiter = Waiter(request: world.request(), delegate: client, owner: ResourceLink(world.resource()))
        waiter.wait(for: content, delegate: client)
        guard
            case .waiting = content.join(
                DerivedContent.PendingRendition(waiter: waiter, original: .stored(stored), outcome: .hit),
                isNew: true
            )
        else {
            Issue.record("it does not wait")
            return
        }
        if byEnd { waiter.end() } else { waiter.cancel() }
        #expect(waiter.isCancelled && content.run.isCancelled && !content.acceptsReaders)
    }

    @Test("of two that wait for the head of a freshened original, one leaves, and the other gets its answer")
    func oneLeavesBeforeHead() {
        let world = PipelineTests.world(.suffix("!"))
        world.fill("/a", PipelineTests.lines)
        world.timekeeper.advance(by: .seconds(61))
        let clients = (0..<3).map { _ in world.get() }
        world.workers.isImmediate = false
        world.last.answer(304, [("ETag", "\"a\""), ("Cache-Control", "max-age=30"), ("X-New", "1")])
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.answers == 0 } && world.workers.waiting == 1)
        clients[0].leave()
        world.workers.isImmediate = true
        world.runUntilIdle()
        #expect(clients.map(\.answers) == [0, 1, 1] && clients.map(\.text) == ["", "abc!", "abc!"])
    }

    @Test("of two that follow one run, one leaves, and the other gets all of it")
    func oneLeaves() {
        let world = PipelineTests.world(.upper)
        let (first, second) = (world.get(), world.get())
        world.last.head(200, PipelineTests.lines)
        world.last.content("abc")
        world.runUntilIdle()
        first.leave()
        world.last.content("def")
        world.last.end()
        world.runUntilIdle()
        #expect(first.text == "ABC" && second.text == "ABCDEF" && second.ending == .complete)
    }

    // MARK: The store

    private func pipelined(in store: MemoryVariantStore, after before: World? = nil) -> World {
        let world = World(timekeeper: before?.timekeeper ?? ManualTimekeeper(), store: store)
        world.service.configuration.pipeline = PipelineTests.pipeline(
            (PipelineStep(ScriptedTransformer.suffix("!")), .model)
        )
        return world
    }

    @Test("what was restored is not given to the store again")
    func restored() {
        let store = MemoryVariantStore()
        let before = pipelined(in: store)
        before.fill("/a", PipelineTests.lines)
        #expect(before.get().text == "abc!")
        let after = pipelined(in: store, after: before)
        #expect(after.get().text == "abc!" && store.log.count { $0 == "commitRendition" } == 1)
        after.timekeeper.advance(by: .seconds(61))
        after.get()
        after.last.answer(304, [("ETag", "\"a\""), ("Cache-Control", "max-age=60")])
        after.runUntilIdle()
        #expect(after.get().text == "abc!" && store.log.count { $0 == "commitRendition" } == 1)
    }

    @Test("where the workers take no more, what is in the store cannot be restored, and the next request tries again")
    func restoredOverload() {
        let store = MemoryVariantStore()
        let before = pipelined(in: store)
        before.fill("/a", PipelineTests.lines)
        let after = pipelined(in: store, after: before)
        after.workers.isFull = true
        #expect(after.get().failure?.status == 503)
        after.workers.isFull = false
        #expect(after.get().text == "abc!" && after.provider.count == 0)
    }
}
