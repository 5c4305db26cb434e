import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import Outcomes
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore

/// What is remembered of loads that failed or could not be shared, by the values alone.
@Suite("Remembered outcomes") struct RememberedFailureTests {
    private let bench: Workbench
    private static let credential = [("Authorization", "Basic a")]

    init() {
        var configuration = Configuration()
        configuration.retryTime = .seconds(10)
        bench = Workbench(configuration)
    }

    private func error(_ message: String = "failed") -> ResourceError {
        ResourceError(status: 503, kind: nil, userMessage: message, time: bench.context.now)
    }

    private func message(_ outcomes: RememberedOutcomes, _ lines: [(String, String)] = []) -> String? {
        outcomes.failure(of: bench.request(lines), bench.context)?.error.userMessage
    }

    @Test("a failure is for requests with the same partitions and the same values of the names in Vary (S-071)")
    func alike() {
        var outcomes = RememberedOutcomes()
        #expect(outcomes.isEmpty && message(outcomes) == nil)
        let german = [("Accept-Language", "de")]
        outcomes.remember(error("german"), of: bench.cause(german, vary: "Accept-Language"), pause: nil, bench.context)
        outcomes.remember(error("own"), of: bench.cause(Self.credential), pause: nil, bench.context)
        #expect(!outcomes.isEmpty && outcomes.failures.count == 2)
        #expect(message(outcomes, german) == "german" && message(outcomes, Self.credential) == "own")
        #expect(message(outcomes) == nil && message(outcomes, [("Authorization", "Basic b")]) == nil)
        #expect(message(outcomes, german + Self.credential) == "own", "that load did not know of the language")
    }

    @Test("another failure of the same requests takes the place of the former one; a success ends it")
    func again() {
        var outcomes = RememberedOutcomes()
        let cause = bench.cause()
        outcomes.remember(error("first"), of: cause, pause: .seconds(100), bench.context)
        outcomes.remember(error("own"), of: bench.cause(Self.credential), pause: nil, bench.context)
        outcomes.remember(error("second"), of: cause, pause: nil, bench.context)
        #expect(outcomes.failures.map(\.error.userMessage) == ["own", "second"])
        outcomes.forget(cause, bench.context)
        #expect(outcomes.failures.map(\.error.userMessage) == ["own"])
        outcomes.forgetFailures()
        #expect(outcomes.isEmpty)
    }

    @Test("a failure counts for the retry time, its end included; where the origin asked for a pause, until its end")
    func time() {
        var outcomes = RememberedOutcomes()
        outcomes.remember(error("short"), of: bench.cause(), pause: nil, bench.context)
        outcomes.remember(error("long"), of: bench.cause(Self.credential), pause: .seconds(20), bench.context)
        #expect(outcomes.expire(bench.context) == .seconds(10))
        bench.world.timekeeper.advance(by: .seconds(10))
        #expect(message(outcomes) == "short" && message(outcomes, Self.credential) == "long")
        #expect(outcomes.expire(bench.context) == .zero && outcomes.failures.count == 2)
        bench.world.timekeeper.advance(by: .nanoseconds(1))
        #expect(message(outcomes) == nil)
        #expect(outcomes.expire(bench.context) == .nanoseconds(9_999_999_999) && outcomes.failures.count == 1)
        bench.world.timekeeper.advance(by: .nanoseconds(9_999_999_998))
        #expect(message(outcomes, Self.credential) == "long")
        bench.world.timekeeper.advance(by: .nanoseconds(1))
        #expect(message(outcomes, Self.credential) == nil)
        #expect(outcomes.expire(bench.context) == nil && outcomes.isEmpty)
    }

    @Test("requests wait for nobody's head for a while after a response that some waited for and nobody may share")
    func hitForMiss() {
        var outcomes = RememberedOutcomes()
        let now = bench.context.now
        func note(_ sharing: Sharing, hasMoved: Bool) -> Duration? {
            outcomes.note(sharing, hasMoved: hasMoved, for: .seconds(5), at: now)
        }
        #expect(!outcomes.isHitForMiss(at: now))
        #expect(note(.leaderOnly(.noStore), hasMoved: false) == nil && outcomes.hitForMissUntil == nil)
        #expect(note(.leaderOnly(.noStore), hasMoved: true) == .seconds(5) && !outcomes.isEmpty)
        #expect(outcomes.isHitForMiss(at: now + .nanoseconds(4_999_999_999)))
        #expect(!outcomes.isHitForMiss(at: now + .seconds(5)))
        #expect(note(.leaderOnly(.noStore), hasMoved: false) == nil && outcomes.isHitForMiss(at: now))
        #expect(note(.everyone, hasMoved: true) == nil && !outcomes.isHitForMiss(at: now) && outcomes.isEmpty)
    }

    @Test("what expires first decides when to look again")
    func expiring() {
        var outcomes = RememberedOutcomes()
        outcomes.remember(error(), of: bench.cause(), pause: nil, bench.context)
        outcomes.beginHitForMiss(until: bench.context.now + .seconds(3))
        #expect(outcomes.expire(bench.context) == .seconds(3))
        bench.world.timekeeper.advance(by: .seconds(2))
        #expect(outcomes.expire(bench.context) == .seconds(1) && outcomes.hitForMissUntil != nil)
        bench.world.timekeeper.advance(by: .seconds(1))
        #expect(outcomes.expire(bench.context) == .seconds(7) && outcomes.hitForMissUntil == nil)
    }
}
