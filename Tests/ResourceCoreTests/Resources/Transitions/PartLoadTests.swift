import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import Locking
import Outcomes
import ResourceDoubles
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore

/// What becomes of loads of missing bytes, and of what has come of a load that was cut (C-22.1).
@Suite("Loads of parts") struct PartLoadTests {
    private static let fresh = World.freshPart

    /// A response in progress needs these bytes.
    private func want(_ range: Range<Int64>, of part: StoredResponse, in world: World) -> Client {
        let client = Client(context: world.context)
        var request = world.request("/a", [("Range", "bytes=0-9")])
        request.wanted = WantedBytes(range, of: part, step: WantedBytes.shortStep)
        switch world.resource().serve(request, to: client) {
        case .answered(let answer, let waiter):
            client.note(waiter)
            client.take(answer)
        case .waiting(let waiter):
            client.note(waiter)
        }
        world.runUntilIdle()
        return client
    }

    private func part(in world: World) throws -> StoredResponse {
        try #require(world.resource().snapshot.variants.first)
    }

    private func unstored(in world: World) -> UnstoredResponse? { world.table.unstored(world.resource().hash) }

    @Test("bytes that are stored by now are a hit, and nothing is loaded for them")
    func held() throws {
        let world = World()
        world.fillPart(0..<4)
        let client = want(2..<9, of: try part(in: world), in: world)
        #expect(client.outcome == .hit && client.stored?.extent?.text == "0-3/10" && world.provider.count == 1)
    }

    @Test(
        "other bytes under the same tag: the request goes to the origin, what is stored stays, and it is told (C-22.2)"
    )
    func contradiction() throws {
        let world = World()
        world.fillPart(0..<3)
        let stored = try part(in: world)
        let client = world.part("0-9")
        #expect(world.last.value(of: .range) == "bytes=3-9")
        let wanting = want(3..<10, of: stored, in: world)
        #expect(world.provider.count == 2 && wanting.answers == 0)
        world.last.head(206, Self.fresh + [("Content-Range", "bytes 4-9/10")], length: 6)
        world.runUntilIdle()
        #expect(world.last.isCancelled && world.provider.count == 2)
        #expect(client.pass == .range && wanting.failure?.userMessage == "the content contradicts itself")
        #expect(wanting.failure?.status == 502 && wanting.failure?.kind == .protocolError)
        #expect(try part(in: world) === stored && unstored(in: world)?.reason == .contentRange)
        #expect(unstored(in: world)?.status == 206 && !world.resource().isLoading)
    }

    @Test(
        "bytes of another content: the part goes, a new request is decided about anew, and one under way fails (C-22.2)"
    )
    func changed() throws {
        let world = World(store: MemoryVariantStore())
        world.fillPart(0..<3)
        let stored = try part(in: world)
        let client = world.part("0-9")
        let wanting = want(3..<10, of: stored, in: world)
        let first = world.last
        first.head(206, [("ETag", "\"v2\""), ("Content-Range", "bytes 3-9/10")], length: 7)
        world.runUntilIdle()
        #expect(first.isCancelled && world.parts.isEmpty && world.resource().snapshot.variants.isEmpty)
        #expect(wanting.failure?.userMessage == "the content has changed since" && wanting.failure?.status == 502)
        #expect(client.answers == 0 && world.provider.count == 3 && world.last.value(of: .range) == "bytes=0-9")
        #expect(unstored(in: world) == nil)
    }

    @Test("the whole is of no use to those who want ranges of it, and is not read (C-22.1)")
    func useless() throws {
        let world = World()
        world.fillPart(0..<3)
        let wanting = want(3..<10, of: try part(in: world), in: world)
        let first = world.last
        first.head(200, Self.fresh, length: 10)
        world.runUntilIdle()
        #expect(first.isCancelled && wanting.failure?.userMessage == "the content has changed since")
    }

    // MARK: What was cut

    @Test(
        "of a response that was cut its first bytes are kept if a strong tag and a length say of what",
        arguments: [
            (200, World.freshPart, 10, "0123", "0-3/10"), (200, World.freshPart, 10, "", nil),
            (200, World.freshPart, nil, "0123", nil), (404, World.freshPart, 10, "0123", nil),
            (200, [("Cache-Control", "max-age=60"), ("ETag", "W/\"v1\"")], 10, "0123", nil),
            (200, [("Cache-Control", "max-age=60")], 10, "0123", nil),
            (200, [("Cache-Control", "no-store"), ("ETag", "\"v1\"")], 10, "0123", nil),
        ] as [(UInt16, [(String, String)], Int64?, String, String?)]
    )
    func cut(status: UInt16, lines: [(String, String)], length: Int64?, text: String, kept: String?) {
        let world = World(store: MemoryVariantStore())
        let client = world.get()
        world.last.head(status, lines, length: length)
        if !text.isEmpty { world.last.content(text) }
        world.last.fail(.responseIncomplete)
        world.runUntilIdle()
        for _ in 0..<4 where client.ending == nil {
            world.last.fail(.connectionRefused)
            world.timekeeper.advance(by: .seconds(2))
            world.runUntilIdle()
        }
        #expect(client.text == text && client.ending == .failed)
        #expect(world.parts.map { $0.extent?.text } == (kept.map { [$0] } ?? []))
        #expect(world.resource().snapshot.variants.count == (kept == nil ? 0 : 1))
        #expect(!world.resource().isLoading)
    }

    @Test("a load that is given up leaves its first bytes as a part, and observers no data")
    func abandoned() {
        var configuration = Configuration()
        (configuration.fillRemainder, configuration.fillPercent) = (0, 100)
        let world = World(store: MemoryVariantStore(), configuration: configuration)
        let client = world.get()
        world.last.head(200, Self.fresh, length: 10)
        world.last.content("0123")
        world.runUntilIdle()
        client.leave()
        world.runUntilIdle()
        #expect(world.last.isCancelled && world.parts.map { $0.extent?.text } == ["0-3/10"])
        #expect(world.resource().latestResponse == nil && world.part("0-3").isHit)
    }

    // MARK: What is on its way into the store

    /// A load that was cut after four of ten bytes, which are not stored yet.
    private func cutLoad(in bench: Workbench) -> LoadRecord {
        var record = bench.record()
        _ = record.receive(bench.head(Self.fresh, length: 10, body: bench.body(4)))
        bench.resource.perform { $0.state.ongoing.partsToKeep = 1 }
        return record
    }

    /// The content of the load is ready.
    private func commit(_ record: LoadRecord, _ text: String?, _ resetCount: UInt32, in bench: Workbench) {
        let body = text.map { RecordBody.bytes(Array($0.utf8)) }
        bench.resource.perform { PartLoads.commitPart(of: record, body, resetCount, in: &$0) }
    }

    @Test("what came of a load is kept unless a local change or another configuration came first", arguments: 0..<7)
    func overtaken(by which: Int) {
        let bench = Workbench()
        let (resource, record) = (bench.resource, cutLoad(in: bench))
        let resetCount = resource.state.withLock { $0.ongoing.resetCount }
        switch which {
        case 1: resource.purge()
        case 2: resource.wipe()
        case 3: resource.invalidate()
        case 4: resource.overrideLocalData([0x78], fields: Fields())
        case 5: bench.world.service.configuration.retryTime = .seconds(9)
        default: break
        }
        commit(record, which == 6 ? nil : "0123", resetCount, in: bench)
        let parts = resource.snapshot.variants.compactMap { $0.extent?.text }
        #expect(parts == (which == 0 ? ["0-3/10"] : []))
        #expect(resource.state.withLock { $0.activity == nil }, "nothing is on its way any more")
    }

    @Test("a request waits for what came of a load, and is served with it, or loads itself", arguments: [true, false])
    func awaited(isKept: Bool) {
        let bench = Workbench()
        let (world, record) = (bench.world, cutLoad(in: bench))
        let client = world.part("0-3")
        #expect(client.answers == 0 && world.provider.count == 0)
        commit(record, isKept ? "0123" : nil, 0, in: bench)
        world.runUntilIdle()
        #expect(client.isHit == isKept && world.provider.count == (isKept ? 0 : 1))
    }
}
