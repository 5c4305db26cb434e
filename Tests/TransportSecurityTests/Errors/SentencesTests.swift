import HTTPCore
import TestSupport
import Testing

@testable import TransportSecurity

@Suite("What went wrong with TLS, in sentences") struct SentencesTests {
    @Test("a fault of a certificate says whose it is, and what to do")
    func certificates() {
        let own = "its certificate"
        let above = "the certificate of its authority"
        let faults: [(CertificateFault, String)] = [
            (CertificateFault(.wrongName), "its certificate names no host; it cannot be the one of this host"),
            (
                CertificateFault(.wrongName, names: ["a.example", "b.example"]),
                "its certificate is for a.example, b.example, not for this host"
            ),
            (CertificateFault(.expired), "\(own) expired"),
            (CertificateFault(.expired, date: "2026-01-02"), "\(own) expired on 2026-01-02"),
            (CertificateFault(.expired, depth: 1), "\(above) expired"),
            (CertificateFault(.expired, depth: 1, subject: "Lab"), "\(above) “Lab” expired"),
            (CertificateFault(.notYetValid), "\(own) is not valid before a later time; is our clock right?"),
            (
                CertificateFault(.notYetValid, date: "2026-01-02"),
                "\(own) is not valid before 2026-01-02; is our clock right?"
            ),
            (
                CertificateFault(.selfSigned),
                "\(own) is signed by itself and not trusted here; if it is genuine, add it to `tls.ca-files`"
            ),
            (
                CertificateFault(.nameConstraint),
                "its certificate was issued by an authority that may not vouch for this name (name constraints)"
            ),
            (CertificateFault(.revoked), "\(own) is revoked"),
            (CertificateFault(.wrongPurpose), "\(own) is not meant for this purpose"),
            (CertificateFault(.weak), "\(own) has a key or a signature that is too weak"),
            (CertificateFault(.other("words")), "\(own) is not accepted: words"),
        ]
        for (fault, sentence) in faults { #expect(fault.sentence == sentence) }
        for (issuer, name) in [("", "an authority"), ("Lab", "“Lab”")] {
            let sentence = CertificateFault(.unknownAuthority, issuer: issuer).sentence
            #expect(sentence.hasPrefix("\(own) was issued by \(name) that is not trusted here; if it is genuine, add "))
        }
    }

    @Test(
        "an alert has the name of its number, and those about our certificate say so",
        arguments: [
            (0, "close_notify", "it ended the TLS connection by the alert close_notify"),
            (
                40, "handshake_failure",
                "it refused the TLS handshake (handshake_failure): no cipher or key in common, or it wants a certificate"
            ),
            (42, "bad_certificate", "it does not accept our client certificate (bad_certificate)"),
            (43, "unsupported_certificate", "it does not accept our client certificate (unsupported_certificate)"),
            (44, "certificate_revoked", "it does not accept our client certificate (certificate_revoked)"),
            (45, "certificate_expired", "it does not accept our client certificate (certificate_expired)"),
            (46, "certificate_unknown", "it does not accept our client certificate (certificate_unknown)"),
            (47, "illegal_parameter", "it ended the TLS connection by the alert illegal_parameter"),
            (48, "unknown_ca", "it does not accept our client certificate (unknown_ca)"),
            (49, "access_denied", "it does not accept our client certificate (access_denied)"),
            (50, "decode_error", "it ended the TLS connection by the alert decode_error"),
            (70, "protocol_version", "it refused the TLS versions 1.2 and 1.3 (protocol_version)"),
            (71, "insufficient_security", "it demands stronger ciphers (insufficient_security)"),
            (112, "unrecognized_name", "it knows no site of this name (unrecognized_name)"),
            (120, "no_application_protocol", "it does not speak HTTP/1.1 over TLS (no_application_protocol)"),
            (255, "alert_255", "it ended the TLS connection by the alert alert_255"),
        ] as [(UInt8, String, String)]
    )
    func alerts(number: UInt8, name: String, sentence: String) {
        #expect(TLSAlert.name(number) == name && TLSAlert.sentence(number) == sentence)
        #expect(TLSAlert.refusesCertificate(number) == [42, 46, 48].contains(number))
        #expect(TLSError(.alert(number)).sentence == sentence && TLSError(.alert(number)).alert == number)
    }

    @Test("a missing client certificate says where to set one")
    func certificateRequired() {
        let sentence = TLSAlert.sentence(116)
        #expect(sentence.hasPrefix("it demands a client certificate (certificate_required); set `client-certificate`"))
        #expect(!TLSAlert.refusesCertificate(116))
    }

    @Test("each error has its type of RFC 9209 and its sentence")
    func errors() {
        let errors: [(TLSError.Reason, String, String)] = [
            (.certificate(CertificateFault(.revoked)), "tls_certificate_error", "its certificate is revoked"),
            (
                .notTLS(isHTTP: true), "tls_protocol_error",
                "it speaks plain HTTP on this port, not TLS; use http:// or another port"
            ),
            (.notTLS(isHTTP: false), "tls_protocol_error", "it does not speak TLS on this port"),
            (.handshakeCut, "tls_protocol_error", "it closed the connection within the TLS handshake"),
            (
                .contentCut, "tls_protocol_error",
                "it ended the TLS connection without saying so (close_notify), so that the content may be cut"
            ),
            (
                .timeout, "connection_timeout",
                "the TLS handshake did not end within the time allowed by `connect-timeout`"
            ),
            (.protocolFault("x"), "tls_protocol_error", "the TLS handshake failed: x"),
        ]
        for (reason, type, sentence) in errors {
            let error = TLSError(reason)
            #expect(error.proxyErrorType == type && error.sentence == sentence && error.alert == nil)
        }
    }

    @Test("without an error of OpenSSL there is no reason to tell")
    func nothing() {
        ErrorQueue.clear()
        #expect(ErrorQueue.takeTLSError() == TLSError(.protocolFault("OpenSSL gives no reason")))
    }
}
