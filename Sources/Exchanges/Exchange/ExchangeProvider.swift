public import HTTPCore

/// A request as it goes to an origin server.
///
/// A reference to what never changes: each layer on the way keeps one. Changing one makes another request.
public struct OriginRequest: Sendable {
    private struct Content: Sendable {
        var method: Method
        var uri: TargetURI
        var isServerWide: Bool
        var fields: Fields
        var framing: Framing
        var expectsContinue: Bool
        var initialCredit: Int
        var client: IPAddress?
        var rare: RareBox?
    }

    /// What few requests have; the others have nothing to copy.
    private struct Rare: Sendable {
        var upgrade: [UInt8]?
        var policies = ExchangePolicies()
        var credential: (any CredentialSource)?
        var identity: String?
        var host: [UInt8]?
    }

    private final class RareBox: Sendable {
        let rare: Rare

        init(_ rare: consuming Rare) { self.rare = rare }
    }

    private final class Box: Sendable {
        let content: Content

        init(_ content: consuming Content) { self.content = content }
    }

    private var box: Box

    /// Bytes of `initialCredit`, unless another number is given.
    public static let usualCredit = 256 * 1024

    public init(
        method: Method,
        uri: TargetURI,
        fields: Fields,
        framing: Framing = .none,
        expectsContinue: Bool = false,
        initialCredit: Int = OriginRequest.usualCredit,
        isServerWide: Bool = false,
        client: IPAddress? = nil,
        upgrade: [UInt8]? = nil,
        policies: borrowing ExchangePolicies = ExchangePolicies(),
        credential: (any CredentialSource)? = nil,
        identity: String? = nil,
        host: [UInt8]? = nil
    ) {
        var rare: RareBox?
        if upgrade != nil || credential != nil || identity != nil || host != nil || !policies.isUsual {
            rare = RareBox(
                Rare(
                    upgrade: upgrade,
                    policies: copy policies,
                    credential: credential,
                    identity: identity,
                    host: host
                )
            )
        }
        box = Box(
            Content(
                method: method,
                uri: uri,
                isServerWide: isServerWide,
                fields: fields,
                framing: framing,
                expectsContinue: expectsContinue,
                initialCredit: initialCredit,
                client: client,
                rare: rare
            )
        )
    }

    private mutating func change(_ body: (inout Content) -> Void) {
        var content = box.content
        body(&content)
        box = Box(content)
    }

    private mutating func changeRare(_ body: (inout Rare) -> Void) {
        var rare = box.content.rare?.rare ?? Rare()
        body(&rare)
        change { $0.rare = RareBox(rare) }
    }

    public var method: Method { box.content.method }
    /// Decides the connection, the request target and, without `host`, `Host`.
    public var uri: TargetURI { box.content.uri }
    /// What `Host` says in place of the URI's authority.
    public var host: [UInt8]? { box.content.rare?.rare.host }
    /// The request target is `*`: OPTIONS for the server as a whole (H-015).
    public var isServerWide: Bool { box.content.isServerWide }

    /// End-to-end fields with `Via`; neither `Host` nor framing nor hop-by-hop fields.
    public var fields: Fields {
        get { box.content.fields }
        set { change { $0.fields = newValue } }
    }

    /// `.none`, `.length` or `.chunked`; content follows by `Exchange.send`.
    public var framing: Framing { box.content.framing }

    /// The protocol the client asks to go over to, sent as `Upgrade`; for a GET without content (RFC 9110 §7.8).
    public var upgrade: [UInt8]? {
        get { box.content.rare?.rare.upgrade }
        set { changeRare { $0.upgrade = newValue } }
    }

    /// Send `Expect: 100-continue` and wait up to a second for the answer before content (H-073, H-074).
    public var expectsContinue: Bool { box.content.expectsContinue }

    /// Bytes of response content that may come before the receiver grants more.
    public var initialCredit: Int {
        get { box.content.initialCredit }
        set { change { $0.initialCredit = newValue } }
    }

    /// The address of the client it is made for, whose share of name look-ups it is of; nil: not known.
    public var client: IPAddress? { box.content.client }

    /// How it is made: for a provider that goes by policies.
    public var policies: ExchangePolicies {
        get { box.content.rare?.rare.policies ?? ExchangePolicies() }
        set { changeRare { $0.policies = newValue } }
    }

    /// Puts a credential on it, at each attempt: for such a provider.
    public var credential: (any CredentialSource)? {
        get { box.content.rare?.rare.credential }
        set { changeRare { $0.credential = newValue } }
    }

    /// Names who we say we are by a certificate of TLS, for a provider that knows the name; it precedes
    /// `policies.security`.
    public var identity: String? {
        get { box.content.rare?.rare.identity }
        set { changeRare { $0.identity = newValue } }
    }

    var isWithoutContent: Bool { framing == .none || framing == .length(0) }
    /// Whether nothing repeats, slows down or puts a credential on it.
    var isPlain: Bool {
        guard let rare = box.content.rare?.rare else { return true }
        return rare.policies.isEmpty && rare.credential == nil
    }
    /// What waits if the origin asks for that.
    var retryAfter: RetryAfterScope { box.content.rare?.rare.policies.retryAfter ?? ExchangePolicies.usualRetryAfter }
}

/// Speaks to origin servers: one exchange per request.
public protocol ExchangeProvider: AnyObject, Sendable {
    /// The context on which exchanges of this provider deliver; `start` is called on it.
    var context: any DeliveryContext { get }

    /// Begins an exchange. The receiver is held until its last call; nothing is delivered inside this call.
    ///
    /// A request without content whose method is idempotent is sent once more by itself when a reused connection dies
    /// before any byte of the response (H-089).
    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange
}

/// One request at an origin.
///
/// All calls may come from any thread and take effect on the provider's context.
public protocol Exchange: AnyObject, Sendable {
    /// Allows `bytes` more of response content to be delivered.
    func grant(_ bytes: Int)
    /// Sends request content; at most what `exchangeWantsContent` has asked for is buffered within bounds.
    func send(_ chunk: ByteChunk)
    /// Ends the request content; only after exactly the bytes `framing` announces.
    func finish(trailers: Fields?)
    /// Gives the exchange up: closes the connection unless the message was complete; no further call to the receiver.
    func cancel()
}

/// Takes what an exchange brings, on the provider's context: any interim heads, then one head, content, and exactly one of
/// end and failure; a failure may come at any point.
public protocol ExchangeReceiver: AnyObject, Sendable {
    /// A 1xx head, other than a 100 that answers our own expectation, and 101.
    func exchangeDidReceiveInterim(_ head: ResponseHead)
    /// The final head, hop-by-hop fields still in it.
    func exchangeDidReceive(_ head: ResponseHead)
    func exchangeDidReceive(_ chunk: ByteChunk)
    /// The end of the message is proven (RFC 9112 §8).
    func exchangeDidEnd(trailers: Fields?)
    /// Whether it takes, by one call, a response that came in one piece; constant, and asked before each.
    var acceptsWholeResponses: Bool { get }
    /// Head, content and end of a response by one call, the last; only where `acceptsWholeResponses`.
    func exchangeDidReceive(_ whole: WholeResponse)
    func exchangeDidFail(_ failure: ExchangeFailure)
    /// The origin went over to the protocol that `OriginRequest.upgrade` names; the last call, in place of an end.
    /// - Parameters:
    ///   - head: of the 101.
    ///   - connection: the receiver's from here on; bytes behind the head are its next to read.
    func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection)
    /// `bytes` more of request content may be sent.
    func exchangeWantsContent(_ bytes: Int)
}

/// A connection to an origin that has left HTTP; what it is beyond that its provider and its receiver know.
public protocol SwitchedConnection: AnyObject {
    /// Closes now.
    func close()
}

extension ExchangeReceiver {
    /// For receivers that never ask for another protocol.
    public func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) { connection.close() }
}

/// Why an exchange ended without a complete response.
public struct ExchangeFailure: Error, Sendable, Equatable {
    /// What went wrong; the raw value is the error type of RFC 9209 §2.3.
    public enum Kind: String, Sendable, CaseIterable {
        case dnsTimeout = "dns_timeout"
        case dnsError = "dns_error"
        case destinationNotFound = "destination_not_found"
        case destinationUnavailable = "destination_unavailable"
        case destinationProhibited = "destination_ip_prohibited"
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
    /// A sentence for a person, naming the thing and what happened; no bytes of the request.
    public var userMessage: String
    /// Whether any byte of the response had come.
    public var responseHadBegun: Bool
    /// When another attempt may go better, if that is known.
    public var retryAfter: Duration?
    /// Whether the request may have reached the origin, so that an unsafe method may have taken effect.
    public var requestMayHaveArrived: Bool
    /// The origin is down: nothing was sent.
    public var outage: OriginOutage?
    /// The status a proxy on the way refused with.
    public var receivedStatus: UInt16?
    /// It tells of a proxy on the way to the origin, and nothing of the origin.
    public var isOfParent = false
    /// The alert by which the origin ended TLS.
    public var alert: ProxyStatus.Alert?
    /// Nothing was sent because the origin has asked, with this status, to be left alone for a while.
    public var pausedBy: UInt16?
    /// The status, where `kind` alone does not decide it.
    public var ownStatus: UInt16?

    public init(
        _ kind: Kind,
        _ userMessage: String,
        responseHadBegun: Bool = false,
        requestMayHaveArrived: Bool = false
    ) {
        self.kind = kind
        self.userMessage = userMessage
        self.responseHadBegun = responseHadBegun
        self.requestMayHaveArrived = requestMayHaveArrived
    }

    /// The status that tells a client: 504 for time, 403 for a forbidden address, 508 for a loop, 503 for a limit, else
    /// 502.
    public var status: UInt16 {
        if let ownStatus { return ownStatus }
        return switch kind {
        case .dnsTimeout, .connectionTimeout, .connectionReadTimeout, .connectionWriteTimeout, .responseTimeout: 504
        case .destinationProhibited: 403
        case .loopDetected: 508
        case .connectionLimitReached: 503
        case .notSupported: 501
        default: 502
        }
    }

    /// Whether the origin could not be reached or broke off: what makes a stale response acceptable (C-7.2).
    public var isNetworkLevel: Bool {
        // It could be reached, and answered.
        if pausedBy != nil { return false }
        return switch kind {
        case .destinationProhibited, .loopDetected, .notSupported, .cancelled, .internalError: false
        default: true
        }
    }
}
