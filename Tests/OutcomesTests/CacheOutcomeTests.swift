import Configurations
import Exchanges
import HTTPCore
import Outcomes
import Testing

/// What Cache-Status says of responses that are made here.
@Suite struct CacheOutcomeTests {
    private func error(_ kind: ExchangeFailure.Kind?, isRemembered: Bool = false) -> ResourceError {
        ResourceError(
            status: 502,
            kind: kind,
            userMessage: "no answer",
            isRemembered: isRemembered,
            time: MonotonicTime(nanoseconds: 1)
        )
    }

    @Test("modes that ask no origin refuse by their name, the others do not (C-25.2)")
    func refusals() {
        #expect(ServiceMode.allCases.map { CacheRefusal($0) } == [nil, nil, .offline, .replay])
        #expect(CacheOutcome(CacheRefusal.onlyIfCached).detail == "only-if-cached")
    }

    @Test("an error has the reason of the exchange that failed, and counts as a miss")
    func failure() {
        let outcome = CacheOutcome(error(.dnsError))
        #expect(outcome.forward == .miss)
        #expect(outcome.detail == ExchangeFailure.Kind.dnsError.rawValue)
    }

    @Test("a remembered error asked no origin (S-041)")
    func remembered() {
        let outcome = CacheOutcome(error(.dnsError, isRemembered: true))
        #expect(outcome.forward == nil)
        #expect(outcome.detail == "remembered-failure")
    }

    @Test("the failure of another request is one that this one waited for (C-23.0)")
    func another() {
        var failure = error(nil)
        failure.isOfAnother = true
        failure.receivedStatus = 500
        let outcome = CacheOutcome(failure)
        #expect(outcome.isCollapsed)
        #expect(outcome.forwardStatus == 500)
        #expect(outcome.detail == "unshared-failure")
    }
}
