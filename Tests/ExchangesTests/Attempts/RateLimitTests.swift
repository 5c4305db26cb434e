import TestDoubles
import ResourceDoubles
import Exchanges
import HTTPCore
import Testing

@Suite("Rate limits") struct RateLimitTests {
    private static func limiter(burst: Int = 2, maximumWait: Duration = .seconds(1)) -> RateLimiter {
        RateLimiter(
            RateLimiter.Rate(requests: 10, interval: .seconds(1), burst: burst, maximumWait: maximumWait),
            name: "rule 1"
        )
    }

    @Test("so many go at once, the others one after another, in order")
    func stream() {
        let world = PolicyWorld()
        let limiter = Self.limiter()
        _ = (0..<5).map { world.start("/\($0)", rateLimit: limiter) }
        #expect(world.count == 2)
        for count in 3...5 {
            world.advance(by: .milliseconds(99))
            #expect(world.count == count - 1)
            world.advance(by: .milliseconds(1))
            #expect(world.count == count)
        }
        #expect(world.origin.exchanges.map { $0.request.uri } == (0..<5).map { World.uri("/\($0)") })
        #expect(world.statistics.waits == 3)
        // After a pause there is a burst again, and no larger one.
        world.advance(by: .seconds(100))
        _ = (0..<4).map { world.start("/\($0)", rateLimit: limiter) }
        #expect(world.count == 7)
    }

    @Test("a rate has at least one request, a millisecond, a burst of one and no wait below zero")
    func bounds() {
        let least = RateLimiter.Rate(requests: 0, interval: .zero, burst: 0, maximumWait: .seconds(-1))
        #expect(least == RateLimiter.Rate(requests: 1, interval: .milliseconds(1), burst: 1, maximumWait: .zero))
        #expect(least.requests == 1 && least.burst == 1)
        #expect(least.interval == .milliseconds(1) && least.maximumWait == .zero)
    }

    @Test("who would have to wait too long gets 503 at once, and is told when to come again")
    func refusal() {
        let world = PolicyWorld()
        let limiter = Self.limiter()
        let receivers = (0..<20).map { world.start("/\($0)", rateLimit: limiter) }
        // Two at once, ten within the second.
        #expect(receivers.map(\.log) == Array(repeating: [], count: 12) + Array(repeating: ["failed"], count: 8))
        let failure = receivers[12].failure
        #expect(failure?.status == 503 && failure?.retryAfter == .milliseconds(100))
        #expect(
            failure?.userMessage
                == "the rate limit of rule 1 is reached, and too many wait already; see `rate-limit`"
        )
        world.advance(by: .seconds(1))
        #expect(world.count == 12 && world.statistics.refusals == 8)
    }

    @Test("who leaves while he waits gives his place back")
    func leaving() {
        let world = PolicyWorld()
        let limiter = Self.limiter(burst: 1)
        let receivers = (0..<11).map { world.start("/\($0)", rateLimit: limiter) }
        #expect(world.start("/no", rateLimit: limiter).log == ["failed"])
        receivers[10].cancel()
        let next = world.start("/yes", rateLimit: limiter)
        #expect(next.log.isEmpty)
        world.advance(by: .seconds(2))
        #expect(world.count == 11)
    }

    @Test("who leaves while his request is at the origin, or after it, gives nothing back", arguments: [true, false])
    func leavingLate(isAnswered: Bool) {
        let world = PolicyWorld()
        let limiter = Self.limiter(burst: 1)
        _ = world.start("/first", rateLimit: limiter)
        let receiver = world.start("/second", rateLimit: limiter)
        world.advance(by: .milliseconds(100))
        #expect(world.count == 2)
        if isAnswered { world.last.answer(200) }
        receiver.cancel()
        #expect(limiter.wait(at: world.timekeeper.now) == .milliseconds(100))
    }

    @Test("each attempt counts, also those made again")
    func retries() {
        let world = PolicyWorld()
        let limiter = Self.limiter(burst: 1, maximumWait: .seconds(60))
        var policy = RetryPolicy()
        policy.delay = .milliseconds(1)
        _ = world.start(retry: policy, rateLimit: limiter)
        _ = world.start("/b", rateLimit: limiter)
        world.last.fail(.connectionRefused)
        #expect(world.count == 1)
        world.advance(by: .milliseconds(100))
        #expect(world.last.request.uri == World.uri("/b"))
        world.advance(by: .milliseconds(100))
        #expect(world.count == 3 && world.last.request.uri == World.uri("/a"))
    }
}
