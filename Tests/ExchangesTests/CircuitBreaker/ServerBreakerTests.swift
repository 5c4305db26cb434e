import HTTPCore
import Testing

@testable import Exchanges

@Suite("The breaker of one server") struct ServerBreakerTests {
    private let breaker = ServerBreaker(chance: { 1 })

    private static func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    private func fail(_ count: Int) throws {
        for _ in 0..<count {
            let admission = try #require(breaker.admit(at: Self.at(0)))
            #expect(admission.probe == nil && !breaker.isDown)
            breaker.didFail("no", admission, at: Self.at(0), wall: HTTPDate(seconds: 0))
        }
    }

    @Test("five failures in a row make it down; one attempt after another is made at growing distances")
    func down() throws {
        try fail(5)
        #expect(breaker.isDown && breaker.admit(at: Self.at(999)) == nil)
        let probe = try #require(breaker.admit(at: Self.at(1000)))
        #expect(probe.probe != nil && breaker.admit(at: Self.at(1000)) == nil)
        breaker.didFail("no", probe, at: Self.at(1000), wall: HTTPDate(seconds: 1))
        #expect(breaker.admit(at: Self.at(2999)) == nil)
        let next = try #require(breaker.admit(at: Self.at(3000)))
        #expect(next.probe != nil && next.probe != probe.probe)
        breaker.didRespond(at: Self.at(3000))
        #expect(!breaker.isDown && breaker.admit(at: Self.at(3000))?.probe == nil)
        #expect(breaker.admit(at: Self.at(3000)) != nil)
    }

    @Test("an answer between them ends a row of failures")
    func answered() throws {
        try fail(4)
        breaker.didRespond(at: Self.at(0))
        try fail(4)
        #expect(!breaker.isDown)
        try fail(1)
        #expect(breaker.isDown)
    }
}
