import Eventing
import Exchanges
import HTTPCore
import ResourceCore
import Stores
import TestDoubles
import TestSupport
import Testing

@testable import SharedStorage

/// What a client gets from the shared server, or from the origin behind it.
@Suite struct SharedExchangeTests {
    /// Receives one response, as words.
    private final class Receiver: ExchangeReceiver {
        let acceptsWholeResponses: Bool
        let words = LockedBox<[String]>([])

        init(acceptsWhole: Bool = false) { acceptsWholeResponses = acceptsWhole }

        func exchangeDidReceiveInterim(_ head: ResponseHead) {}
        func exchangeDidReceive(_ head: ResponseHead) { words.change { $0.append("\(head.status)") } }
        func exchangeDidReceive(_ chunk: ByteChunk) {
            words.change { $0.append(String(decoding: chunk.bytes, as: UTF8.self)) }
        }
        func exchangeDidReceive(_ whole: WholeResponse) {
            words.change { $0.append("whole " + String(decoding: whole.content.bytes, as: UTF8.self)) }
        }
        func exchangeDidEnd(trailers: Fields?) { words.change { $0.append("end") } }
        func exchangeDidFail(_ failure: ExchangeFailure) { words.change { $0.append("failed") } }
        func exchangeWantsContent(_ bytes: Int) {}
    }

    /// Passes requests on to the scripted origin, and first does what a test says: once.
    private final class Door: ExchangeProvider {
        let meanwhile = LockedBox<(@Sendable () -> Void)?>(nil)
        private let origin: ScriptedProvider

        init(_ origin: ScriptedProvider) { self.origin = origin }

        var context: any DeliveryContext { origin.context }

        func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
            let work = meanwhile.value
            meanwhile.change { $0 = nil }
            work?()
            return origin.start(request, receiver: receiver)
        }
    }

    /// A request on its way.
    private final class World {
        let context = ManualContext()
        let origin: ScriptedProvider
        let door: Door
        let receiver: Receiver
        let tier = SharedTier(SharedTierOptions(), timekeeper: ManualTimekeeper()) { _ in false }
        let client: LoopBound<TierClient>
        let ticket: RequestTicket
        let exchange: SharedExchange
        let claim = Claim(token: "t", number: "n", lease: Lease(key: [1], value: [2]))

        init(_ loop: EventLoop, credit: Int = 100, acceptsWhole: Bool = false) throws {
            origin = ScriptedProvider(context: context)
            door = Door(origin)
            receiver = Receiver(acceptsWhole: acceptsWhole)
            client = LoopBound(TierClient(loop, HandServer(), tier), loop: loop)
            let load = try #require(try SharedLoad.test())
            ticket = RequestTicket(0)
            let request = OriginRequest(method: .get, uri: load.uri, fields: Fields(), initialCredit: credit)
            exchange = SharedExchange(request, receiver, ticket, load, door, client)
        }

        func find(_ content: String) throws {
            let record = SharedRecord(
                try RecordTests.response(),
                claim,
                SharedRecord.StoringTimes(ageSeconds: 0, lifetime: .seconds(1)),
                size: content.utf8.count,
                content: .inline([], isCompressed: false)
            )
            exchange.didLookUp(.found(SharedAnswer(record, age: 1, content: Array(content.utf8))))
        }

        var isHeld: Bool { claim.lease.map { client.value.keeper(of: $0) != nil } ?? false }
    }

    /// Notes the lines on which something is not as it should be.
    private struct Expectation: Sendable {
        let failures = LockedBox<[Int]>([])

        func callAsFunction(_ condition: Bool, line: Int = #line) {
            if !condition { failures.change { $0.append(line) } }
        }
    }

    /// Does something on a loop.
    private static func onLoop(_ work: @escaping @Sendable (EventLoop, Expectation) throws -> Void) throws {
        let group = try LoopGroup(count: 1)
        defer {
            group.stop()
            group.join()
        }
        let expectation = Expectation()
        let ends = WaitQueue<Result<Void, any Error>>()
        group.handles[0].submit { loop in ends.push(Result { try work(loop, expectation) }) }
        guard let end = ends.pop() else { throw HarnessError("no end") }
        try end.get()
        #expect(expectation.failures.value.isEmpty)
    }

    @Test("an answer comes in one piece where that is taken, and all of it may be sent")
    func whole() throws {
        try Self.onLoop { loop, expect in
            let world = try World(loop, credit: 5, acceptsWhole: true)
            try world.find("hello")
            expect(
                world.receiver.words.value == ["whole hello"] && world.exchange.isOver && world.ticket.hasSharedAnswer
            )
            for (credit, acceptsWhole) in [(4, true), (4, false)] {
                let world = try World(loop, credit: credit, acceptsWhole: acceptsWhole)
                try world.find("hello")
                expect(world.receiver.words.value == ["200", "hell"] && !world.exchange.isOver)
            }
            let parts = try World(loop, credit: 5)
            try parts.find("hello")
            expect(parts.receiver.words.value == ["200", "hello", "end"] && parts.exchange.isOver)
        }
    }

    @Test("content is sent as far as it was granted, and once each byte")
    func credit() throws {
        try Self.onLoop { loop, expect in
            let world = try World(loop, credit: 0)
            try world.find("hello")
            expect(world.receiver.words.value == ["200"])
            for bytes in [2, 1, 9] {
                world.exchange.grant(bytes)
                world.context.run()
            }
            expect(world.receiver.words.value == ["200", "he", "l", "lo", "end"])
            let empty = try World(loop, credit: 0)
            try empty.find("")
            expect(empty.receiver.words.value == ["200", "end"])
        }
    }

    @Test("what was granted before the look-up ended counts at the origin, too")
    func granted() throws {
        try Self.onLoop { loop, expect in
            let world = try World(loop, credit: 10)
            world.exchange.grant(7)
            world.exchange.didLookUp(.load(nil))
            let asked = try #require(world.origin.exchanges.first)
            expect(asked.credit == 17 && world.exchange.isOver && !world.ticket.hasSharedAnswer)
            world.exchange.grant(3)
            expect(asked.credit == 20)
            world.exchange.send(ByteChunk("x"))
            world.exchange.finish(trailers: nil)
            expect(asked.sent.value == Array("x".utf8) && asked.ends.value == 1)
            asked.answer(200, [], "abc")
            expect(world.receiver.words.value == ["200", "abc", "end"])
            let other = try World(loop, credit: 10)
            other.exchange.didLookUp(.load(nil))
            expect(other.origin.exchanges.first?.credit == 10)
        }
    }

    @Test("a client that left before the end of the look-up asks no origin, and gets nothing")
    func left() throws {
        try Self.onLoop { loop, expect in
            let world = try World(loop)
            world.exchange.cancel()
            expect(world.exchange.isOver)
            try world.find("hello")
            world.exchange.didLookUp(.load(nil))
            expect(world.receiver.words.value.isEmpty && world.origin.count == 0)
            let later = try World(loop)
            later.exchange.didLookUp(.load(nil))
            later.exchange.cancel()
            expect(later.origin.exchanges.first?.isCancelled == true)
        }
    }

    enum Moment: CaseIterable, Sendable { case beforeOrigin, atOrigin, afterOrigin }

    @Test(
        "a client that leaves ends the lease of its load and its exchange with the origin, whenever it leaves",
        arguments: Moment.allCases
    )
    func leftLease(moment: Moment) throws {
        let group = try LoopGroup(count: 1)
        defer {
            group.stop()
            group.join()
        }
        let states = WaitQueue<Result<[String], any Error>>()
        group.handles[0].submit { loop in
            states.push(
                Result {
                    let world = try World(loop)
                    let exchange = world.exchange
                    switch moment {
                    case .beforeOrigin: exchange.cancel()
                    case .atOrigin: world.door.meanwhile.change { $0 = { exchange.cancel() } }
                    case .afterOrigin: break
                    }
                    // When the look-up finds nothing, so the client's node is to load
                    exchange.didLookUp(.load(world.claim))
                    let wasHeld = world.isHeld
                    if moment == .afterOrigin { exchange.cancel() }
                    // Then the lease is held until the loop comes to end it
                    LoopBound(world, loop: loop).submit { world in
                        states.push(.success(["held: \(world.isHeld)"] + world.receiver.words.value))
                    }
                    let cancelled = world.origin.exchanges.map { "cancelled: \($0.isCancelled)" }
                    return ["held: \(wasHeld)"] + cancelled
                }
            )
        }
        let asked = moment == .beforeOrigin ? [] : ["cancelled: true"]
        #expect(try states.pop()?.get() == ["held: true"] + asked)
        #expect(try states.pop()?.get() == ["held: false"])
    }

    @Test("a lease is kept while its load is in progress, and ends with it however it ends")
    func leases() throws {
        try Self.onLoop { loop, expect in
            let failed = try World(loop)
            failed.exchange.didLookUp(.load(failed.claim))
            expect(failed.isHeld)
            failed.origin.exchanges.first?.fail()
            expect(!failed.isHeld && failed.receiver.words.value == ["failed"])
            let whole = try World(loop, acceptsWhole: true)
            whole.exchange.didLookUp(.load(whole.claim))
            whole.origin.exchanges.first?.answer(200, [("Cache-Control", "max-age=60")], "abc")
            expect(!whole.isHeld && whole.receiver.words.value == ["whole abc"])
            let parts = try World(loop)
            parts.exchange.didLookUp(.load(parts.claim))
            let asked = try #require(parts.origin.exchanges.first)
            asked.interim(103)
            asked.head(200, [("Cache-Control", "max-age=60")])
            asked.content("abc")
            expect(parts.isHeld)
            asked.end()
            expect(!parts.isHeld && parts.receiver.words.value == ["200", "abc", "end"])
            let own = try World(loop)
            own.exchange.didLookUp(.load(own.claim))
            own.origin.exchanges.first?.head(200, [("Cache-Control", "no-store")])
            expect(!own.isHeld && own.receiver.words.value == ["200"])
        }
    }
}
