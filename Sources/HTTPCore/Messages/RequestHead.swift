/// The form of a request target (RFC 9112 §3.2).
public enum TargetForm: Sendable { case origin, absolute, authority, asterisk }

/// The head of a request that is valid by RFC 9112 and by our own, stricter rules.
///
/// A parser can reuse it without allocating.
public struct RequestHead: Sendable {
    public var method: Method
    public var version: HTTPVersion
    public var form: TargetForm
    /// The range of the target in `fields.bytes`.
    public var targetRange: Range<Int>
    /// The parts of the target; host and port are from `Host` if the target has no authority.
    public var parts: TargetParts
    public var fields: Fields
    /// How the content is framed; `.none`, `.length` or `.chunked`.
    public var framing: Framing
    /// Whether the connection may carry another request (RFC 9112 §9.3).
    public var isPersistent: Bool
    /// Whether an HTTP/1.1 client sent `Expect: 100-continue`.
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

    /// Whether the content is missing or empty; Java's HttpClient sends GET with `Content-Length: 0`.
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

extension RequestHead {
    /// Whether this is a WebSocket handshake: GET, HTTP/1.1, no content, `Upgrade: websocket` listed in Connection.
    public var requestsWebSocket: Bool {
        guard method == .get, version == .http11, isWithoutContent,
            fields.contains(.upgrade), fields.contains(.connection), fields.count(of: .upgrade) == 1,
            fields.withValue(of: .upgrade, { Token.matches($0, "websocket") }) == true
        else { return false }
        return ListMembers.members(of: .connection, in: fields).contains { Token.matches($0.span, "upgrade") }
    }
}

extension RequestHead {
    /// The canonical URI of `parts`, which are ranges of this head's bytes.
    public func targetURI(of parts: TargetParts) -> TargetURI { TargetURI(parts, of: fields.bytes.span) }

    /// The canonical URI of this request: of an absolute-form target, or of `Host` and path.
    public var targetURI: TargetURI { targetURI(of: parts) }

    /// Appends the bytes of `targetURI(of: parts)` without allocating; the cache key on the fast path.
    public func appendCanonicalTarget(of parts: TargetParts, to output: inout [UInt8]) {
        let bytes = fields.bytes.span
        let scheme = parts.scheme ?? .http
        let port = parts.port.flatMap { $0 == scheme.defaultPort ? nil : $0 }
        // Room for scheme, colon and five digits, slash.
        output.append(addingCapacity: parts.host.count + parts.path.count + 16) { target in
            target.append(scheme == .http ? "http://" : "https://")
            target.append(lowercasing: bytes, parts.host)
            if let port {
                target.append(0x3A)
                target.append(decimal: UInt64(port))
            }
            Self.append(bytes, path: parts.path, to: &target)
        }
    }

    /// Appends `scheme://authority` of `origin` and the path of this request: the key on a route with a fixed origin.
    public func appendCanonicalTarget(at origin: TargetURI, to output: inout [UInt8]) {
        let bytes = fields.bytes.span
        output.append(addingCapacity: origin.originEnd + parts.path.count + 1) { target in
            target.append(copying: origin.bytes.span, 0..<origin.originEnd)
            Self.append(bytes, path: parts.path, to: &target)
        }
    }

    @inline(__always)
    private static func append(_ bytes: Span<UInt8>, path: Range<Int>, to target: inout OutputSpan<UInt8>) {
        if path.isEmpty || bytes[path.lowerBound] != 0x2F { target.append(0x2F) }
        target.append(copying: bytes, path)
    }
}
