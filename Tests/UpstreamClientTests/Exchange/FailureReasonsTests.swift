import Exchanges
import HTTPCore
import Testing
import TransportSecurity

@testable import Eventing
@testable import UpstreamClient

/// What a failed exchange tells of what lay beneath it.
@Suite struct FailureReasonsTests {
    private struct Facts: Equatable {
        var kind: ExchangeFailure.Kind
        var ownStatus: UInt16?
        var receivedStatus: UInt16?
        var isOfParent = false
        var alert: ProxyStatus.Alert?
        var mayHaveArrived = false

        init(_ kind: ExchangeFailure.Kind, _ change: (inout Facts) -> Void = { _ in }) {
            self.kind = kind
            change(&self)
        }

        init(_ failure: ExchangeFailure) {
            (kind, ownStatus, receivedStatus) = (failure.kind, failure.ownStatus, failure.receivedStatus)
            (isOfParent, alert) = (failure.isOfParent, failure.alert)
            mayHaveArrived = failure.requestMayHaveArrived
        }
    }

    @Test("a failed connection keeps its reason; where a proxy was at fault, its status and what it answered")
    func connections() {
        let direct = ConnectError(reason: .refused, target: "a.example:80")
        #expect(Facts(ExchangeFailure(direct)) == Facts(.connectionRefused))
        #expect(ExchangeFailure(direct).userMessage == direct.userMessage)
        var parent = ConnectError(reason: .parent(.refused(status: 407)), target: "a.example:80")
        parent.stage = .behind("p.example:1")
        let expected = Facts(.destinationUnavailable) {
            ($0.ownStatus, $0.receivedStatus, $0.isOfParent) = (502, 407, true)
        }
        #expect(Facts(ExchangeFailure(parent)) == expected)
        let late = ConnectError(reason: .parent(.timeout), target: "a.example:80")
        #expect(Facts(ExchangeFailure(late)) == Facts(.connectionTimeout) { $0.ownStatus = 504 })
    }

    @Test("a proxy that answers a relayed request with 407 is at fault, and named")
    func relay() {
        let failure = ExchangeFailure(refusedBy: ParentProxy(.http, host: Array("p.example".utf8), port: 3128))
        let expected = Facts(.destinationUnavailable) {
            ($0.ownStatus, $0.receivedStatus, $0.isOfParent) = (502, 407, true)
        }
        #expect(Facts(failure) == expected)
        #expect(
            failure.userMessage
                == "the proxy p.example:3128 does not let us through: it wants another login, or one at all (407); see "
                + "`upstream.proxy`"
        )
    }

    @Test("what broke a connection, or a response, may have come behind the request")
    func broken() {
        let error = TLSError(.handshakeCut)
        let failure = ExchangeFailure(error)
        #expect(failure.requestMayHaveArrived)
        #expect(failure.userMessage == "the connection to the origin broke: " + error.sentence)
    }

    @Test("limits name the setting that allows more")
    func limits() {
        let failure = ExchangeFailure.connectionLimit("full")
        #expect(Facts(failure) == Facts(.connectionLimitReached))
        #expect(failure.userMessage == "full; more are allowed by upstream.connections-per-origin")
    }
}
