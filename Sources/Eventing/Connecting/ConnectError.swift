import LibC
public import Platform
public import TransportSecurity

/// Why no connection could be made.
public struct ConnectError: Error, Sendable, CustomStringConvertible {
    public enum Reason: Sendable, Hashable {
        case name(NameError)
        case refused
        case reset
        case timeout
        case unreachable
        case forbidden(AddressRefusal)
        /// The address belongs to one of our own listeners.
        case loop
        /// The handshake of TLS failed.
        case security(TLSError)
        /// The parent proxy did not connect us to the target.
        case parent(ParentFault)
        /// No descriptor or port is left here.
        case exhausted
        /// The daemon makes no connections.
        case closed
        case system(SystemError)
    }

    /// Where the failure happened.
    enum Stage: Sendable, Hashable {
        case target
        /// While connecting to this proxy.
        case parent(String)
        /// At this proxy, or at the target behind it.
        case behind(String)
    }

    public var reason: Reason
    /// Host and port as requested.
    public var target: String
    var stage = Stage.target
    /// The address that failed, if a particular one did.
    public var address: SocketAddress?

    /// The error type of RFC 9209 §2.3, for `Proxy-Status`.
    public var proxyErrorType: String {
        switch reason {
        case .name(.timeout), .name(.busy): "dns_timeout"
        case .name: "dns_error"
        case .refused: "connection_refused"
        case .reset: "connection_terminated"
        case .timeout: "connection_timeout"
        case .unreachable: "destination_ip_unroutable"
        case .forbidden: "destination_ip_prohibited"
        case .loop: "proxy_loop_detected"
        case .security(let error): error.proxyErrorType
        case .parent(let fault): fault.proxyErrorType
        case .exhausted: "connection_limit_reached"
        case .closed, .system: "destination_unavailable"
        }
    }

    /// The status to respond with.
    public var status: UInt16 {
        switch reason {
        case .forbidden: 403
        case .loop: 508
        case .timeout, .name(.timeout), .security(TLSError(.timeout)), .closed: 504
        case .name(.invalid): 400
        case .name(.busy), .exhausted: 503
        case .parent(let fault): fault.status
        case .name, .refused, .reset, .unreachable, .security, .system: 502
        }
    }

    /// Whether the failure concerns the parent proxy, not the target.
    public var isOfParent: Bool {
        switch (stage, reason) {
        case (.parent, _): true
        case (.behind, .parent(let fault)): !fault.mayConcernTarget
        case (.behind, _), (.target, _): false
        }
    }

    /// The status of a parent proxy's response, if that is the reason.
    public var receivedStatus: UInt16? {
        if case .parent(let fault) = reason { return fault.receivedStatus }
        return nil
    }

    /// The alert by which the target ended TLS, if that is the reason.
    public var alert: UInt8? {
        if case .security(let error) = reason { return error.alert }
        return nil
    }

    /// A sentence for people.
    public var userMessage: String {
        switch stage {
        case .target: "cannot connect to \(target): \(sentence)"
        case .parent(let parent): "cannot connect to the proxy \(parent) on the way to \(target): \(sentence)"
        case .behind(let parent): "cannot connect to \(target) through the proxy \(parent): \(sentence)"
        }
    }
    public var description: String { userMessage }

    /// The reason as a sentence, without the target.
    public var sentence: String {
        switch reason {
        case .name(.invalid): "this is not a valid host name"
        case .name(.notFound): "the name has no address"
        case .name(.timeout): "the name server did not answer in time"
        case .name(.failed): "the name could not be looked up"
        case .name(.busy): "too many names are being looked up"
        case .refused: "connection refused"
        case .reset: "connection reset"
        case .timeout: "no connection within the time allowed by `connect-timeout`"
        case .unreachable: "no route to its address"
        case .forbidden(.addressClass(let kind)): "its address is \(kind.rawValue), which is not allowed here"
        case .forbidden(.untrustedName(let kind)):
            "its address is \(kind.rawValue), where names of the network do not lead (DNS rebinding): a web page of that name "
                + "could read what is there; `access.private-names` lists names that may (`**.NAME` with all below), as /etc/hosts and [hosts] do"
        case .forbidden(.administration): "this is the address of our administration"
        case .forbidden(.port): "this port is not allowed"
        case .loop: "this is our own address; the request would come back to us"
        case .security(let error): error.sentence
        case .parent(let fault): fault.sentence
        case .exhausted: "no descriptor or port is left"
        case .closed: "this daemon replays a cassette, and makes no connections"
        case .system(let error): error.description
        }
    }
}

extension ConnectError.Reason {
    /// The reason for an `errno` of `connect`.
    init(_ code: Int32) {
        self =
            switch code {
            case ECONNREFUSED, ENOENT: .refused
            case ECONNRESET, EPIPE: .reset
            case ETIMEDOUT: .timeout
            case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT, ENETDOWN, EACCES, EPERM, EINVAL: .unreachable
            case EMFILE, ENFILE, ENOBUFS, ENOMEM, EAGAIN: .exhausted
            default: .system(SystemError(code))
            }
    }

    /// How informative a failure is.
    ///
    /// If several addresses fail, the most informative failure is reported.
    var weight: Int {
        switch self {
        case .loop: 7
        case .security, .parent: 7
        case .exhausted, .closed: 6
        case .refused, .reset: 5
        case .timeout: 4
        case .system: 3
        case .unreachable: 2
        case .forbidden: 1
        case .name: 0
        }
    }
}
