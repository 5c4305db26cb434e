import Configurations
import HTTPCore
import ResourceDoubles
import ResourceModel
import TestDoubles
import Testing

@testable import Exchanges

/// Origins that ask to be left alone.
@Suite("Retry-After") struct RetryAfterTests {
    private static func world(_ change: (inout ExchangePolicies) -> Void = { _ in }) -> World {
        var configuration = Configuration()
        change(&configuration.policies)
        return World(configuration: configuration, origins: CircuitBreakers(chance: { 1 }))
    }

    @Test(
        "Retry-After of a 429 or 503 is honoured by the resource, and told on (C-25.3)",
        arguments: [429, 503] as [UInt16]
    )
    func honoured(status: UInt16) {
        let world = Self.world()
        world.get()
        world.last.answer(status, [("Retry-After", "10"), ("Cache-Control", "no-store")], "later")
        world.runUntilIdle()
        world.timekeeper.advance(by: .milliseconds(2500))
        let held = world.get().failure
        #expect(held?.status == status && held?.isRemembered == true && held?.retryAfter == .milliseconds(7500))
        // Of other resources, and for other credentials, a delay is never made up.
        #expect(world.get("/b").answers == 0)
        #expect(world.get("/a", [("Authorization", "one")]).answers == 0)
        world.timekeeper.advance(by: .milliseconds(7499))
        #expect(world.get().failure?.status == status)
        world.timekeeper.advance(by: .milliseconds(1))
        #expect(world.get().answers == 0)
    }

    @Test(
        "seconds or a date, 68 years at most; nothing else is a time (RFC 9110 §10.2.3)",
        arguments: [
            ("0", 0), ("7", 7), ("2147483648", 2_147_483_648), ("2147483649", 2_147_483_648),
            ("99999999999999999999", 2_147_483_648), ("Thu, 01 Jan 1970 00:16:50 GMT", 10),
            ("Thu, 01 Jan 1970 00:16:30 GMT", 0), ("", nil), ("-1", nil), ("1.5", nil), ("7s", nil), ("/", nil),
            (":", nil),
        ] as [(String, Int64?)]
    )
    func value(text: String, seconds: Int64?) {
        var fields = Fields()
        fields.append(.retryAfter, text)
        #expect(RetryAfter.pause(fields, at: HTTPDate(seconds: 1000)) == seconds.map { .seconds($0) })
        #expect(RetryAfter.pause(Fields(), at: HTTPDate(seconds: 1000)) == nil)
    }

    @Test("it may be a date, and counts up to a cap (C-25.3)", arguments: [30, 1_000_000])
    func cap(seconds: Int64) {
        let world = Self.world { $0.retryAfterLimit = .seconds(60) }
        world.get()
        let date = HTTPDate(seconds: world.timekeeper.wallNow.seconds + seconds)
        world.last.answer(503, [("Retry-After", String(decoding: date.bytes, as: UTF8.self))])
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(min(60, seconds)) - .milliseconds(1))
        #expect(world.get().failure?.status == 503)
        world.timekeeper.advance(by: .milliseconds(1))
        #expect(world.get().answers == 0)
    }

    @Test(
        "nothing waits for other statuses, for what is no time, or where that is not wanted (C-25.3)",
        arguments: [
            (404, "10", .resource, 300), (500, "10", .resource, 300), (429, "soon", .resource, 300),
            (429, "0", .resource, 300), (429, "10", .ignore, 300), (429, "10", .resource, 0),
        ] as [(UInt16, String, RetryAfterScope, Int64)]
    )
    func ignored(status: UInt16, value: String, scope: RetryAfterScope, limit: Int64) {
        let world = Self.world {
            $0.retryAfter = scope
            $0.retryAfterLimit = .seconds(limit)
        }
        world.get()
        world.last.answer(status, [("Retry-After", value)])
        world.runUntilIdle()
        world.timekeeper.advance(by: .milliseconds(1001))
        #expect(world.get().answers == 0)
    }

    @Test(
        "what is stale stands in only where stale-if-error covers the status (C-25.3, C-7.4)",
        arguments: [true, false]
    )
    func stale(isCovered: Bool) {
        let world = Self.world()
        world.fill("/a", [("Cache-Control", isCovered ? "max-age=60, stale-if-error=600" : "max-age=60")])
        world.timekeeper.advance(by: .seconds(61))
        world.get()
        world.last.answer(503, [("Retry-After", "10")])
        world.runUntilIdle()
        let client = world.get()
        #expect(isCovered ? client.text == "abc" && client.isHit : client.failure?.status == 503)
        #expect(world.provider.count == 2)
    }

    @Test("where a rule says so all of the origin's URLs it is for wait, passed requests too, and no others (C-25.3)")
    func origin() {
        let world = Self.world()
        world.service.configure(whenURLMatches: { $0.path.starts(with: Array("/api/".utf8)) }) {
            $0.policies.retryAfter = .origin
        }
        world.get("/api/a")
        world.last.answer(429, [("Retry-After", "10")], "slow down")
        world.runUntilIdle()
        let held = world.get("/api/b")
        world.runUntilIdle()
        #expect(held.failure?.status == 429 && held.failure?.retryAfter == .seconds(10))
        #expect(held.failure?.isRemembered == true && world.provider.count == 1)
        #expect(world.get("/elsewhere").answers == 0 && world.provider.count == 2)
        world.timekeeper.advance(by: .seconds(10))
        #expect(world.get("/api/b").answers == 0 && world.provider.count == 3)
    }

    @Test("a passed request that meets a pause is counted as one that was not sent, where a rule says so alone")
    func counted() {
        let breakers = CircuitBreakers(chance: { 1 })
        let world = PolicyWorld(origins: breakers)
        let now = world.timekeeper.now
        breakers.pause(Origin(World.uri("/b")), until: now + .seconds(9), status: 503, at: now)
        for (scope, isHeld) in [(.ignore, false), (.resource, false), (.origin, true)] as [(RetryAfterScope, Bool)] {
            var request = OriginRequest(method: .post, uri: World.uri("/a"), fields: Fields(), framing: .length(1))
            request.policies.retryAfter = scope
            let asked = world.count
            let receiver = PolicyReceiver()
            _ = world.context.perform { world.provider.start(request, receiver: receiver) }
            world.context.run()
            #expect(receiver.failure?.pausedBy == (isHeld ? 503 : nil) && receiver.log == (isHeld ? ["failed"] : []))
            #expect(world.count == asked + (isHeld ? 0 : 1) && breakers.refusals == (isHeld ? 1 : 0))
        }
    }
}
