import Exchanges
import HTTPCore
import Proxying
import Testing

/// What clients are told of failures: status, reason, and when to come again.
@Suite struct RetryAfterTests {
    private struct Case: Sendable, CustomStringConvertible {
        var kind: ExchangeFailure.Kind
        var pause: Duration?
        var status: Int
        var seconds: String?

        var description: String { "\(kind) \(pause.map { "\($0)" } ?? "-")" }
    }

    private static let cases = [
        Case(kind: .connectionLimitReached, status: 503, seconds: "1"),
        Case(kind: .connectionLimitReached, pause: .milliseconds(2500), status: 503, seconds: "3"),
        Case(kind: .connectionLimitReached, pause: .seconds(2), status: 503, seconds: "2"),
        Case(kind: .connectionLimitReached, pause: .milliseconds(1), status: 503, seconds: "1"),
        Case(kind: .connectionLimitReached, pause: .zero, status: 503, seconds: "1"),
        Case(kind: .connectionRefused, status: 502), Case(kind: .connectionTimeout, status: 504),
        Case(kind: .destinationProhibited, status: 403), Case(kind: .loopDetected, status: 508),
        Case(kind: .connectionRefused, pause: .seconds(7), status: 502, seconds: "7"),
    ]

    @Test("503 says when to come again, and any failure whose pause is known; a part of a second is a whole one")
    func pauses() throws {
        for one in Self.cases {
            for method in ["GET", "POST"] {
                let proxy = try AnsweringProvider.proxy { _ in
                    var failure = ExchangeFailure(one.kind, "it did not work")
                    failure.retryAfter = one.pause
                    return .failure(failure)
                }
                let reply = try #require(proxy.perform(method, "http://o.example/x"))
                #expect(
                    reply.status == one.status && reply["Retry-After"] == (one.seconds.map { [$0] } ?? []),
                    "\(one)"
                )
                let proxyStatus = reply["Proxy-Status"].first ?? ""
                #expect(proxyStatus.contains("error=\(one.kind.rawValue)"), "\(one): \(proxyStatus)")
                #expect(reply.content.contains("it did not work"), "\(one)")
            }
        }
    }

    @Test("a refusal names its reason among the recent requests, and has no member in Cache-Status")
    func reason() throws {
        let proxy = try TestProxy { $0.recentRequests = 10 }
        let reply = try #require(proxy.ask("/index.html"))
        #expect(reply.status == 400 && reply["Cache-Status"] == [] && reply["Retry-After"] == [])
        let records = try #require(proxy.recentRequests()).records
        #expect(records.map(\.reason) == ["http_request_denied"] && records.map(\.outcome) == ["refused"])
        #expect(records.first?.cacheStatus == nil && records.first?.status == 400)
    }

    @Test("a failure is counted as one, a forbidden address as a refusal")
    func counts() throws {
        for (kind, failures, refusals) in [(.connectionRefused, 1, 0), (.destinationProhibited, 0, 1)]
            as [(ExchangeFailure.Kind, Int, Int)]
        {
            let proxy = try AnsweringProvider.proxy({ $0.recentRequests = 1 }) { _ in
                .failure(ExchangeFailure(kind, "it did not work"))
            }
            #expect(proxy.ask("http://o.example/x") != nil)
            #expect(proxy.metrics.failures.value == failures && proxy.metrics.refusals.value == refusals)
            #expect(proxy.recentRequests()?.records.map(\.outcome) == [failures == 1 ? "error" : "refused"])
        }
    }
}
