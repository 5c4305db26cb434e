import HTTPCore
import Testing

@testable import Exchanges

@Suite("Pauses before attempts") struct PauseTests {
    private static func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    @Test(
        "the pause doubles with each attempt up to the limit; chance has one half of it",
        arguments: [
            (0, 1, 100), (1, 1, 100), (2, 1, 200), (3, 1, 400), (4, 1, 500), (9, 1, 500), (1, 0, 50), (1, 0.5, 75),
            (1, -3, 50), (1, 3, 100), (3, 0, 200), (10, 1, nil),
        ] as [(Int, Double, Int64?)]
    )
    func retry(made: Int, chance: Double, milliseconds: Int64?) {
        var policy = RetryPolicy()
        (policy.attempts, policy.delay, policy.maximumDelay) = (10, .milliseconds(100), .milliseconds(500))
        let pause = policy.pause(after: made, elapsed: .zero, retryAfter: nil, chance: chance)
        #expect(pause == milliseconds.map { .milliseconds($0) })
    }

    @Test("an attempt is made if its pause ends within the time for all; the origin's wish counts if it is longer")
    func total() {
        let policy = RetryPolicy()
        func pause(_ elapsed: Duration, _ retryAfter: Duration? = nil) -> Duration? {
            policy.pause(after: 1, elapsed: elapsed, retryAfter: retryAfter, chance: 1)
        }
        #expect(pause(.milliseconds(9800)) == .milliseconds(200) && pause(.milliseconds(9801)) == nil)
        #expect(pause(.seconds(7), .seconds(3)) == .seconds(3) && pause(.seconds(7), .milliseconds(3001)) == nil)
        #expect(pause(.zero, .milliseconds(10)) == .milliseconds(200))
    }

    @Test("the delay is never longer than the longest one, and the number of attempts never too large to count with")
    func bounds() {
        var policy = RetryPolicy()
        (policy.attempts, policy.delay, policy.maximumDelay) = (100, .seconds(9), .seconds(2))
        #expect(policy.pause(after: 1, elapsed: .zero, retryAfter: nil, chance: 1) == .seconds(2))
        (policy.delay, policy.maximumDelay) = (.nanoseconds(1), .seconds(9))
        #expect(policy.pause(after: 99, elapsed: .zero, retryAfter: nil, chance: 1) == .nanoseconds(1 << 31))
    }

    @Test("unless a rule says otherwise, 502 to 504 count as failures")
    func statuses() {
        var policy = RetryPolicy()
        let all = 100...599 as ClosedRange<UInt16>
        #expect(all.filter { policy.isFailure($0) } == [502, 503, 504])
        policy.statuses = [429...429, 598...600]
        #expect(all.filter { policy.isFailure($0) } == [429, 598, 599])
    }

    @Test("a rule that waits for no origin ignores Retry-After, and a pause of no length is none")
    func policies() {
        var policies = ExchangePolicies()
        var fields = Fields()
        fields.append(.retryAfter, "0")
        #expect(policies.pause(503, fields, at: HTTPDate(seconds: 0)) == nil)
        fields = Fields()
        fields.append(.retryAfter, "1000")
        for status in [428, 429, 430, 502, 503, 504] as [UInt16] {
            let expected: Duration? = status == 429 || status == 503 ? .seconds(300) : nil
            #expect(policies.pause(status, fields, at: HTTPDate(seconds: 0)) == expected)
        }
        policies.retryAfter = .ignore
        #expect(policies.pause(503, fields, at: HTTPDate(seconds: 0)) == nil)
    }

    @Test("a quota's time counts up to 68 years, and where a rule says so alone")
    func quotas() throws {
        var fields = Fields()
        fields.append(name: "RateLimit", value: "\"a\";r=0;t=999999999999")
        let limits = try #require(RateLimitFields(fields))
        var policies = ExchangePolicies()
        policies.retryAfterLimit = .seconds(1 << 40)
        #expect(policies.quotaPause(limits) == nil && policies.thrift(limits) == .seconds(1 << 31))
        policies.retryAfter = .origin
        #expect(policies.quotaPause(limits) == .seconds(1 << 31))
        policies.retryAfter = .ignore
        #expect(policies.quotaPause(limits) == nil && policies.thrift(limits) == nil)
    }

    @Test(
        "a field has 32 members at most, and no member has a number below zero",
        arguments: [(32, "", true), (33, "", false), (1, ";q=-1", false), (1, ";w=-1", false), (1, ";w=0", true)]
    )
    func members(count: Int, parameter: String, isSound: Bool) {
        var fields = Fields()
        fields.append(name: "RateLimit", value: "\"a\";r=1")
        let members = (0..<count).map { "\"\($0)\"" + parameter }
        fields.append(name: "RateLimit-Policy", value: members.joined(separator: ", "))
        #expect((RateLimitFields(fields) != nil) == isSound)
        var own = Fields()
        own.append(name: "RateLimit", value: (0..<count).map { "\"\($0)\";r=1" }.joined(separator: ","))
        #expect(RateLimitFields(own)?.quotas.count == (count == 33 ? nil : count))
    }

    @Test("how long the next request would wait is told without making it")
    func wait() {
        let limiter = RateLimiter(
            RateLimiter.Rate(requests: 10, interval: .seconds(1), burst: 2, maximumWait: .milliseconds(150)),
            name: "rule"
        )
        #expect(limiter.wait(at: Self.at(1000)) == .zero)
        #expect(limiter.admit(at: Self.at(1000)) == .after(.zero) && limiter.wait(at: Self.at(1000)) == .zero)
        #expect(limiter.admit(at: Self.at(1000)) == .after(.zero))
        #expect(limiter.wait(at: Self.at(1000)) == .milliseconds(100))
        #expect(limiter.admit(at: Self.at(1000)) == .after(.milliseconds(100)))
        #expect(limiter.wait(at: Self.at(1000)) == .milliseconds(200))
        #expect(limiter.admit(at: Self.at(1000)) == .refused(retryAfter: .milliseconds(50)))
        #expect(limiter.wait(at: Self.at(1050)) == .milliseconds(150) && limiter.wait(at: Self.at(9000)) == .zero)
        limiter.withdraw()
        #expect(limiter.wait(at: Self.at(1050)) == .milliseconds(50))
    }
}
