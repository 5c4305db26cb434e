import Platform
import Testing
import TransportSecurity

@testable import Eventing

/// What clients are told when no connection can be made.
@Suite struct ConnectErrorTests {
    @Test(
        "each reason has a status and a word of RFC 9209",
        arguments: [
            (.name(.timeout), 504, "dns_timeout"), (.name(.busy), 503, "dns_timeout"),
            (.name(.notFound), 502, "dns_error"),
            (.name(.invalid), 400, "dns_error"), (.refused, 502, "connection_refused"),
            (.reset, 502, "connection_terminated"),
            (.timeout, 504, "connection_timeout"), (.unreachable, 502, "destination_ip_unroutable"),
            (.loop, 508, "proxy_loop_detected"), (.exhausted, 503, "connection_limit_reached"),
            (.security(TLSError(.timeout)), 504, nil), (.security(TLSError(.handshakeCut)), 502, nil),
            (.system(SystemError(5)), 502, "destination_unavailable"),
        ] as [(ConnectError.Reason, UInt16, String?)]
    )
    func statuses(reason: ConnectError.Reason, status: UInt16, word: String?) {
        let error = ConnectError(reason: reason, target: "a.example:80")
        #expect(error.status == status && !error.isOfParent && error.receivedStatus == nil)
        if let word { #expect(error.proxyErrorType == word) }
        #expect(error.userMessage.hasPrefix("cannot connect to a.example:80: "))
    }
}
