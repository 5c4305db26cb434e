import HTTPCore
import ResourceDoubles
import Testing

@testable import Exchanges

/// The state of one circuit breaker, event by event (C-25.3).
@Suite("One circuit breaker") struct BreakerStateTests {
    private static let origin = Origin(World.uri("/a"))

    private static func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    private static func fail(
        _ breaker: inout CircuitBreaker,
        probe: UInt64? = nil,
        at milliseconds: Int64 = 0,
        wall: Int64 = 0,
        _ options: CircuitBreakers.Options = .init(),
        chance: Double = 1
    ) -> Bool {
        breaker.fail(
            ExchangeFailure(.connectionRefused, "no"),
            probe: probe,
            at: at(milliseconds),
            wall: HTTPDate(seconds: wall),
            options,
            chance
        )
    }

    /// A breaker that went down at 0.
    private static func down(_ options: CircuitBreakers.Options = .init(), chance: Double = 1) -> CircuitBreaker {
        var breaker = CircuitBreaker(now: at(0))
        for _ in 0..<5 { _ = fail(&breaker, options, chance: chance) }
        return breaker
    }

    private static func outage(_ breaker: CircuitBreaker, at milliseconds: Int64) -> OriginOutage? {
        breaker.outage(of: origin, at: at(milliseconds), CircuitBreakers.Options())
    }

    @Test("the fifth failure in a row takes the origin down; the outage counts from the first")
    func goingDown() {
        var breaker = CircuitBreaker(now: Self.at(0))
        let went = (Int64(0)..<5).map { Self.fail(&breaker, at: $0 * 10, wall: 100 + $0) }
        #expect(went == [false, false, false, false, true] && breaker.isDown)
        let expected = OriginOutage(
            origin: "http://origin.example",
            kind: .connectionRefused,
            reason: "no",
            since: HTTPDate(seconds: 100),
            failures: 5,
            nextAttempt: .milliseconds(640),
            isProbing: false
        )
        #expect(Self.outage(breaker, at: 400) == expected)
        #expect(Self.outage(breaker, at: 5000)?.nextAttempt == .zero)
        #expect(breaker.changedAt == Self.at(40))
    }

    @Test(
        "the first pause is no longer than the longest one, and a fifth of it is left to chance",
        arguments: [(-1, 0.8), (0, 0.8), (0.5, 0.9), (1, 1), (2, 1)] as [(Double, Double)]
    )
    func firstPause(chance: Double, share: Double) {
        var options = CircuitBreakers.Options()
        (options.spacing, options.maximumSpacing) = (.seconds(10), .seconds(4))
        let breaker = Self.down(options, chance: chance)
        let pause = Self.outage(breaker, at: 0)?.nextAttempt.wholeNanoseconds
        #expect(pause == (Duration.seconds(4) * share).wholeNanoseconds)
    }

    @Test("one attempt is made after the pause; another one only if that has taken a minute")
    func probing() {
        var breaker = Self.down()
        let options = CircuitBreakers.Options()
        let asked: [(number: UInt64, time: Int64, expected: CircuitBreaker.Admission)] = [
            (1, 999, .refused), (2, 1000, .probe), (3, 1000, .refused), (4, 3000, .refused), (5, 60_999, .refused),
            (6, 61_000, .probe), (7, 61_000, .refused),
        ]
        for (number, time, expected) in asked {
            #expect(breaker.admit(number, at: Self.at(time), options, 1) == expected, "\(number)")
        }
        #expect(Self.outage(breaker, at: 62_000)?.isProbing == true)
        breaker.abandon(probe: 2)
        #expect(Self.outage(breaker, at: 62_000)?.isProbing == true)
        breaker.abandon(probe: 6)
        #expect(Self.outage(breaker, at: 62_000)?.isProbing == false)
    }

    @Test("only the failure of the attempt itself doubles the pause; each one counts")
    func doubling() {
        var breaker = Self.down()
        let options = CircuitBreakers.Options()
        #expect(breaker.admit(7, at: Self.at(1000), options, 1) == .probe)
        let early = [Self.fail(&breaker, at: 1100), Self.fail(&breaker, probe: 6, at: 1100)]
        #expect(early == [false, false])
        #expect(Self.outage(breaker, at: 1100)?.isProbing == true && breaker.failures == 7)
        let went = Self.fail(&breaker, probe: 7, at: 1200)
        let outage = Self.outage(breaker, at: 1200)
        #expect(!went && outage?.isProbing == false && outage?.nextAttempt == .seconds(2) && outage?.failures == 8)
    }

    @Test("a success ends the outage, and the failures before it count no more")
    func recovering() {
        var breaker = Self.down()
        let cameBack = breaker.succeed(at: Self.at(2000))
        #expect(cameBack && !breaker.isDown && breaker.failures == 0 && Self.outage(breaker, at: 2000) == nil)
        #expect(breaker.recoveredAt == Self.at(2000) && breaker.changedAt == Self.at(2000))
        let cameAgain = breaker.succeed(at: Self.at(3000))
        #expect(!cameAgain && breaker.recoveredAt == Self.at(2000) && breaker.changedAt == Self.at(2000))
        #expect(breaker.admit(1, at: Self.at(3000), CircuitBreakers.Options(), 1) == .free)
    }
}
