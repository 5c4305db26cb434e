import HTTPCore
import ResourceDoubles
import Testing

@testable import Exchanges

@Suite("Failures of exchanges") struct ExchangeFailureTests {
    @Test(
        "each kind has its status, unless the failure brings one of its own",
        arguments: ExchangeFailure.Kind.allCases
    )
    func status(kind: ExchangeFailure.Kind) {
        let statuses: [ExchangeFailure.Kind: UInt16] = [
            .dnsTimeout: 504, .connectionTimeout: 504, .connectionReadTimeout: 504, .connectionWriteTimeout: 504,
            .responseTimeout: 504, .destinationProhibited: 403, .requestDenied: 403, .loopDetected: 508,
            .connectionLimitReached: 503, .notSupported: 501,
        ]
        var failure = ExchangeFailure(kind, "")
        #expect(failure.status == statuses[kind] ?? 502)
        failure.ownStatus = 429
        #expect(failure.status == 429)
    }

    @Test(
        "failures of the network are told from decisions; an origin that asked for a pause can be reached",
        arguments: ExchangeFailure.Kind.allCases
    )
    func network(kind: ExchangeFailure.Kind) {
        let others: Set<ExchangeFailure.Kind> = [
            .destinationProhibited, .requestDenied, .loopDetected, .notSupported, .cancelled, .internalError,
        ]
        var failure = ExchangeFailure(kind, "")
        #expect(failure.isNetworkLevel != others.contains(kind))
        failure.pausedBy = 503
        #expect(!failure.isNetworkLevel)
    }

    @Test(
        "what is tried again is what may pass, and nothing that was not sent",
        arguments: ExchangeFailure.Kind.allCases
    )
    func retried(kind: ExchangeFailure.Kind) {
        let passing: Set<ExchangeFailure.Kind> = [
            .dnsTimeout, .destinationUnavailable, .connectionRefused, .connectionTerminated, .connectionTimeout,
            .connectionReadTimeout, .connectionWriteTimeout, .responseIncomplete, .responseTimeout,
        ]
        var failure = ExchangeFailure(kind, "")
        #expect(RetryPolicy().isFailure(failure) == passing.contains(kind) && !failure.wasNotSent)
        failure.pausedBy = 429
        #expect(!RetryPolicy().isFailure(failure) && failure.wasNotSent && !failure.concernsOrigin)
    }

    // MARK: Outages

    private static func outage(_ nextAttempt: Duration, isProbing: Bool = false) -> OriginOutage {
        OriginOutage(
            origin: "http://origin.example",
            kind: .connectionTimeout,
            reason: "no answer",
            since: HTTPDate(seconds: 0),
            failures: 7,
            nextAttempt: nextAttempt,
            isProbing: isProbing
        )
    }

    @Test(
        "an outage says when the next attempt is made, in whole seconds that have passed by then, one at least",
        arguments: [(0, 0, true, 1), (1, 1, false, 1), (1000, 1, false, 1), (1001, 2, false, 2), (2000, 2, false, 2)]
            as [(Int64, Int64, Bool, Int64)]
    )
    func seconds(milliseconds: Int64, seconds: Int64, mayAttempt: Bool, told: Int64) {
        let outage = Self.outage(.milliseconds(milliseconds))
        #expect(outage.wholeSeconds == seconds && outage.mayAttempt == mayAttempt)
        let start =
            "http://origin.example is down: 7 attempts in a row failed since Thu, 01 Jan 1970 00:00:00 GMT, "
            + "the last with: no answer; this request was not sent; "
        #expect(outage.userMessage == start + "the next attempt is made in \(told) s at the earliest")
        let probing = Self.outage(.milliseconds(milliseconds), isProbing: true)
        #expect(!probing.mayAttempt && probing.userMessage == start + "an attempt is in progress")
    }

    @Test("a request that is held back fails with the outage, and may come again after a second at the earliest")
    func failure() {
        for (wait, retryAfter) in [(500, 1000), (1000, 1000), (2500, 2500)] {
            let outage = Self.outage(.milliseconds(wait))
            var expected = ExchangeFailure(.destinationUnavailable, outage.userMessage)
            expected.outage = outage
            expected.ownStatus = 504
            expected.retryAfter = .milliseconds(retryAfter)
            #expect(outage.failure() == expected)
            expected.ownStatus = 503
            #expect(outage.failure(status: 503) == expected)
        }
    }

    @Test("what would do something gets 503 while its origin is down, what only asks the status of the outage")
    func statusByRequest() {
        func status(_ method: Method, _ framing: Framing = .none, _ content: ByteChunk? = nil) -> UInt16 {
            let request = OriginRequest(
                method: method,
                uri: World.uri("/a"),
                fields: Fields(),
                framing: framing,
                repeatableContent: content
            )
            return Self.outage(.zero).failure(for: request).status
        }
        #expect(status(.get) == 504 && status(.head) == 504 && status(.post, .none, ByteChunk("x")) == 504)
        #expect(status(.delete) == 503 && status(.put) == 503 && status(.post) == 503)
        #expect(status(.get, .length(1)) == 503)
    }
}
