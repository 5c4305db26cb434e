import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing
import Transforms

/// Requests whose content belongs to the key: QUERY, and POST by a rule (C-24.4, C-24.7).
@Suite("Questions") struct QuestionTests {
    private let fresh = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]

    @Test(
        "a question goes to its target with its method and content, which may be sent again",
        arguments: [Method.post, .query]
    )
    func load(method: Method) {
        let world = World()
        world.ask("one", [("Content-Type", "text/plain")], method: method)
        let request = world.last.request
        #expect(request.method == method && request.uri == World.uri("/a"))
        #expect(request.repeatableContent == ByteChunk("one") && request.framing == .length(3) && request.isRepeatable)
        #expect(request.fields.value(of: .contentType) == Array("text/plain".utf8))
    }

    @Test("equal questions share one load and one stored response; others, GET among them, do not")
    func shared() {
        let world = World()
        let first = world.ask("one")
        let second = world.ask("one")
        let other = world.ask("two")
        let query = world.ask("one", method: .query)
        let get = world.get()
        #expect(world.provider.count == 4)
        for exchange in world.provider.exchanges {
            let content = exchange.request.repeatableContent.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "none"
            exchange.answer(200, fresh, "\(exchange.request.method.text) \(content)")
        }
        world.runUntilIdle()
        #expect(first.text == "POST one" && second.text == "POST one" && second.outcome?.isCollapsed == true)
        #expect(other.text == "POST two" && query.text == "QUERY one" && get.text == "GET none")
        let again = world.ask("one")
        #expect(again.isHit && again.text == "POST one" && world.provider.count == 4)
    }

    @Test("a stale response to a question is validated with the question's content, and freshened")
    func validated() {
        let world = World()
        world.ask("one")
        world.last.answer(200, fresh, "answer")
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(61))
        let stale = world.ask("one")
        #expect(
            world.last.value(of: .ifNoneMatch) == "\"1\"" && world.last.request.repeatableContent == ByteChunk("one")
        )
        world.last.answer(304, fresh)
        world.runUntilIdle()
        #expect(stale.text == "answer" && world.ask("one").isHit && world.provider.count == 2)
    }

    @Test("responses to questions with different credentials never meet (C-20.1)")
    func partitions() {
        let world = World()
        for name in ["alice", "bob"] {
            world.ask("one", [("Authorization", name)])
            world.last.answer(200, fresh, "for \(name)")
            world.runUntilIdle()
        }
        #expect(world.provider.count == 2)
        for name in ["alice", "bob"] { #expect(world.ask("one", [("Authorization", name)]).text == "for \(name)") }
        #expect(!world.ask("one").isHit && world.provider.count == 3)
    }

    @Test("a question is found again after a restart, by all of its digest")
    func restart() {
        let world = World(store: MemoryVariantStore())
        world.ask("one")
        world.last.answer(200, fresh, "answer")
        world.runUntilIdle()
        let next = World(timekeeper: world.timekeeper, store: world.store)
        #expect(next.ask("one").text == "answer")
        #expect(!next.ask("onf").isHit && !next.ask("one", method: .query).isHit)
    }

    @Test("questions are no variants of their target: neither bounds the other")
    func variants() {
        var configuration = Configuration()
        configuration.variantLimit = 1
        let world = World(configuration: configuration)
        world.fill("/a", fresh, "page")
        for content in ["1", "2", "3"] {
            world.ask(content)
            world.last.answer(200, fresh, content)
            world.runUntilIdle()
        }
        #expect(world.get().text == "page" && world.get().isHit)
        for content in ["1", "2", "3"] { #expect(world.ask(content).isHit) }
        #expect(world.resource().snapshot.variants.count == 1)
    }

    @Test(
        "purging or invalidating a resource drops its questions, in memory and store; those of others stay",
        arguments: [true, false]
    )
    func dropped(purges: Bool) {
        let world = World(store: MemoryVariantStore())
        for (content, path) in [("1", "/a"), ("2", "/a"), ("1", "/b")] {
            world.ask(content, [], path)
            world.last.answer(200, fresh, "old")
            world.runUntilIdle()
        }
        let underWay = world.ask("3")
        let isDone = LockedBox(false)
        if purges {
            world.table.purge(World.uri("/a"), of: world.service) { _ in isDone.change { $0 = true } }
        } else {
            world.service.resource(for: World.uri("/a")).invalidate { _ in isDone.change { $0 = true } }
        }
        world.runUntilIdle()
        #expect(isDone.value && world.store?.records(of: World.question("1")).isEmpty == true)
        world.last.answer(200, fresh, "late")
        world.runUntilIdle()
        // Whoever waited gets its response, and nobody else.
        #expect(underWay.text == "late")
        let count = world.provider.count
        for content in ["1", "2", "3"] { #expect(!world.ask(content).isHit, "\(content)") }
        #expect(world.provider.count == count + 3)
        #expect(world.ask("1", [], "/b").isHit)
    }

    @Test("a purge reports once how many records it has removed, those of questions among them")
    func purgedCount() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", fresh)
        for content in ["1", "2"] {
            world.ask(content)
            world.last.answer(200, fresh, "x")
            world.runUntilIdle()
        }
        let counts = LockedBox<[Int]>([])
        for _ in 0..<2 {
            world.resource().purge { count in counts.change { $0.append(count) } }
            world.runUntilIdle()
        }
        #expect(counts.value == [3, 0])
    }

    @Test("a purge also drops the answer that is stored while it runs")
    func storedMeanwhile() throws {
        let world = World(store: MemoryVariantStore())
        let store = try #require(world.store)
        world.ask("1")
        let load = world.last
        // Between the removal in the store and that in memory.
        store.interruption.change { $0 = { load.answer(200, fresh, "old") } }
        let isDone = LockedBox(false)
        world.table.purge(World.uri("/a"), of: world.service) { _ in isDone.change { $0 = true } }
        world.runUntilIdle()
        #expect(isDone.value && store.log.contains("commit") && store.records(of: World.question("1")).isEmpty)
        #expect(!world.ask("1").isHit)
    }

    @Test("above 256 questions a worker drops what is in memory", arguments: [(256, false), (257, true)])
    func many(count: Int, isByWorker: Bool) {
        let world = World()
        for number in 0..<count {
            world.ask("\(number)")
            world.last.answer(200, fresh, "x")
            world.runUntilIdle()
        }
        world.workers.isImmediate = false
        let isDone = LockedBox(false)
        world.table.purgeQuestions(to: World.uri("/a")) { _ in isDone.change { $0 = true } }
        #expect(world.workers.waiting == (isByWorker ? 1 : 0) && isDone.value != isByWorker)
        world.workers.run()
        #expect(isDone.value && !world.ask("0").isHit && !world.ask("\(count - 1)").isHit)
    }

    @Test("an invalidation says whether it is durable, also beside questions (S-201)", arguments: [true, false])
    func durable(isWritable: Bool) {
        let environment = CoreEnvironment(
            timekeeper: ManualTimekeeper(),
            hasher: PlainHasher(),
            store: MarkingStore(isWritable)
        )
        let table = ResourceTable(environment: environment)
        let service = Service(name: "test", table: table)
        let isDurable = LockedBox<Bool?>(nil)
        #expect(table.mayHaveQuestions(to: World.uri("/a")))
        service.resource(for: World.uri("/a")).invalidate { result in isDurable.change { $0 = result } }
        #expect(isDurable.value == isWritable)
    }

    @Test("beyond their limit the oldest questions of a target are dropped")
    func limit() {
        let world = World()
        for number in 0..<6 {
            world.ask("\(number)")
            world.last.answer(200, fresh, "x")
            world.runUntilIdle()
            world.table.limitQuestions(like: World.question("\(number)"), to: 3)
        }
        #expect((0..<6).filter { world.ask("\($0)").isHit } == [3, 4, 5])
    }

    @Test("a question is judged by the rules for its method, not by those for GET")
    func rules() {
        let world = World()
        world.service.reconfigure { list in
            list.configure(methods: [.post]) { $0.caching.rules = [CachingRule(name: "r", ttlSeconds: 600)] }
        }
        world.ask("one")
        world.last.answer(200, [("Cache-Control", "max-age=1")], "x")
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(100))
        #expect(world.ask("one").isHit)
    }

    @Test("an administrator cannot load a question: its content is not kept")
    func refresh() {
        let world = World()
        world.ask("one")
        world.last.answer(200, fresh, "x")
        world.runUntilIdle()
        let message = LockedBox("")
        world.service.resource(for: World.question("one")).refresh { outcome in
            if case .failure(let error) = outcome { message.change { $0 = error.userMessage } }
        }
        world.runUntilIdle()
        #expect(message.value.contains("content is not stored") && world.provider.count == 1)
    }
}

/// An empty store that can mark, or cannot write now.
private final class MarkingStore: VariantStore {
    private let isWritable: Bool

    init(_ isWritable: Bool) { self.isWritable = isWritable }

    func lookUp(_ uri: TargetURI, _ completion: @escaping @Sendable ([StoredRecord]) -> Void) { completion([]) }
    func makeBody(expected: Int64?) -> (any BodyWriter)? { nil }
    func commit(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) { durable(isWritable) }
    func freshen(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) { durable(isWritable) }
    func invalidate(_ uri: TargetURI, durable: @escaping @Sendable (Bool) -> Void) { durable(isWritable) }
    func remove(_ uri: TargetURI, partition: Partition, selection: [UInt8]) {}
    func remove(_ uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void) { completion(0) }
    func removeAll(
        where condition: @escaping @Sendable (TargetURI) -> Bool,
        _ completion: @escaping @Sendable (Int) -> Void
    ) {
        completion(0)
    }
    func removeAll(taggedBy tags: Set<CacheTag>, _ completion: @escaping @Sendable (Int) -> Void) { completion(0) }
    func list(taggedBy tags: Set<CacheTag>, _ then: @escaping @Sendable ([TargetURI]) -> Void) { then([]) }
    func list(
        after last: Int64,
        limit: Int,
        where test: any RowTest,
        _ then: @escaping @Sendable (StoredPage) -> Void
    ) {
        then(StoredPage([], next: nil))
    }
    func flush(_ completion: @escaping @Sendable () -> Void) { completion() }
}
