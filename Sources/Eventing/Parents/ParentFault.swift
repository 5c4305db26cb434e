public import HTTPCore

/// Why a parent proxy that was reached did not connect us to the target.
public enum ParentFault: Sendable, Hashable {
    /// It responded to CONNECT with this status.
    case refused(status: UInt16)
    /// Its response to CONNECT cannot be read.
    case badResponse(ProxyErrorType, String)
    /// It closed the connection before it responded.
    case closed
    case timeout
    /// Bytes followed its response before any were sent to the target.
    case earlyBytes
    /// It does not speak SOCKS5.
    case notSOCKS(isHTTP: Bool)
    /// It requires a login; none is configured, or only of another kind.
    case wantsLogin
    /// It does not accept the login.
    case loginRefused
    /// The SOCKS5 reply to the request (RFC 1928 §6).
    case reply(UInt8)

    /// The error type of RFC 9209 §2.3, for `Proxy-Status`.
    public var proxyErrorType: String {
        switch self {
        case .refused, .wantsLogin, .loginRefused: ProxyErrorType.destinationUnavailable.rawValue
        case .badResponse(let type, _): type.rawValue
        case .closed: ProxyErrorType.connectionTerminated.rawValue
        case .timeout: ProxyErrorType.connectionTimeout.rawValue
        case .earlyBytes: ProxyErrorType.httpProtocolError.rawValue
        case .notSOCKS: ProxyErrorType.proxyConfigurationError.rawValue
        case .reply(3), .reply(4): ProxyErrorType.destinationIPUnroutable.rawValue
        case .reply(5): ProxyErrorType.connectionRefused.rawValue
        case .reply(6): ProxyErrorType.connectionTimeout.rawValue
        case .reply: ProxyErrorType.destinationUnavailable.rawValue
        }
    }

    /// The status to respond with: the proxy's own if that means a temporary failure of the target.
    public var status: UInt16 {
        switch self {
        case .refused(503): 503
        case .refused(504), .timeout, .reply(6): 504
        case .refused, .badResponse, .closed, .earlyBytes, .notSOCKS, .wantsLogin, .loginRefused, .reply: 502
        }
    }

    /// Whether the target may have failed.
    ///
    /// True for a gateway's statuses, the replies about addresses, and silence. A proxy may wait longer for a dead
    /// target than we wait for the proxy.
    var mayConcernTarget: Bool {
        switch self {
        case .refused(502), .refused(503), .refused(504), .reply(1), .reply(3), .reply(4), .reply(5), .reply(6),
            .timeout:
            true
        case .refused, .reply, .badResponse, .closed, .earlyBytes, .notSOCKS, .wantsLogin, .loginRefused: false
        }
    }

    /// The status of its response, if it responded.
    public var receivedStatus: UInt16? {
        if case .refused(let status) = self { return status }
        return nil
    }

    /// A sentence that says what happened and, if known, how to mend it.
    public var sentence: String {
        switch self {
        case .refused(status: 407): "it wants another login, or one at all (407); see `upstream.proxy`"
        case .refused(let status): "it answered CONNECT with \(status)"
        case .badResponse(_, let reason): "its answer to CONNECT cannot be used: \(reason)"
        case .closed: "it closed the connection before it answered"
        case .timeout: "it did not answer within the time allowed by `connect-timeout`"
        case .earlyBytes: "bytes came behind its answer that nobody can have sent yet"
        case .notSOCKS(isHTTP: true): "it speaks HTTP on this port, not SOCKS5; use http:// in `upstream.proxy`"
        case .notSOCKS(isHTTP: false): "it does not speak SOCKS5 on this port"
        case .wantsLogin: "it wants a login, or another kind of one; see `upstream.proxy`"
        case .loginRefused: "it does not accept the login; see `upstream.proxy`"
        case .reply(let code): "it answered “\(Self.meaning(code))”"
        }
    }

    private static func meaning(_ code: UInt8) -> String {
        switch code {
        case 1: "general failure"
        case 2: "not allowed by its rules"
        case 3: "network unreachable"
        case 4: "host unreachable"
        case 5: "connection refused"
        case 6: "time-out"
        case 7: "command not supported"
        case 8: "kind of address not supported"
        default: "error \(code)"
        }
    }
}
