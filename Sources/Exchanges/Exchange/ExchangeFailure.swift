package import HTTPCore

/// Why an exchange ended without a complete response.
public struct ExchangeFailure: Error, Sendable, Equatable {
    /// The kind of failure; the raw value is an error type of RFC 9209 §2.3.
    public enum Kind: String, Sendable, CaseIterable {
        case dnsTimeout = "dns_timeout"
        case dnsError = "dns_error"
        case destinationNotFound = "destination_not_found"
        case destinationUnavailable = "destination_unavailable"
        case destinationProhibited = "destination_ip_prohibited"
        /// A rule refuses the request.
        case requestDenied = "http_request_denied"
        case destinationUnroutable = "destination_ip_unroutable"
        case connectionRefused = "connection_refused"
        case connectionTerminated = "connection_terminated"
        case connectionTimeout = "connection_timeout"
        case connectionReadTimeout = "connection_read_timeout"
        case connectionWriteTimeout = "connection_write_timeout"
        case connectionLimitReached = "connection_limit_reached"
        case responseIncomplete = "http_response_incomplete"
        case responseHeadSize = "http_response_header_section_size"
        case responseTimeout = "http_response_timeout"
        case upgradeFailed = "http_upgrade_failed"
        case protocolError = "http_protocol_error"
        case tlsProtocolError = "tls_protocol_error"
        case tlsCertificateError = "tls_certificate_error"
        case tlsAlertReceived = "tls_alert_received"
        case loopDetected = "proxy_loop_detected"
        case notSupported = "proxy_configuration_error"
        case cancelled = "proxy_internal_response"
        case internalError = "proxy_internal_error"
    }

    public var kind: Kind
    /// A sentence for people: what failed, and how; without bytes of the request.
    public var userMessage: String
    /// When another attempt may succeed, if that is known.
    public var retryAfter: Duration?
    /// Whether the request may have reached the origin, so that an unsafe method may have taken effect.
    package var requestMayHaveArrived: Bool
    /// Set if nothing was sent because the origin is down.
    package var outage: OriginOutage?
    /// The status with which a parent proxy refused.
    package var receivedStatus: UInt16?
    /// Whether a parent proxy failed, which does not count against the origin.
    package var isOfParent = false
    /// The alert by which the origin ended TLS.
    package var alert: ProxyStatus.Alert?
    /// Set if nothing was sent because the origin has asked, with this status, for a pause.
    package var pausedBy: UInt16?
    /// The status for the client, if `kind` alone does not decide it.
    package var ownStatus: UInt16?

    public init(
        _ kind: Kind,
        _ userMessage: String,
        requestMayHaveArrived: Bool = false
    ) {
        self.kind = kind
        self.userMessage = userMessage
        self.requestMayHaveArrived = requestMayHaveArrived
    }

    /// The status to send: 504 for a time-out, 403 for a forbidden address or request, 508 for a loop, 503 for a limit,
    /// else 502.
    public var status: UInt16 {
        if let ownStatus { return ownStatus }
        return switch kind {
        case .dnsTimeout, .connectionTimeout, .connectionReadTimeout, .connectionWriteTimeout, .responseTimeout: 504
        case .destinationProhibited, .requestDenied: 403
        case .loopDetected: 508
        case .connectionLimitReached: 503
        case .notSupported: 501
        default: 502
        }
    }

    /// Whether the origin could not be reached, or broke off, so that a stale response is acceptable (C-7.2).
    public var isNetworkLevel: Bool {
        // The origin did respond.
        if pausedBy != nil { return false }
        return switch kind {
        case .destinationProhibited, .requestDenied, .loopDetected, .notSupported, .cancelled, .internalError: false
        default: true
        }
    }
}
