/// Why a TLS connection could not be established, or broke.
public struct TLSError: Error, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        /// The peer's certificate is not accepted.
        case certificate(CertificateFault)
        /// The peer ended the connection by a fatal alert (RFC 8446 §6) with this number.
        case alert(UInt8)
        /// The peer does not speak TLS.
        case notTLS(isHTTP: Bool)
        /// The connection ended during the handshake.
        case handshakeCut
        /// The connection ended without the peer's close_notify: content may be cut off (RFC 8446 §6.1).
        case contentCut
        /// The handshake did not end in time.
        case timeout
        /// The peer broke the protocol, or has nothing in common with us; as OpenSSL describes it.
        case protocolFault(String)
    }

    public var reason: Reason

    public init(_ reason: Reason) { self.reason = reason }

    /// The error type of RFC 9209 §2.3, for `Proxy-Status`.
    public var proxyErrorType: String {
        switch reason {
        case .certificate: "tls_certificate_error"
        case .alert: "tls_alert_received"
        case .notTLS, .handshakeCut, .contentCut, .protocolFault: "tls_protocol_error"
        case .timeout: "connection_timeout"
        }
    }

    /// The peer's alert, if that is the reason.
    ///
    /// Not inlinable: in another module it breaks the compiler's optimiser (Swift 6.3.1).
    @inline(never)
    public var alert: UInt8? {
        if case .alert(let number) = reason { return number }
        return nil
    }

    /// A sentence that says what happened and, if known, how to mend it.
    public var sentence: String {
        switch reason {
        case .certificate(let fault):
            fault.sentence
        case .alert(let number):
            TLSAlert.sentence(number)
        case .notTLS(isHTTP: true):
            "it speaks plain HTTP on this port, not TLS; use http:// or another port"
        case .notTLS(isHTTP: false):
            "it does not speak TLS on this port"
        case .handshakeCut:
            "it closed the connection within the TLS handshake"
        case .contentCut:
            "it ended the TLS connection without saying so (close_notify), so that the content may be cut"
        case .timeout:
            "the TLS handshake did not end within the time allowed by `connect-timeout`"
        case .protocolFault(let words):
            "the TLS handshake failed: \(words)"
        }
    }
}

/// Why a TLS context cannot be made from its settings.
public struct TLSConfigurationError: Error, Sendable, Hashable {
    /// The setting at fault.
    public enum Subject: Sendable, Hashable { case authorityFile(String), certificateFile, keyFile, library }

    public var subject: Subject
    /// A sentence for people that names the file.
    public var userMessage: String
}
