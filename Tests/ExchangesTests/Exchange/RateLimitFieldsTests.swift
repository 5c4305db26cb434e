import Configurations
import HTTPCore
import ResourceDoubles
import ResourceModel
import TestDoubles
import Testing

@testable import Exchanges

/// Origins that say what is left of their quotas (draft-ietf-httpapi-ratelimit-headers).
@Suite("RateLimit") struct RateLimitFieldsTests {
    private static func world(_ scope: RetryAfterScope = .origin) -> World {
        var configuration = Configuration()
        configuration.policies.retryAfter = scope
        return World(configuration: configuration, origins: CircuitBreakers(chance: { 1 }))
    }

    private static func limits(_ limit: String, _ policy: String? = nil) -> RateLimitFields? {
        var fields = Fields()
        fields.append(name: "RateLimit", value: limit)
        if let policy { fields.append(name: "RateLimit-Policy", value: policy) }
        return RateLimitFields(fields)
    }

    @Test(
        "a quota is used up while nothing remains, for the longest time among several",
        arguments: [
            ("\"default\";r=50;t=30", nil, nil), ("\"default\";r=0;t=30", nil, 30),
            ("\"a\";r=0;t=3, \"b\";r=0;t=9", nil, 9),
            ("\"a\";r=1;t=99,\"b\";r=0;t=5", nil, 5), ("\"a\";r=0", "\"a\";q=10;w=60", 60), ("\"a\";r=0", nil, nil),
            ("\"a\";r=0", "\"b\";q=10;w=60", nil), ("\"a\";t=7;pk=:Y29v:;r=0;x", nil, 7), ("\"a\";r=0;t=0", nil, 0),
            ("  \"a\";r=0;t=9 ", nil, 9), ("\"a\";r=0;t=9", "", 9),
            ("\"a\";r=0", " \"b\";w=1\t,\t\"a\";w=60", 60),
        ] as [(String, String?, Int64?)]
    )
    func exhaustion(limit: String, policy: String?, seconds: Int64?) {
        #expect(Self.limits(limit, policy) != nil)
        #expect(Self.limits(limit, policy)?.exhaustion == seconds)
    }

    @Test("lines of one field are one list (RFC 9651 §4.2)")
    func lines() {
        var fields = Fields()
        for value in ["\"a\";r=0;t=3", "\"b\";r=0"] { fields.append(name: "RateLimit", value: value) }
        for value in ["\"c\";w=99", "\"b\";q=10;w=9"] { fields.append(name: "RateLimit-Policy", value: value) }
        let expected = [
            RateLimitFields.Quota(remaining: 0, reset: 3, limit: nil),
            RateLimitFields.Quota(remaining: 0, reset: 9, limit: 10),
        ]
        #expect(RateLimitFields(fields)?.quotas == expected)
    }

    @Test(
        "a quota is scarce if at most a tenth is left, or two requests of an unknown one",
        arguments: [
            ("\"a\";r=11;t=30", "\"a\";q=100;w=60", nil), ("\"a\";r=10;t=30", "\"a\";q=100;w=60", 30),
            ("\"a\";r=10", "\"a\";q=100;w=60", 60), ("\"a\";r=1;t=9", "\"a\";q=5;w=60", 9),
            ("\"a\";r=2;t=9", "\"a\";q=5;w=60", nil), ("\"a\";r=1;t=9", "\"a\";q=1;w=60", nil),
            ("\"a\";r=3;t=9", nil, nil), ("\"a\";r=2;t=9", nil, 9), ("\"a\";r=0;t=9", nil, 9),
        ] as [(String, String?, Int64?)]
    )
    func scarcity(limit: String, policy: String?, seconds: Int64?) {
        #expect(Self.limits(limit, policy)?.scarcity == seconds)
    }

    @Test(
        "malformed fields are ignored entirely",
        arguments: [
            ("", nil), ("default;r=0;t=9", nil), ("\"a\"", nil), ("\"a\";r=-1;t=9", nil), ("\"a\";r=0;t=-9", nil),
            ("\"a\";r=0.5;t=9", nil), ("\"a\";r=\"0\";t=9", nil), ("\"a\";r=0;t=9,", nil), ("\"a\";r=0;t=9 x", nil),
            ("\"a\";r=0;t=9, \"b\"", nil), ("\"a;r=0;t=9", nil), ("limit=10, remaining=0, reset=9", nil),
            ("\"a\";r=0;t=9999999999999999", nil), ("\"a\";r=0;t=9", "\"a\";q=x;w=1"), ("\"a\";r=0;t=9", "a;q=1"),
            ("(\"a\");r=0;t=9", nil), ("\"a\";R=0;t=9", nil),
        ] as [(String, String?)]
    )
    func malformed(limit: String, policy: String?) { #expect(Self.limits(limit, policy) == nil) }

    @Test("a used-up quota in a 200 stops all requests to the origin where a rule says so, until it is whole again")
    func usedUp() {
        let world = Self.world()
        world.get()
        world.last.answer(200, [("RateLimit", "\"default\";r=0;t=10"), ("Cache-Control", "max-age=1")], "abc")
        world.runUntilIdle()
        let held = world.get("/b")
        world.runUntilIdle()
        #expect(held.failure?.status == 429 && held.failure?.retryAfter == .seconds(10) && world.provider.count == 1)
        #expect(held.failure?.userMessage.contains("RateLimit") == true)
        world.timekeeper.advance(by: .seconds(10))
        #expect(world.get("/b").answers == 0 && world.provider.count == 2)
    }

    @Test(
        "a response that says the quota is used up stops all requests to the origin, whatever its status",
        arguments: [201, 204, 301, 399, 400, 404, 500] as [UInt16]
    )
    func statuses(status: UInt16) {
        let world = Self.world()
        world.get()
        world.last.answer(status, [("RateLimit", "\"default\";r=0;t=10"), ("Cache-Control", "no-store")])
        world.runUntilIdle()
        #expect(world.get("/b").failure?.status == 429 && world.provider.count == 1)
    }

    @Test(
        "where both fields stand, all requests wait as long as Retry-After says, and get the origin's status",
        arguments: [429, 503] as [UInt16]
    )
    func both(status: UInt16) {
        let world = Self.world()
        world.get()
        world.last.answer(status, [("RateLimit", "\"default\";r=0;t=10"), ("Retry-After", "5")])
        world.runUntilIdle()
        let held = world.get("/b").failure
        #expect(held?.status == status && held?.retryAfter == .seconds(5))
        #expect(held?.userMessage.contains("answered \(status) and asked for a pause") == true)
        world.timekeeper.advance(by: .seconds(5))
        #expect(world.get("/b").answers == 0 && world.provider.count == 2)
    }

    @Test("without such a rule a 200 stops nothing, and a 429 or 503 without Retry-After stops its resource")
    func resource() {
        let world = Self.world(.resource)
        world.get()
        world.last.answer(200, [("RateLimit", "\"default\";r=0;t=10"), ("Cache-Control", "no-store")], "abc")
        world.runUntilIdle()
        #expect(world.get().answers == 0 && world.provider.count == 2)
        world.last.answer(429, [("RateLimit", "\"default\";r=0;t=10"), ("Cache-Control", "no-store")])
        world.runUntilIdle()
        #expect(world.get().failure?.retryAfter == .seconds(10))
        #expect(world.get("/b").answers == 0)
    }

    @Test("Retry-After precedes RateLimit, and the cap is for both")
    func precedence() {
        var policies = ExchangePolicies()
        policies.retryAfterLimit = .seconds(60)
        var fields = Fields()
        fields.append(name: "RateLimit", value: "\"a\";r=0;t=600")
        #expect(policies.pause(429, fields, at: HTTPDate(seconds: 0)) == .seconds(60))
        fields.append(.retryAfter, "5")
        #expect(policies.pause(503, fields, at: HTTPDate(seconds: 0)) == .seconds(5))
        #expect(policies.pause(500, fields, at: HTTPDate(seconds: 0)) == nil)
    }

    @Test(
        "while a quota is nearly used up nothing is refreshed in the background, and requests that wait are made",
        arguments: [(RetryAfterScope.origin, true), (.resource, true), (.ignore, false)]
    )
    func thrift(scope: RetryAfterScope, spares: Bool) {
        let world = Self.world(scope)
        world.fill("/a", [("Cache-Control", "max-age=60, stale-while-revalidate=600"), ("ETag", "\"1\"")])
        world.timekeeper.advance(by: .seconds(61))
        world.get("/b")
        world.last.answer(200, [("RateLimit", "\"d\";r=9;t=30"), ("RateLimit-Policy", "\"d\";q=100;w=60")], "b")
        world.runUntilIdle()
        let asked = world.provider.count
        #expect(world.get("/a").isHit)
        #expect(world.provider.count == asked + (spares ? 0 : 1))
        guard spares else { return }
        #expect(world.get("/c").answers == 0 && world.provider.count == asked + 1)
        world.timekeeper.advance(by: .seconds(30))
        #expect(world.get("/a").isHit && world.provider.count == asked + 2)
    }

    @Test("a response with more left ends the thrift at once")
    func recovered() {
        let world = Self.world(.resource)
        world.fill("/a", [("Cache-Control", "max-age=60, stale-while-revalidate=600"), ("ETag", "\"1\"")])
        world.timekeeper.advance(by: .seconds(61))
        for remaining in [1, 99] {
            world.get("/b\(remaining)")
            world.last.answer(
                200,
                [("RateLimit", "\"d\";r=\(remaining);t=30"), ("RateLimit-Policy", "\"d\";q=100;w=60")],
                "b"
            )
            world.runUntilIdle()
        }
        let asked = world.provider.count
        #expect(world.get("/a").isHit && world.provider.count == asked + 1)
    }
}
