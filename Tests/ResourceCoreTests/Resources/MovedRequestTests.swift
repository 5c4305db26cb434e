import Configurations
import HTTPCaching
import HTTPCore
import Locking
import Outcomes
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore

/// Requests that waited for a response which they cannot have.
@Suite("Requests that move from load to load") struct MovedRequestTests {
    private let fresh = ("Cache-Control", "max-age=60")
    private static let usual = [
        ("Accept", "a/b", "c/d"), ("Accept-Encoding", "gzip", "br"), ("Accept-Language", "de", "en"),
    ]

    @Test("a request that has moved three times, and has to move again, gets a load of its own (C-23.1)")
    func limit() {
        let world = World()
        // Given requests of which each differs from the others in one field that no response has named yet
        let clients = (0..<6).map { number in
            world.get("/a", (0..<6).map { ("X-\($0)", $0 == number ? "1" : "0") })
        }
        #expect(world.provider.count == 1)
        for (number, count) in [2, 3, 4, 6].enumerated() {
            // When the response to each leader names the field in which that differs
            world.last.answer(200, [fresh, ("Vary", "X-\(number)")], "\(number)")
            world.runUntilIdle()
            // Then the others wait for one of them together, three times
            #expect(clients[number].text == "\(number)" && world.provider.count == count)
        }
        #expect(clients.suffix(2).allSatisfy { $0.answers == 0 })
    }

    @Test(
        "before its Vary is known, requests with other languages, codings or types do not wait for each other (C-23.1)"
    )
    func usualNames() {
        for (name, one, other) in Self.usual {
            let world = World()
            world.get("/a", [(name, one)])
            world.get("/a", [(name, one)])
            #expect(world.provider.count == 1)
            world.get("/a", [(name, other)])
            #expect(world.provider.count == 2)
        }
        let world = World()
        world.get("/a", [("User-Agent", "x")])
        world.get("/a", [("User-Agent", "y")])
        #expect(world.provider.count == 1)
    }

    @Test("a rule's names count before any Vary is known, and those that it ignores do not (C-25.1)")
    func namesOfRules() {
        var configuration = Configuration()
        configuration.caching.rules = [
            CachingRule(
                name: "r",
                varyAdd: [Array("User-Agent".utf8)],
                varyIgnore: [Array("Accept-Language".utf8)]
            )
        ]
        let loads = (Self.usual + [("User-Agent", "x", "y")]).map { name, one, other in
            let world = World(configuration: configuration)
            for value in [one, other] { world.get("/a", [(name, value)]) }
            return world.provider.count
        }
        #expect(loads == [2, 2, 1, 2])
    }

    // MARK: Validations

    private let tagged = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]

    @Test("who waited for a validation is told of it by Cache-Status, the leader alone as the one that asked (C-23.6)")
    func validated() {
        let world = World()
        world.fill("/a", tagged)
        world.timekeeper.advance(by: .seconds(61))
        let clients = (0..<2).map { _ in world.get() }
        world.last.answer(304, tagged)
        world.runUntilIdle()
        var expected = CacheOutcome(isHit: false, forward: .stale, forwardStatus: 304, isStored: true)
        expected.detail = clients[0].outcome?.detail
        #expect(clients[0].outcome == expected)
        expected.isCollapsed = true
        #expect(clients[1].outcome == expected)
    }

    @Test("a validation that a purge has overtaken is told as not stored, and keeps nothing (S-203)")
    func detached() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", tagged)
        world.timekeeper.advance(by: .seconds(61))
        let client = world.get()
        world.resource().purge()
        world.last.answer(304, tagged)
        world.runUntilIdle()
        #expect(client.text == "abc" && client.outcome?.isStored == false && client.outcome?.forwardStatus == 304)
        #expect(world.resource().snapshot.variants.isEmpty && world.parts.isEmpty)
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
    }

    @Test("after a validation requests wait for each other's heads again (C-23.4)")
    func endsHitForMiss() {
        let world = World()
        world.fill("/a", tagged)
        world.timekeeper.advance(by: .seconds(61))
        // Given a response that nobody may share, while others waited
        for _ in 0..<2 { world.get("/a", [("Cookie", "id=1")]) }
        world.provider.exchanges[1].answer(200, [("Cache-Control", "no-store")], "own")
        world.runUntilIdle()
        #expect(world.resource().state.withLock { $0.outcomes.hitForMissUntil } != nil)
        // When a 304 comes
        world.last.answer(304, tagged)
        world.runUntilIdle()
        // Then
        #expect(world.resource().state.withLock { $0.outcomes.hitForMissUntil } == nil)
    }

    // MARK: HEAD

    @Test("what the answer to a HEAD says of a stored response is kept in the store, too (C-21.7)")
    func head() {
        let store = MemoryVariantStore()
        let world = World(store: store)
        world.fill("/a", tagged)
        func receive(_ lines: [(String, String)]) {
            let head = ResponseHead(status: 200, fields: Workbench.fields(lines))
            world.resource().didReceiveHead(head, for: world.request("/a", method: .head))
            world.runUntilIdle()
        }
        receive([("Cache-Control", "max-age=90"), ("ETag", "\"1\"")])
        #expect(store.log.count { $0 == "freshen" } == 1)
        let record = store.records(of: World.uri("/a")).first
        #expect(record?.fields.text(of: .cacheControl) == "max-age=90" && record?.isInvalidated == false)
        receive([("ETag", "\"2\"")])
        #expect(store.log.count { $0 == "freshen" } == 2)
        #expect(store.records(of: World.uri("/a")).first?.isInvalidated == true)
        #expect(world.resource().snapshot.isInvalidated)
    }
}
