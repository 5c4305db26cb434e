/// A request method (RFC 9110 §9); compared with case.
public enum Method: Sendable, Hashable {
    case get, head, post, put, delete, connect, options, trace, patch
    /// Any other token, as received.
    case other([UInt8])
}

/// How a message's content is delimited (RFC 9112 §6).
public enum Framing: Sendable, Hashable {
    /// No content.
    case none
    /// Exactly this many bytes.
    case length(Int64)
    case chunked
    /// Until the connection ends; responses only.
    case untilClose
}

/// A minor version of HTTP/1 as received; anything above 1 is read as 1.
public enum HTTPVersion: UInt8, Sendable { case http10, http11 }

/// The form of a request target (RFC 9112 §3.2).
public enum TargetForm: Sendable { case origin, absolute, authority, asterisk }

/// Scheme, authority and path of a request, as places in the bytes of its head.
public struct TargetParts: Sendable, Equatable {
    /// The scheme of an absolute-form target; nil in the other forms.
    public var scheme: TargetURI.Scheme?
    /// The host, of the target or else of `Host`; empty if there is none (HTTP/1.0).
    public var host: Range<Int>
    /// The port, if one is written there.
    public var port: UInt16?
    /// Path and query as sent; empty, or begins with `/` or `?`.
    public var path: Range<Int>

    public init(
        scheme: TargetURI.Scheme? = nil,
        host: Range<Int> = 0..<0,
        port: UInt16? = nil,
        path: Range<Int> = 0..<0
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }
}

/// A request's head, valid by RFC 9112 and by the rules of our own that are stricter.
///
/// Reusable: a parser fills it again and again without allocating.
public struct RequestHead: Sendable {
    public var method: Method
    public var version: HTTPVersion
    public var form: TargetForm
    /// Where the target stands in `fields.bytes`.
    public var targetRange: Range<Int>
    /// What the target says about where the request goes, and `Host` where the target has no authority.
    public var parts: TargetParts
    public var fields: Fields
    /// How the content is framed; `.none`, `.length` or `.chunked`.
    public var framing: Framing
    /// Whether the connection may carry another request (RFC 9112 §9.3).
    public var isPersistent: Bool
    /// `Expect: 100-continue` from an HTTP/1.1 client.
    public var expectsContinue: Bool

    public init() {
        method = .get
        version = .http11
        form = .origin
        targetRange = 0..<0
        parts = TargetParts()
        fields = Fields()
        framing = .none
        isPersistent = true
        expectsContinue = false
    }

    /// Whether there is no content, or an empty one of known length; Java's HttpClient sends GET with `Content-Length: 0`.
    public var isWithoutContent: Bool {
        switch framing {
        case .none: true
        case .length(let count): count == 0
        case .chunked, .untilClose: false
        }
    }

    /// The target's bytes, as received.
    public var target: [UInt8] { Array(fields.bytes[targetRange]) }
}

/// A response's head.
public struct ResponseHead: Sendable {
    /// 100 to 599.
    public var status: UInt16
    /// The reason phrase as received, without controls; opaque.
    public var reason: [UInt8]
    public var version: HTTPVersion
    public var fields: Fields
    /// How the content is framed, given the method of the request.
    public var framing: Framing
    public var isPersistent: Bool
    /// The value of a valid Content-Length, also where it does not frame (HEAD, 304).
    public var contentLength: Int64?

    public init(status: UInt16, fields: Fields = Fields(), framing: Framing = .none) {
        self.status = status
        reason = []
        version = .http11
        self.fields = fields
        self.framing = framing
        isPersistent = true
        contentLength = nil
    }

    /// 1xx (RFC 9110 §15.2).
    public var isInterim: Bool { status < 200 }
}
