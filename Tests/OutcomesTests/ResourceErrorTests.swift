import Configurations
import HTTPCore
import Outcomes
import Testing

@testable import Exchanges

/// Why there is no response, and how Cache-Status tells it.
@Suite("Errors of a resource") struct ResourceErrorTests {
    private let time = MonotonicTime(nanoseconds: 1)

    private func error(_ kind: ExchangeFailure.Kind?, status: UInt16 = 502) -> ResourceError {
        ResourceError(status: status, kind: kind, userMessage: "no answer", time: time)
    }

    @Test("a hit says nothing else; a refusal says its reason alone")
    func made() {
        #expect(CacheOutcome.hit == CacheOutcome(isHit: true))
        for refusal in [CacheRefusal.onlyIfCached, .offline, .replay, .tooManyWaiters] {
            #expect(CacheOutcome(refusal) == CacheOutcome(isHit: false, detail: refusal.rawValue))
        }
    }

    @Test("each kind of error has one way to be told, and what comes first in the list counts")
    func outcomes() throws {
        #expect(CacheOutcome(error(.dnsError)) == CacheOutcome(isHit: false, forward: .miss, detail: "dns_error"))
        #expect(CacheOutcome(error(nil)) == CacheOutcome(isHit: false, forward: .miss))
        #expect(CacheOutcome(error(.dnsError).remembered) == CacheOutcome(isHit: false, detail: "remembered-failure"))
        let denied = CacheOutcome(error(.requestDenied))
        #expect(!denied.isHit && denied.forward == nil && denied == CacheOutcome(error(.requestDenied).remembered))
        #expect(denied == CacheOutcome(isHit: false, detail: denied.detail) && denied.detail != "remembered-failure")
        var another = error(nil, status: 503)
        another.isOfAnother = true
        another.receivedStatus = 500
        #expect(
            CacheOutcome(another)
                == CacheOutcome(
                    isHit: false,
                    forward: .miss,
                    forwardStatus: 500,
                    isCollapsed: true,
                    detail: "unshared-failure"
                )
        )
        #expect(CacheOutcome(another.remembered).detail == "remembered-failure")
    }

    @Test("an error has all that the failed exchange says")
    func ofExchange() {
        var failure = ExchangeFailure(.connectionTimeout, "too slow")
        failure.retryAfter = .seconds(3)
        failure.receivedStatus = 407
        let error = ResourceError(failure, time: time)
        #expect(error.status == 504 && error.kind == .connectionTimeout && error.userMessage == "too slow")
        #expect(error.retryAfter == .seconds(3) && error.receivedStatus == 407 && error.time == time)
        #expect(!error.isRemembered && !error.isOfAnother && error.outage == nil && error.transformation == nil)
        failure.pausedBy = 429
        #expect(ResourceError(failure, time: time).isRemembered == failure.wasNotSent)
    }

    @Test("a mode that asks no origin is 504 and names itself; an error response has its status (C-25.2)")
    func made504() {
        for mode in [ServiceMode.offline, .replay] {
            let error = ResourceError(notAskedIn: mode, time: time)
            #expect(error.status == 504 && error.kind == .destinationUnavailable && error.time == time)
            #expect(error.userMessage == "the origin is not asked in mode \(mode.rawValue)")
        }
        let response = ResourceError(status: 418, time: time)
        #expect(response.status == 418 && response.kind == nil && response.userMessage == "the origin answered 418")
    }

    @Test("an origin is silent if nothing that it sent could be a response, and the status is 502 (C-7.3)")
    func silent() {
        let heard: Set<ExchangeFailure.Kind> = [.protocolError, .responseHeadSize, .upgradeFailed]
        for kind in ExchangeFailure.Kind.allCases {
            #expect(error(kind).isOfSilentOrigin == !heard.contains(kind), "\(kind)")
            #expect(!error(kind, status: 504).isOfSilentOrigin && !error(kind, status: 503).isOfSilentOrigin)
        }
        #expect(!error(nil).isOfSilentOrigin)
    }

    @Test("remembering changes nothing else")
    func remembered() {
        var expected = error(.dnsError)
        let remembered = expected.remembered
        #expect(remembered != expected && remembered.isRemembered && !expected.isRemembered)
        expected.isRemembered = true
        #expect(remembered == expected && remembered.remembered == expected)
    }

    @Test("a failed transformation counts more than an outage, and that more than what was denied or remembered")
    func order() {
        let outage = OriginOutage(
            origin: "http://origin.example",
            kind: .connectionTimeout,
            reason: "too slow",
            since: HTTPDate(seconds: 1_700_000_000),
            failures: 3,
            nextAttempt: .seconds(2),
            isProbing: false
        )
        var failure = ResourceError(outage.failure(), time: time)
        #expect(failure.outage == outage && failure.retryAfter == .seconds(2) && failure.status == 504)
        failure.kind = .requestDenied
        failure.isRemembered = true
        failure.isOfAnother = true
        #expect(CacheOutcome(failure) == CacheOutcome(isHit: false, detail: "origin-down"))
        failure.transformation = .init(stage: "response", transformer: "gzip", failure: .init(.limit, "too large"))
        #expect(CacheOutcome(failure) == CacheOutcome(isHit: false, detail: "transform-failed"))
        (failure.transformation, failure.outage) = (nil, nil)
        #expect(CacheOutcome(failure) == CacheOutcome(isHit: false, detail: "denied"))
    }

    @Test("where nothing stale may be used the status is 504, and the sentence says why and what lifts that")
    func unvalidated() {
        var expected = error(.dnsError)
        let told = expected.unvalidated(.mustRevalidate)
        #expect(
            told.userMessage == "no answer; what is stored is stale, and its must-revalidate forbids to use it "
                + "unvalidated: `cache-even` in a rule lifts that, and stale content is then served while the origin is "
                + "down"
        )
        (expected.status, expected.userMessage) = (504, told.userMessage)
        #expect(told == expected)
    }
}
