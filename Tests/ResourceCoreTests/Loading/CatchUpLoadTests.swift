import Exchanges
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore

/// The load by which one reader gets the rest of a content.
@Suite("A load for a reader that fell behind") struct CatchUpLoadTests {
    private let bench = Workbench()
    private let client: Client
    private static let tag = ("ETag", "\"v1\"")

    init() { client = Client(context: bench.world.context) }

    private var world: World { bench.world }

    /// A load that has begun for a reader of the first four bytes.
    private func load(_ plan: CatchUpPlan? = nil) throws -> CatchUpLoad {
        let load = try #require(CatchUpLoad(plan ?? bench.plan([Self.tag]), from: 4, nil))
        client.beginReading(load.body)
        load.start()
        world.runUntilIdle()
        return load
    }

    private func advance(_ milliseconds: Int) {
        world.timekeeper.advance(by: .milliseconds(milliseconds))
        world.runUntilIdle()
    }

    private func rest(_ value: String = "4-9/10") -> [(String, String)] {
        [Self.tag, ("Content-Range", "bytes \(value)")]
    }

    @Test("it begins on its provider's context, at once if it is there")
    func context() throws {
        let load = try #require(CatchUpLoad(bench.plan([Self.tag]), from: 4, nil))
        load.start()
        #expect(world.provider.count == 0)
        world.runUntilIdle()
        #expect(world.provider.count == 1 && world.last.value(of: .range) == "bytes=4-")
        let other = try #require(CatchUpLoad(bench.plan([Self.tag]), from: 4, nil))
        world.context.perform { other.start() }
        #expect(world.provider.count == 2)
    }

    @Test("without a strong tag and without digests there is none")
    func impossible() {
        #expect(CatchUpLoad(bench.plan([]), from: 4, nil) == nil)
        #expect(CatchUpLoad(bench.plan([("ETag", "W/\"v1\"")]), from: 4, nil) == nil)
    }

    @Test("the reader gets the bytes from its place on, of the rest and of the whole", arguments: [true, false])
    func content(isWhole: Bool) throws {
        let load = try load()
        let exchange = world.last
        if isWhole {
            exchange.head(200, [Self.tag], length: 10)
            let credit = exchange.credit
            exchange.content("012")
            #expect(exchange.credit == credit, "what the reader does not get costs it no credit")
            exchange.content("345")
        } else {
            exchange.head(206, rest(), length: 6)
            exchange.content("45")
        }
        exchange.content("6789")
        world.runUntilIdle()
        #expect(client.ending == nil)
        exchange.end()
        world.runUntilIdle()
        #expect(client.text == "456789" && client.ending == .complete)
        withExtendedLifetime(load) {}
    }

    @Test("content that ends before its length, or before the reader's place, or has more, is a failure")
    func length() throws {
        for (plan, status, lines, length, text) in [
            (bench.plan([Self.tag]), 206, rest(), nil, "4567"),
            (bench.plan([Self.tag]), 200, [Self.tag], nil, "01234567"),
            (bench.plan([Self.tag], length: nil), 200, [Self.tag], nil, "012"),
            (bench.plan([Self.tag]), 200, [Self.tag], nil, "0123456789a"),
        ] as [(CatchUpPlan, UInt16, [(String, String)], Int64?, String)] {
            let client = Client(context: world.context)
            let load = try #require(CatchUpLoad(plan, from: 4, nil))
            client.beginReading(load.body)
            load.start()
            world.runUntilIdle()
            world.last.head(status, lines, length: length)
            world.last.content(text)
            world.last.end()
            world.runUntilIdle()
            #expect(client.ending == .failed, "\(text)")
            withExtendedLifetime(load) {}
        }
        let load = try load(bench.plan([Self.tag], length: nil))
        world.last.head(200, [Self.tag])
        world.last.content("0123")
        world.last.end()
        world.runUntilIdle()
        #expect(client.ending == .complete && client.text.isEmpty)
        withExtendedLifetime(load) {}
    }

    @Test("before its head it tries again after 1, 2, 4, 8 and 16 seconds; then the reader is cut")
    func repeated() throws {
        let load = try load()
        for (count, pause) in [(2, 1000), (3, 2000), (4, 4000), (5, 8000), (6, 16_000)] {
            world.last.fail(.connectionRefused)
            advance(pause - 1)
            #expect(world.provider.count == count - 1 && client.ending == nil)
            advance(1)
            #expect(world.provider.count == count)
        }
        world.last.fail(.connectionRefused)
        world.runUntilIdle()
        #expect(client.ending == .failed)
        advance(100_000)
        #expect(world.provider.count == 6)
        withExtendedLifetime(load) {}
    }

    @Test("a full queue for connections is no failed attempt; a pause that the origin asks for lasts a minute at most")
    func pauses() throws {
        let load = try load()
        for count in 2..<12 {
            world.last.fail(.connectionLimitReached)
            advance(1000)
            #expect(world.provider.count == count)
        }
        let asked = world.last
        asked.head(503, [("Retry-After", "100")], length: 0)
        #expect(asked.isCancelled)
        advance(59_999)
        #expect(world.provider.count == 11)
        advance(1)
        #expect(world.provider.count == 12)
        withExtendedLifetime(load) {}
    }

    @Test("after its head, or where the network did not fail, it does not try again")
    func ended() throws {
        for hasHead in [true, false] {
            let client = Client(context: world.context)
            let load = try #require(CatchUpLoad(bench.plan([Self.tag]), from: 4, nil))
            client.beginReading(load.body)
            load.start()
            world.runUntilIdle()
            let count = world.provider.count
            if hasHead { world.last.head(206, rest(), length: 6) }
            world.last.fail(hasHead ? .connectionTerminated : .internalError)
            advance(100_000)
            #expect(client.ending == .failed && world.provider.count == count)
        }
    }

    @Test("an answer of no use, and what follows it, reaches nobody")
    func refused() throws {
        let load = try load()
        let exchange = world.last
        exchange.head(404, length: 3)
        world.runUntilIdle()
        #expect(exchange.isCancelled && client.ending == .failed && client.text.isEmpty)
        advance(100_000)
        #expect(world.provider.count == 1)
        withExtendedLifetime(load) {}
    }

    @Test("cancelled before it begins, or while it pauses, it asks nobody; amid the exchange it ends that")
    func cancelled() throws {
        let early = try #require(CatchUpLoad(bench.plan([Self.tag]), from: 4, nil))
        early.start()
        early.cancel()
        world.runUntilIdle()
        #expect(world.provider.count == 0)
        let load = try load()
        world.last.fail(.connectionRefused)
        load.cancel()
        advance(100_000)
        #expect(world.provider.count == 1)
        let amid = try #require(CatchUpLoad(bench.plan([Self.tag]), from: 4, nil))
        amid.start()
        world.runUntilIdle()
        amid.cancel()
        #expect(world.provider.count == 2 && world.last.isCancelled)
    }

    // MARK: What a reader is told

    /// Why the reader of a load is cut.
    private func reason(
        _ lines: [(String, String)] = [Self.tag],
        _ digests: BlockDigests? = nil,
        _ answer: () -> Void
    ) throws -> ExchangeFailure? {
        let load = try #require(CatchUpLoad(bench.plan(lines), from: 4, digests))
        defer { withExtendedLifetime(load) {} }
        let added = load.body.addReader(context: world.context, wake: {})
        let reader = try #require(added)
        load.start()
        world.runUntilIdle()
        answer()
        world.runUntilIdle()
        var piece = reader.read(maximum: 100)
        while case .chunks = piece { piece = reader.read(maximum: 100) }
        guard case .failed(let failure) = piece else { return nil }
        return failure
    }

    @Test("a reader that is cut learns why: what the origin answers, where its content ends, or how the network failed")
    func reasons() throws {
        let refused = try reason { world.last.head(404, [Self.tag], length: 0) }
        #expect(refused == ExchangeFailure(.protocolError, "the origin answered 404"))
        let early = try reason {
            world.last.head(206, rest(), length: 6)
            world.last.content("45")
            world.last.end()
        }
        #expect(early == ExchangeFailure(.protocolError, "the content ends early"))
        let broken = try reason {
            world.last.head(206, rest(), length: 6)
            world.last.fail(.connectionTerminated)
        }
        #expect(broken == ExchangeFailure(.connectionTerminated, "scripted"))
        let busy = try reason {
            for pause in [1000, 2000, 4000, 8000, 16_000, 0] {
                world.last.head(503, length: 0)
                advance(pause)
            }
        }
        #expect(busy == ExchangeFailure(.responseIncomplete, "the origin answered 503"))
    }

    @Test("without a strong tag a reader gets what follows a block that is the same; another content cuts it")
    func compared() throws {
        var digests = BlockDigests(size: 5)
        digests.update(ByteChunk("0123456789"))
        let other = try reason([], digests) {
            world.last.head(200, length: 10)
            world.last.content("01x34")
            #expect(world.last.isCancelled)
        }
        #expect(other == ExchangeFailure(.protocolError, "what the origin sends now is another content"))
        // Its end comes before the block could be compared.
        let early = try reason([], digests) {
            world.last.head(200, length: 10)
            world.last.content("0123")
            world.last.end()
        }
        #expect(early == ExchangeFailure(.protocolError, "the content ends early"))
        let load = try #require(CatchUpLoad(bench.plan([]), from: 4, digests))
        client.beginReading(load.body)
        load.start()
        world.runUntilIdle()
        world.last.head(200, length: 10)
        world.last.content("012")
        world.last.content("3456789")
        world.last.end()
        world.runUntilIdle()
        #expect(client.text == "456789" && client.ending == .complete)
        withExtendedLifetime(load) {}
    }
}
