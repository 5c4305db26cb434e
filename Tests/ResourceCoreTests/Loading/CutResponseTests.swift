import Exchanges
import HTTPCore
import ResourceCore
import ResourceDoubles
import TestDoubles
import Testing

/// A response that the origin cuts, and the attempts to get its rest (C-22.1).
@Suite("A response that was cut") struct CutResponseTests {
    private static let fresh = World.freshPart

    /// A client of a response of which some bytes have come, and then a cut.
    private func cut(after text: String, length: Int64 = 10) -> (World, Client) {
        let world = World()
        let client = world.get()
        world.last.head(200, Self.fresh, length: length)
        world.last.content(text)
        world.last.fail(.responseIncomplete)
        world.runUntilIdle()
        return (world, client)
    }

    private func advance(_ world: World, _ milliseconds: Int) {
        world.timekeeper.advance(by: .milliseconds(milliseconds))
        world.runUntilIdle()
    }

    @Test(
        "the rest is asked for at once, then after a quarter of a second, one and two seconds; then the client is cut"
    )
    func pauses() {
        let (world, client) = cut(after: "0123")
        #expect(world.provider.count == 2)
        for (count, pause) in [(3, 250), (4, 1000), (5, 2000)] {
            world.last.fail(.connectionRefused)
            advance(world, pause - 1)
            #expect(world.provider.count == count - 1 && client.ending == nil)
            advance(world, 1)
            #expect(world.provider.count == count)
        }
        #expect(world.provider.exchanges.dropFirst().allSatisfy { $0.value(of: .range) == "bytes=4-" })
        world.last.fail(.connectionRefused)
        world.runUntilIdle()
        #expect(client.ending == .failed && client.text == "0123")
        advance(world, 10_000)
        #expect(world.provider.count == 5)
    }

    @Test("each further byte gives as many attempts again")
    func progress() {
        let (world, client) = cut(after: "0")
        for place in 1..<8 {
            #expect(world.provider.count == place + 1 && world.last.value(of: .range) == "bytes=\(place)-")
            world.last.head(206, Self.fresh + [("Content-Range", "bytes \(place)-9/10")], length: Int64(10 - place))
            world.last.content("\(place)")
            world.last.fail(.responseIncomplete)
            world.runUntilIdle()
        }
        world.last.answer(206, Self.fresh + [("Content-Range", "bytes 8-9/10")], "89")
        world.runUntilIdle()
        #expect(client.text == World.digits && client.ending == .complete)
    }

    @Test("an origin that asks for a pause gets it, two seconds at most; one that refuses is not asked again")
    func answers() {
        let (world, client) = cut(after: "0123")
        let first = world.last
        first.head(503, [("Retry-After", "1")], length: 0)
        advance(world, 999)
        #expect(first.isCancelled && world.provider.count == 2)
        advance(world, 1)
        #expect(world.provider.count == 3)
        world.last.head(429, [("Retry-After", "60")], length: 0)
        advance(world, 1999)
        #expect(world.provider.count == 3)
        advance(world, 1)
        #expect(world.provider.count == 4)
        world.last.head(404, length: 0)
        world.runUntilIdle()
        #expect(world.last.isCancelled && client.ending == .failed)
        advance(world, 10_000)
        #expect(world.provider.count == 4)
    }

    @Test("an origin that sends all of it again is granted what has come, and the client gets each byte once")
    func whole() {
        let (world, client) = cut(after: "0123")
        let own = world.last
        own.head(200, Self.fresh, length: 10)
        let credit = own.credit
        own.content("01")
        #expect(own.credit == credit)
        own.content("2345")
        #expect(own.credit >= credit - 2)
        own.content("6789")
        own.end()
        world.runUntilIdle()
        #expect(client.text == World.digits && client.ending == .complete)
    }

    @Test("a client that leaves ends the attempt under way, and the one that waits for its time")
    func leaving() {
        let (world, client) = cut(after: "0123", length: 8 << 20)
        client.leave()
        world.runUntilIdle()
        #expect(world.last.isCancelled)
        let (waiting, other) = cut(after: "0123", length: 8 << 20)
        waiting.last.fail(.connectionRefused)
        other.leave()
        advance(waiting, 10_000)
        #expect(waiting.provider.count == 2)
    }

    @Test("what a client reads while the rest comes is granted to the exchange that brings it (H-128)")
    func credit() {
        let world = World()
        let client = world.get(isReading: false)
        let length = 2 << 20
        world.last.head(200, Self.fresh, length: Int64(length))
        world.runUntilIdle()
        let first = world.last
        first.content([UInt8](repeating: 1, count: 1000))
        first.fail(.responseIncomplete)
        world.runUntilIdle()
        let own = world.last
        #expect(own !== first && own.credit == first.request.initialCredit - 1000)
        own.head(
            206,
            Self.fresh + [("Content-Range", "bytes 1000-\(length - 1)/\(length)")],
            length: Int64(length - 1000)
        )
        let before = own.credit
        own.content([UInt8](repeating: 2, count: before))
        #expect(own.credit == 0)
        if let body = client.following?.body { client.beginReading(body) }
        world.runUntilIdle()
        #expect(own.credit > 0 && client.byteCount == 1000 + before)
    }

    @Test("while its client reads nothing, the rest of a response is asked for without leave to send any (H-128)")
    func noCredit() {
        let world = World()
        let client = world.get(isReading: false)
        let length = 2 << 20
        world.last.head(200, Self.fresh, length: Int64(length))
        world.runUntilIdle()
        let first = world.last
        first.content([UInt8](repeating: 1, count: first.request.initialCredit))
        first.fail(.responseIncomplete)
        world.runUntilIdle()
        #expect(world.last !== first && world.last.request.initialCredit == 0)
        if let body = client.following?.body { client.beginReading(body) }
        world.runUntilIdle()
        #expect(world.last.credit > 0)
    }

    @Test("what a client reads just as the rest is asked for is granted to the exchange that brings it (H-128)")
    func creditAmidStart() {
        let world = World()
        let client = Client(context: world.context, isReading: false)
        let provider = InterruptedProvider(world.provider)
        let usual = world.request()
        let request = ClientRequest(
            uri: usual.uri,
            fields: usual.fields,
            profile: usual.profile,
            arrival: usual.arrival,
            provider: provider
        )
        if case .waiting(let waiter) = world.resource().serve(request, to: client) { client.note(waiter) }
        world.runUntilIdle()
        let first = world.last
        first.head(200, Self.fresh, length: 2 << 20)
        world.runUntilIdle()
        first.content([UInt8](repeating: 1, count: first.request.initialCredit))
        guard let body = client.following?.body else {
            Issue.record("there is nothing to read")
            return
        }
        provider.interruption.change { $0 = { client.beginReading(body) } }
        first.fail(.responseIncomplete)
        world.runUntilIdle()
        #expect(world.last !== first && world.last.request.initialCredit == 0)
        #expect(client.byteCount == first.request.initialCredit && world.last.credit > 0)
    }

    @Test("without a known length, or without a strong tag, nothing more is asked for")
    func notResumed() {
        for (lines, length) in [(Self.fresh, nil), ([("ETag", "W/\"1\"")], 10), ([], 10)]
            as [([(String, String)], Int64?)]
        {
            let world = World()
            let client = world.get()
            world.last.head(200, lines, length: length)
            world.last.content("0123")
            world.last.fail(.responseIncomplete)
            advance(world, 10_000)
            #expect(client.ending == .failed && world.provider.count == 1)
        }
    }

    @Test("of whole responses only a 200 is gone on with", arguments: [203, 404, 500] as [UInt16])
    func otherStatus(status: UInt16) {
        let world = World()
        let client = world.get()
        world.last.head(status, Self.fresh, length: 10)
        world.last.content("0123")
        world.last.fail(.responseIncomplete)
        advance(world, 10_000)
        #expect(client.ending == .failed && world.provider.count == 1)
    }

    @Test("a part is gone on with to its own end, announced with a length or not", arguments: [4, nil] as [Int64?])
    func part(length: Int64?) {
        let world = World()
        let client = world.part("2-5")
        world.last.head(206, Self.fresh + [("Content-Range", "bytes 2-5/10")], length: length)
        world.last.content("23")
        world.last.fail(.responseIncomplete)
        world.runUntilIdle()
        #expect(world.last.value(of: .range) == "bytes=4-5" && world.last.value(of: .ifRange) == "\"v1\"")
        world.last.answer(206, Self.fresh + [("Content-Range", "bytes 4-5/10")], "45")
        world.runUntilIdle()
        #expect(client.text == "2345" && client.ending == .complete)
        #expect(world.part("2-5").isHit && world.provider.count == 2)
    }

    @Test("a failure that is not of the network is not repaired")
    func otherFailure() {
        let world = World()
        let client = world.get()
        world.last.head(200, Self.fresh, length: 10)
        world.last.content("0123")
        world.last.fail(.internalError)
        advance(world, 10_000)
        #expect(client.ending == .failed && world.provider.count == 1)
    }
}

/// Does something else, once, while an exchange starts.
private final class InterruptedProvider: ExchangeProvider {
    let interruption = LockedBox<(@Sendable () -> Void)?>(nil)
    private let inner: ScriptedProvider

    init(_ inner: ScriptedProvider) { self.inner = inner }

    var context: any DeliveryContext { inner.context }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        let exchange = inner.start(request, receiver: receiver)
        interruption.change { $0.take() }?()
        return exchange
    }
}
