import Exchanges
import HTTPCaching
import HTTPCore
import Outcomes
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore

/// Which loads a provider may answer in place of the origin.
@Suite("Tickets of loads") struct TicketTests {
    private let world = World(store: MemoryVariantStore())
    private let tagged = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")]

    /// A GET whose provider wants tickets or not.
    @discardableResult
    private func get(_ lines: [(String, String)] = [], wantsTickets: Bool = true) -> Client {
        let usual = world.request("/a", lines)
        let request = ClientRequest(
            uri: usual.uri,
            fields: usual.fields,
            profile: usual.profile,
            partitions: usual.partitions,
            arrival: usual.arrival,
            provider: TicketProvider(world.provider, wantsTickets)
        )
        let client = Client(context: world.context)
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

    private var hasTicket: Bool { world.last.request.ticket != nil }

    @Test("a load of the whole has a ticket with what is known of it, if its provider wants one")
    func whole() throws {
        get([("Accept", "a/b")])
        let facts = try #require(world.last.request.ticket?.load as? LoadFacts)
        #expect(facts.request.uri == World.uri("/a") && facts.request.fields.text(of: .accept) == "a/b")
        #expect(facts.effective === world.resource().configuration && facts.environment === world.table.environment)
        world.last.answer(200, tagged, "abc")
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(61))
        get()
        #expect(world.last.value(of: .ifNoneMatch) == "\"v1\"" && hasTicket && world.provider.count == 2)
        world.resource().purge()
        get(wantsTickets: false)
        #expect(world.provider.count == 3 && !hasTicket)
    }

    @Test("loads of a range, of missing bytes and of the rest of a part have none")
    func parts() {
        get([("Range", "bytes=0-3")])
        #expect(!hasTicket)
        world.last.answer(206, tagged + [("Content-Range", "bytes 0-3/10")], "0123")
        world.runUntilIdle()
        get([("Range", "bytes=2-6")])
        #expect(world.last.value(of: .range) == "bytes=4-6" && !hasTicket)
        world.last.fail()
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(2))
        get()
        #expect(world.last.value(of: .range) == "bytes=4-" && !hasTicket && world.provider.count == 3)
    }

    @Test("a load that nobody may join, since the last response could not be shared, has none (C-23.4)")
    func hitForMiss() {
        for _ in 0..<2 { get() }
        #expect(hasTicket && world.provider.count == 1)
        world.last.answer(200, [("Cache-Control", "no-store")], "abc")
        world.runUntilIdle()
        #expect(world.provider.count == 2 && !hasTicket)
    }

    @Test("a response that nodes share is a hit for whoever waited for it")
    func sharedAnswer() {
        let clients = (0..<2).map { _ in get() }
        world.last.request.ticket?.noteSharedAnswer()
        world.last.answer(200, tagged, "abc")
        world.runUntilIdle()
        let shared = CacheOutcome(isHit: true, detail: "shared")
        #expect(clients.allSatisfy { $0.outcome == shared && $0.text == "abc" })
    }
}

/// Says whether it wants tickets, and passes requests on.
private final class TicketProvider: ExchangeProvider {
    let wantsTickets: Bool
    private let inner: ScriptedProvider

    init(_ inner: ScriptedProvider, _ wantsTickets: Bool) { (self.inner, self.wantsTickets) = (inner, wantsTickets) }

    var context: any DeliveryContext { inner.context }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        inner.start(request, receiver: receiver)
    }
}
