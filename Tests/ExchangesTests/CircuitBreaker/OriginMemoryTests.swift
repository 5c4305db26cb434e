import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@testable import Exchanges

/// What is remembered of origins, and for how long (C-25.3).
@Suite("What is remembered of origins") struct OriginMemoryTests {
    private static let one = Origin(World.uri("/a"))
    private static let other = Origin(
        TargetURI(scheme: .http, host: Array("other.example".utf8), port: 80, path: [0x2F])
    )
    private static let route = OriginRoute(one, .identity("api"))

    private static func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    private static func breakers(limit: Int = 1024) -> CircuitBreakers {
        var options = CircuitBreakers.Options()
        options.originLimit = limit
        return CircuitBreakers(options, chance: { 1 })
    }

    private static func fail(
        _ breakers: CircuitBreakers,
        _ route: OriginRoute,
        _ kind: ExchangeFailure.Kind = .connectionRefused,
        _ probes: [CircuitBreakers.Probe] = [],
        count: Int = 5,
        at milliseconds: Int64 = 0
    ) {
        for _ in 0..<count {
            breakers.didFail(
                route,
                ExchangeFailure(kind, "no"),
                probes: probes,
                at: at(milliseconds),
                wall: HTTPDate(seconds: 0)
            )
        }
    }

    private static func probes(
        _ breakers: CircuitBreakers,
        _ route: OriginRoute,
        at milliseconds: Int64
    ) -> [CircuitBreakers.Probe]? {
        guard case .probe(let probes) = breakers.admit(route, at: at(milliseconds)) else { return nil }
        return probes
    }

    @Test(
        "a pause says who asked for it, and by what",
        arguments: [
            (200, 429, "says by RateLimit that its quota is used up"), (400, 400, "answered 400 and asked for a pause"),
            (503, 503, "answered 503 and asked for a pause"),
        ] as [(UInt16, UInt16, String)]
    )
    func pause(status: UInt16, told: UInt16, reason: String) {
        let breakers = Self.breakers()
        breakers.pause(Self.one, until: Self.at(20), status: status, at: Self.at(0))
        var expected = ExchangeFailure(
            .destinationUnavailable,
            "http://origin.example \(reason); this request was not sent"
        )
        expected.retryAfter = .milliseconds(8)
        (expected.pausedBy, expected.ownStatus) = (told, told)
        #expect(breakers.pause(of: Self.one, at: Self.at(12)) == expected)
        #expect(breakers.pause(of: Self.other, at: Self.at(12)) == nil)
        #expect(breakers.pause(of: Self.one, at: Self.at(20)) == nil)
    }

    @Test("so many pauses are remembered, at least one; those that are over make room", arguments: [0, 1])
    func pauseLimit(limit: Int) {
        let breakers = Self.breakers(limit: limit)
        func set(_ origin: Origin, until end: Int64, at now: Int64) {
            breakers.pause(origin, until: Self.at(end), status: 503, at: Self.at(now))
        }
        set(Self.one, until: 10, at: 0)
        set(Self.other, until: 90, at: 1)
        #expect(breakers.pause(of: Self.other, at: Self.at(1)) == nil)
        set(Self.one, until: 20, at: 2)
        #expect(breakers.pause(of: Self.one, at: Self.at(15)) != nil)
        set(Self.other, until: 90, at: 20)
        #expect(breakers.pause(of: Self.other, at: Self.at(20)) != nil)
    }

    @Test("of two pauses both are remembered")
    func pauses() {
        let breakers = Self.breakers(limit: 2)
        for origin in [Self.one, Self.other] {
            breakers.pause(origin, until: Self.at(10), status: 503, at: Self.at(0))
        }
        #expect(breakers.pause(of: Self.one, at: Self.at(9)) != nil)
        #expect(breakers.pause(of: Self.other, at: Self.at(9)) != nil)
    }

    @Test(
        "so many scarce quotas are remembered, at least one; those that are whole again make room",
        arguments: [0, 1]
    )
    func scarcityLimit(limit: Int) {
        let breakers = Self.breakers(limit: limit)
        func note(_ origin: Origin, until end: Int64?, at now: Int64) {
            breakers.noteScarcity(of: origin, until: end.map(Self.at), at: Self.at(now))
        }
        note(Self.one, until: 10, at: 0)
        note(Self.other, until: 90, at: 1)
        #expect(!breakers.isQuotaScarce(of: Self.other, at: Self.at(1)))
        note(Self.one, until: 20, at: 2)
        #expect(breakers.isQuotaScarce(of: Self.one, at: Self.at(19)))
        #expect(!breakers.isQuotaScarce(of: Self.one, at: Self.at(20)))
        note(Self.other, until: 90, at: 20)
        #expect(breakers.isQuotaScarce(of: Self.other, at: Self.at(20)))
        note(Self.other, until: nil, at: 21)
        #expect(!breakers.isQuotaScarce(of: Self.other, at: Self.at(21)))
    }

    @Test("a route is refused by the outage that forbids it, else told of the origin's own")
    func outageOfRoute() {
        let breakers = Self.breakers()
        Self.fail(breakers, Self.route, .tlsCertificateError, at: 5000)
        Self.fail(breakers, Self.route, .connectionRefused, at: 4000)
        let seen = [5500, 6000].map { breakers.outage(on: Self.route, at: Self.at($0)) }
        #expect(seen.map { $0?.kind } == [.tlsCertificateError, .connectionRefused])
        guard case .refused(let outage) = breakers.admit(Self.route, at: Self.at(5500)) else {
            Issue.record("it was not refused")
            return
        }
        #expect(outage.kind == .tlsCertificateError && breakers.refusals == 1)
        #expect(Self.probes(breakers, Self.route, at: 6000)?.count == 2 && breakers.refusals == 1)
        #expect(breakers.outage(on: OriginRoute(Self.other, .standard), at: Self.at(6000)) == nil)
    }

    @Test("who fails at the network gives back the attempt at what only its identity is refused")
    func otherProbe() {
        let breakers = Self.breakers()
        Self.fail(breakers, Self.route, .tlsAlertReceived)
        let probes = Self.probes(breakers, Self.route, at: 1000)
        #expect(breakers.outage(on: Self.route, at: Self.at(1000))?.isProbing == true)
        Self.fail(breakers, Self.route, .connectionRefused, probes ?? [], count: 1, at: 1100)
        #expect(breakers.outage(on: Self.route, at: Self.at(1100))?.isProbing == false)
    }

    @Test("an attempt that took too long ends without making room for more than one other")
    func lateProbe() throws {
        let breakers = Self.breakers()
        Self.fail(breakers, Self.route)
        let first = try #require(Self.probes(breakers, Self.route, at: 1000))
        let second = try #require(Self.probes(breakers, Self.route, at: 61_000))
        breakers.abandon(first)
        #expect(breakers.outage(on: Self.route, at: Self.at(61_001))?.isProbing == true)
        breakers.abandon(second)
        #expect(breakers.outage(on: Self.route, at: Self.at(61_001))?.isProbing == false)
    }

    @Test("that an origin has come back is known for ten minutes")
    func recovered() {
        let breakers = Self.breakers()
        Self.fail(breakers, Self.route)
        #expect(!breakers.hasRecovered(Self.route, .connectionRefused, since: Self.at(0)) && !breakers.isEmpty)
        breakers.didRespond(Self.route, at: Self.at(2000))
        #expect(breakers.hasRecovered(Self.route, .connectionRefused, since: Self.at(2000)))
        #expect(!breakers.hasRecovered(Self.route, .connectionRefused, since: Self.at(2001)))
        #expect(!breakers.hasRecovered(Self.route, .tlsAlertReceived, since: Self.at(0)))
        breakers.didRespond(Self.route, at: Self.at(602_000))
        #expect(!breakers.isEmpty)
        breakers.didRespond(Self.route, at: Self.at(602_001))
        #expect(breakers.isEmpty && !breakers.hasRecovered(Self.route, .connectionRefused, since: Self.at(0)))
    }

    @Test("at least one origin is remembered, and none once breakers are switched off")
    func limits() {
        let breakers = Self.breakers(limit: 0)
        Self.fail(breakers, OriginRoute(Self.one, .standard), at: 1)
        Self.fail(breakers, OriginRoute(Self.other, .standard), at: 2)
        #expect(breakers.outages(at: Self.at(2)).map(\.origin) == ["http://other.example"])
        var options = breakers.options
        #expect(options.originLimit == 0)
        options.failures = 6
        breakers.options = options
        #expect(!breakers.isEmpty)
        options.isEnabled = false
        breakers.options = options
        #expect(breakers.isEmpty && breakers.outages(at: Self.at(2)).isEmpty)
    }

    @Test("1024 origins are remembered, unless another number is set")
    func usualLimit() {
        var options = CircuitBreakers.Options()
        options.failures = 1
        let breakers = CircuitBreakers(options, chance: { 1 })
        for number in 0..<1025 {
            let host = Array("host\(number).example".utf8)
            let origin = Origin(TargetURI(scheme: .http, host: host, port: 80, path: [0x2F]))
            Self.fail(breakers, OriginRoute(origin, .standard), count: 1, at: Int64(number))
        }
        #expect(breakers.outages(at: Self.at(1025)).count == 1024)
    }

    @Test("failures of one origin cost another one no random number")
    func chances() {
        let drawn = LockedBox(0)
        let chance: @Sendable () -> Double = {
            drawn.change { $0 += 1 }
            return 1
        }
        let breakers = CircuitBreakers(chance: chance)
        Self.fail(breakers, Self.route)
        #expect(drawn.value == 5)
        _ = breakers.admit(OriginRoute(Self.other, .standard), at: Self.at(1))
        #expect(drawn.value == 5)
        _ = breakers.admit(Self.route, at: Self.at(1))
        #expect(drawn.value == 6)
    }

    @Test("a failure of TLS takes the origin's outage back, which the log is told once")
    func reachable() {
        let changes = LockedBox<[String]>([])
        let breakers = CircuitBreakers(chance: { 1 }) { change in
            changes.change { changes in
                switch change {
                case .down(let outage): changes.append("down \(outage.kind)")
                case .up(let origin): changes.append("up \(origin)")
                }
            }
        }
        Self.fail(breakers, Self.route)
        Self.fail(breakers, Self.route, .tlsCertificateError)
        #expect(
            changes.value == ["down connectionRefused", "up http://origin.example", "down tlsCertificateError"]
        )
    }
}
