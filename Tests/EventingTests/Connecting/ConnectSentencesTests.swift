import Glibc
import HTTPCore
import Platform
import Testing
import TransportSecurity

@testable import Eventing

/// What a failed connection says, word by word.
@Suite struct ConnectSentencesTests {
    private static let rebinding = """
        its address is private, where names of the network do not lead (DNS rebinding): a web page of that name could \
        read what is there; `access.private-names` lists names that may (`**.NAME` with all below), as /etc/hosts and \
        [hosts] do
        """

    @Test("each reason has its sentence, its word of RFC 9209, its status and its weight")
    func reasons() {
        let away = "destination_unavailable"
        let expected: [(ConnectError.Reason, String, String, UInt16, Int)] = [
            (.name(.invalid), "this is not a valid host name", "dns_error", 400, 0),
            (.name(.notFound), "the name has no address", "dns_error", 502, 0),
            (.name(.timeout), "the name server did not answer in time", "dns_timeout", 504, 0),
            (.name(.failed), "the name could not be looked up", "dns_error", 502, 0),
            (.name(.busy), "too many names are being looked up", "dns_timeout", 503, 0),
            (.refused, "connection refused", "connection_refused", 502, 5),
            (.reset, "connection reset", "connection_terminated", 502, 5),
            (
                .timeout, "no connection within the time allowed by `connect-timeout`", "connection_timeout", 504, 4
            ),
            (.unreachable, "no route to its address", "destination_ip_unroutable", 502, 2),
            (
                .forbidden(.addressClass(.linkLocal)), "its address is link-local, which is not allowed here",
                "destination_ip_prohibited", 403, 1
            ),
            (
                .forbidden(.untrustedName(.private)),
                Self.rebinding, "destination_ip_prohibited", 403, 1
            ),
            (
                .forbidden(.administration), "this is the address of our administration", "destination_ip_prohibited",
                403, 1
            ),
            (.forbidden(.port), "this port is not allowed", "destination_ip_prohibited", 403, 1),
            (
                .loop, "this is our own address; the request would come back to us", "proxy_loop_detected", 508, 7
            ),
            (
                .parent(.closed), "it closed the connection before it answered", "connection_terminated", 502, 7
            ),
            (.parent(.refused(status: 503)), "it answered CONNECT with 503", away, 503, 7),
            (.exhausted, "no descriptor or port is left", "connection_limit_reached", 503, 6),
            (.closed, "this daemon replays a cassette, and makes no connections", away, 504, 6),
            (.system(SystemError(EIO)), SystemError(EIO).description, away, 502, 3),
        ]
        for (reason, sentence, type, status, weight) in expected {
            let error = ConnectError(reason: reason, target: "a.example:80")
            #expect(error.sentence == sentence)
            #expect(error.proxyErrorType == type && error.status == status && reason.weight == weight, "\(reason)")
            #expect(error.description == "cannot connect to a.example:80: \(sentence)" && error.alert == nil)
        }
    }

    @Test("errors of TLS keep what it says, and weigh as much as a loop")
    func security() {
        for inner in [TLSError(.timeout), TLSError(.handshakeCut)] {
            let error = ConnectError(reason: .security(inner), target: "a.example:443")
            #expect(error.sentence == inner.sentence && error.proxyErrorType == inner.proxyErrorType)
            #expect(error.alert == inner.alert && error.receivedStatus == nil && error.reason.weight == 7)
        }
        #expect(ConnectError(reason: .security(TLSError(.timeout)), target: "a").status == 504)
        #expect(ConnectError(reason: .security(TLSError(.handshakeCut)), target: "a").status == 502)
    }

    @Test("the message names the proxy that was asked, or that was passed")
    func stages() {
        var error = ConnectError(reason: .refused, target: "a.example:80")
        error.stage = .parent("p.example:1")
        let before = "cannot connect to the proxy p.example:1 on the way to a.example:80: connection refused"
        #expect(error.userMessage == before && error.isOfParent)
        error.stage = .behind("p.example:1")
        let behind = "cannot connect to a.example:80 through the proxy p.example:1: connection refused"
        #expect(error.userMessage == behind && !error.isOfParent)
        error.reason = .parent(.refused(status: 407))
        #expect(error.receivedStatus == 407 && error.isOfParent)
    }

    @Test("the system's errors have their kinds")
    func codes() {
        let kinds: [(ConnectError.Reason, [Int32])] = [
            (.refused, [ECONNREFUSED, ENOENT]), (.reset, [ECONNRESET, EPIPE]), (.timeout, [ETIMEDOUT]),
            (
                .unreachable,
                [ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT, ENETDOWN, EACCES, EPERM, EINVAL]
            ),
            (.exhausted, [EMFILE, ENFILE, ENOBUFS, ENOMEM, EAGAIN]), (.system(SystemError(EIO)), [EIO]),
        ]
        for (kind, codes) in kinds { #expect(codes.allSatisfy { ConnectError.Reason($0) == kind }, "\(kind)") }
        #expect([ECONNRESET, EPIPE].map { StreamError($0) } == [.reset, .reset])
        #expect(StreamError(ECONNREFUSED) == .system(SystemError(ECONNREFUSED)))
    }

    @Test("the families of addresses take turns to the end (RFC 8305 §4)")
    func interleaving() {
        let (a, b, c): (IPAddress, IPAddress, IPAddress) = (.v4(1), .v4(2), .v4(3))
        let (x, y): (IPAddress, IPAddress) = (.v6(0, 1), .v6(0, 2))
        #expect(ConnectAttempt.interleaved([]) == [] && ConnectAttempt.interleaved([a]) == [a])
        #expect(ConnectAttempt.interleaved([a, b, c]) == [a, b, c])
        #expect(ConnectAttempt.interleaved([a, b, c, x, y]) == [a, x, b, y, c])
        #expect(ConnectAttempt.interleaved([x, a, b, c]) == [x, a, b, c])
        #expect(ConnectAttempt.interleaved([a, x, y]) == [a, x, y])
    }
}
