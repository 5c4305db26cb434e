public import HTTPCore

/// A request as it goes to an origin server.
///
/// It has the size of a reference, since layers pass it on often and hardly ever change it.
public struct OriginRequest: Sendable {
    private struct Content: Sendable {
        var method: Method
        var uri: TargetURI
        var isServerWide: Bool
        var fields: Fields
        var framing: Framing
        var expectsContinue: Bool
        var initialCredit: Int
        var client: RequestingClient?
        var extras: Boxed<Extras>?
    }

    /// Fields that few requests use.
    private struct Extras: Sendable {
        var upgrade: [UInt8]?
        var policies = ExchangePolicies()
        var credential: (any CredentialSource)?
        var identity: String?
        var host: [UInt8]?
        var content: ByteChunk?
        var ticket: RequestTicket?
    }

    private var content: Boxed<Content>

    /// The number of bytes of `initialCredit`, unless another is given.
    public static let defaultCredit = 256 * 1024

    public init(
        method: Method,
        uri: TargetURI,
        fields: Fields,
        framing: Framing = .none,
        expectsContinue: Bool = false,
        initialCredit: Int = OriginRequest.defaultCredit,
        isServerWide: Bool = false,
        client: RequestingClient? = nil,
        upgrade: [UInt8]? = nil,
        policies: borrowing ExchangePolicies = ExchangePolicies(),
        credential: (any CredentialSource)? = nil,
        identity: String? = nil,
        host: [UInt8]? = nil,
        repeatableContent: ByteChunk? = nil
    ) {
        var extras: Boxed<Extras>?
        if upgrade != nil || credential != nil || identity != nil || host != nil || repeatableContent != nil
            || !policies.isDefault
        {
            extras = Boxed(
                Extras(
                    upgrade: upgrade,
                    policies: copy policies,
                    credential: credential,
                    identity: identity,
                    host: host,
                    content: repeatableContent
                )
            )
        }
        content = Boxed(
            Content(
                method: method,
                uri: uri,
                isServerWide: isServerWide,
                fields: fields,
                framing: repeatableContent.map { .length(Int64($0.count)) } ?? framing,
                expectsContinue: expectsContinue,
                initialCredit: initialCredit,
                client: client,
                extras: extras
            )
        )
    }

    public var method: Method { content.method }
    /// Decides the connection, the request target and, without `host`, the value of `Host`.
    public var uri: TargetURI { content.uri }
    /// The value of `Host` in place of the URI's authority.
    public var host: [UInt8]? { content.extras?.host }
    /// Whether the request target is `*`: OPTIONS for the server as a whole (H-015).
    public var isServerWide: Bool { content.isServerWide }

    /// End-to-end fields with `Via`; neither `Host` nor framing nor hop-by-hop fields.
    public var fields: Fields {
        get { content.fields }
        set { content.fields = newValue }
    }

    /// `.none`, `.length` or `.chunked`; content follows by `Exchange.send`.
    public var framing: Framing { content.framing }

    /// The whole content of a request that is a question: the exchange itself sends it, and may send it again.
    ///
    /// Nil: content follows by `Exchange.send`, if `framing` announces some.
    public var repeatableContent: ByteChunk? { content.extras?.content }

    /// Whether the request may be sent once more if no response came: it is defined to change nothing by that, and its
    /// content is known.
    public var isRepeatable: Bool {
        repeatableContent != nil || (isWithoutContent && method.isIdempotent && upgrade == nil)
    }

    /// The protocol that the client asks to switch to, sent as `Upgrade`; for a GET without content (RFC 9110 §7.8).
    public var upgrade: [UInt8]? {
        get { content.extras?.upgrade }
        set { content.extras[orNew: Extras()].upgrade = newValue }
    }

    /// Whether to send `Expect: 100-continue`, and wait up to a second for the 100 before content (H-073, H-074).
    public var expectsContinue: Bool { content.expectsContinue }

    /// How many bytes of response content may be delivered before the receiver grants more.
    public var initialCredit: Int {
        get { content.initialCredit }
        set { content.initialCredit = newValue }
    }

    /// The client that causes the request; nil: none does.
    public var client: RequestingClient? { content.client }

    /// The policies, for providers that apply policies.
    public var policies: ExchangePolicies {
        get { content.extras?.policies ?? ExchangePolicies() }
        set { content.extras[orNew: Extras()].policies = newValue }
    }

    /// The source of a credential, which a provider with policies adds to each attempt.
    public var credential: (any CredentialSource)? {
        get { content.extras?.credential }
        set { content.extras[orNew: Extras()].credential = newValue }
    }

    /// The name of a client certificate, for a provider that knows the name; it precedes `policies.security`.
    public var identity: String? {
        get { content.extras?.identity }
        set { content.extras[orNew: Extras()].identity = newValue }
    }

    /// What a provider that may answer in place of the origin needs to know; nil: the origin alone may answer.
    public var ticket: RequestTicket? {
        get { content.extras?.ticket }
        set { content.extras[orNew: Extras()].ticket = newValue }
    }

    /// The same request, whose times are not measured.
    public var untimed: OriginRequest {
        var own = self
        own.content.client?.stopwatch = nil
        return own
    }

    var isWithoutContent: Bool { framing == .none || framing == .length(0) }

    /// Whether policies may refuse the request, repeat it, slow it down, or add a credential.
    var hasPolicies: Bool {
        guard let extras = content.extras else { return false }
        return !extras.policies.isEmpty || extras.credential != nil
    }

    /// Which requests wait if the origin asks for a pause.
    var retryAfter: RetryAfterScope { content.extras?.policies.retryAfter ?? ExchangePolicies.defaultRetryAfter }
}
