import Configurations
import HTTPCaching
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing
import Transforms

/// Streams that a rule records: joined while they run, stored with their pieces (C-24.5).
@Suite("Recorded streams") struct StreamTests {
    private static let events = [("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache")]

    private static func configuration(_ change: (inout CachingRule) -> Void = { _ in }) -> Configuration {
        var rule = CachingRule(name: "r", ttlSeconds: 600, cacheEven: .noCache, recordsStreams: true)
        change(&rule)
        var configuration = Configuration()
        configuration.caching.rules = [rule]
        return configuration
    }

    /// Sends these events a quarter of a second apart, then ends the stream.
    private static func send(_ events: [String], in world: World) {
        world.last.head(200, Self.events)
        for event in events {
            world.timekeeper.advance(by: .milliseconds(250))
            world.last.content("data: \(event)\n\n")
            world.runUntilIdle()
        }
        world.last.end()
        world.runUntilIdle()
    }

    @Test("clients join a stream from its first event, before its head and after it, and get each event when it comes")
    func joining() {
        let world = World(configuration: Self.configuration())
        let accept = [("Accept", "text/event-stream")]
        let early = (1...3).map { _ in world.get("/a", accept) }
        world.last.head(200, Self.events)
        world.last.content("data: 1\n\n")
        world.runUntilIdle()
        let late = world.get()
        let clients = early + [late]
        #expect(clients.allSatisfy { $0.text == "data: 1\n\n" && $0.ending == nil })
        world.last.content("data: 2\n\n")
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.text == "data: 1\n\ndata: 2\n\n" })
        world.last.end()
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.ending == .complete } && world.provider.count == 1)
        #expect(late.outcome?.isCollapsed == true && world.get("/a", accept).isHit)
    }

    @Test("a client that asks when much of a stream has gone to a file begins with its first byte")
    func joiningLate() {
        let world = World(store: MemoryVariantStore(), configuration: Self.configuration())
        world.get()
        world.last.head(200, Self.events)
        world.last.content([UInt8](repeating: 0x61, count: 100_000))
        world.runUntilIdle()
        world.store?.writers.first?.flush()
        let late = world.get()
        world.last.content("end")
        world.store?.writers.first?.flush()
        world.last.end()
        world.store?.writers.first?.flush()
        world.runUntilIdle()
        #expect(late.byteCount == 100_003 && late.ending == .complete && world.provider.count == 1)
        #expect(world.store?.records(of: World.uri("/a")).first?.pieces.all.map(\.count) == [100_000, 3])
    }

    @Test("a stream is stored with its pieces and their times, and found with them after a restart")
    func pieces() {
        let world = World(store: MemoryVariantStore(), configuration: Self.configuration())
        world.get()
        Self.send(["one", "two", "three"], in: world)
        let times: [(Int64, Int64)] = [(11, 250), (11, 500), (13, 750)]
        let expected = times.map { StreamPieces.Piece(count: $0.0, milliseconds: $0.1) }
        #expect(world.get().stored.map { $0.pieces.all } == expected)
        let next = World(timekeeper: world.timekeeper, store: world.store, configuration: Self.configuration())
        let found = next.get()
        #expect(found.isHit && found.text == "data: one\n\ndata: two\n\ndata: three\n\n")
        #expect(found.stored.map { $0.pieces.all } == expected)
    }

    @Test("a stream that the origin cuts is not stored, and every client sees the cut")
    func cut() {
        let world = World(store: MemoryVariantStore(), configuration: Self.configuration())
        let clients = (1...3).map { _ in world.get() }
        world.last.head(200, Self.events)
        world.last.content("data: 1\n\n")
        world.last.fail(.responseIncomplete)
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.text == "data: 1\n\n" && $0.ending == .failed })
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
        world.get()
        #expect(world.provider.count == 2)
    }

    @Test(
        "without a rule each client has a stream of its own, also where a rule gives it a lifetime",
        arguments: [false, nil]
    )
    func withoutRule(records: Bool?) {
        let world = World(configuration: Self.configuration { $0.recordsStreams = records })
        let first = world.get()
        world.get()
        let exchange = world.last
        exchange.head(200, Self.events)
        exchange.content("data: 1\n\n")
        world.runUntilIdle()
        #expect(first.text == "data: 1\n\n" && world.provider.count == 2)
        #expect(world.get("/a", [("Accept", "text/event-stream")]).pass == .eventStream)
    }

    @Test("the stream of a question is shared and stored where the rule has `key-body`, that of a GET is not")
    func questions() {
        let world = World(
            configuration: Self.configuration {
                $0.recordsStreams = nil
                $0.keyBody = .bytes
            }
        )
        let clients = (1...100).map { _ in world.ask("one", [("Accept", "text/event-stream")]) }
        #expect(world.provider.count == 1)
        world.last.head(200, Self.events)
        world.last.content("data: 1\n\n")
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.text == "data: 1\n\n" && $0.ending == nil })
        world.last.end()
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.ending == .complete } && world.ask("one").isHit)
        #expect(world.get("/a", [("Accept", "text/event-stream")]).pass == .eventStream)
    }

    @Test("two credentials never share a stream (C-20.1)")
    func credentials() {
        let world = World(configuration: Self.configuration())
        let alice = world.get("/a", [("Authorization", "alice")])
        let bob = world.get("/a", [("Authorization", "bob")])
        #expect(world.provider.count == 2)
        for (number, name) in ["alice", "bob"].enumerated() {
            world.provider.exchanges[number].head(200, Self.events)
            world.provider.exchanges[number].content("data: \(name)\n\n")
            world.provider.exchanges[number].end()
        }
        world.runUntilIdle()
        #expect(alice.text == "data: alice\n\n" && bob.text == "data: bob\n\n")
        #expect(world.get("/a", [("Authorization", "bob")]).text == "data: bob\n\n" && world.provider.count == 2)
    }

    @Test("a stored stream with a pace is no shared hit, one without is", arguments: [true, false])
    func sharedHit(isPaced: Bool) {
        let world = World(configuration: Self.configuration { $0.replayPace = isPaced ? .speed(1) : .instant })
        world.get()
        Self.send(["one"], in: world)
        #expect(world.isHit() == !isPaced && world.get().isHit)
        #expect(world.get().stored?.replaySpeed == (isPaced ? 1 : nil))
    }

    @Test("a stored stream goes when no rule records it any more; a changed pace applies at once")
    func changedRules() {
        let world = World(configuration: Self.configuration())
        world.get()
        Self.send(["one"], in: world)
        world.service.reconfigure { $0.defaults = Self.configuration { $0.replayPace = .speed(4) } }
        #expect(world.get().stored?.replaySpeed == 4 && world.get().isHit)
        world.service.reconfigure { $0.defaults = Self.configuration { $0.recordsStreams = false } }
        #expect(!world.get().isHit && world.provider.count == 2)
    }

    @Test("a freshened stream keeps its pieces")
    func freshened() {
        let world = World(store: MemoryVariantStore(), configuration: Self.configuration())
        world.get()
        world.last.head(200, Self.events + [("ETag", "\"1\"")])
        world.last.content("data: 1\n\n")
        world.last.end()
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(601))
        let stale = world.get()
        world.last.answer(304, [("ETag", "\"1\"")])
        world.runUntilIdle()
        #expect(stale.stored?.pieces.count == 1)
        #expect(world.store?.records(of: World.uri("/a")).first?.pieces.count == 1)
    }

    @Test("of what is no stream no pieces are kept, however it comes")
    func noPieces() throws {
        let world = World(store: MemoryVariantStore())
        world.get()
        world.last.head(200, [("Cache-Control", "max-age=60")], length: 6)
        for text in ["abc", "def"] {
            world.last.content(text)
            world.timekeeper.advance(by: .milliseconds(250))
        }
        world.last.end()
        world.runUntilIdle()
        let record = try #require(world.store?.records(of: World.uri("/a")).first)
        #expect(record.pieces.isEmpty && record.body.count == 6)
    }
}
