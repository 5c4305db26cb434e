/// A request method (RFC 9110 §9); case matters.
public enum Method: Sendable, Hashable {
    case get, head, post, put, delete, connect, options, trace, patch, query
    /// Another token, as received.
    case other([UInt8])
}

extension Method {
    /// Written out, since the compiler does not inline the function that it derives.
    @inline(__always)
    public static func == (first: Method, second: Method) -> Bool {
        switch (first, second) {
        case (.get, .get), (.head, .head), (.post, .post), (.put, .put), (.delete, .delete): true
        case (.connect, .connect), (.options, .options), (.trace, .trace), (.patch, .patch), (.query, .query): true
        case (.other(let first), .other(let second)): first == second
        default: false
        }
    }

    /// The method with this name; every token is one.
    package init(_ bytes: Span<UInt8>) {
        switch bytes.count {
        case 3 where Self.matches(bytes, "GET"): self = .get
        case 3 where Self.matches(bytes, "PUT"): self = .put
        case 4 where Self.matches(bytes, "HEAD"): self = .head
        case 4 where Self.matches(bytes, "POST"): self = .post
        case 5 where Self.matches(bytes, "PATCH"): self = .patch
        case 5 where Self.matches(bytes, "TRACE"): self = .trace
        case 5 where Self.matches(bytes, "QUERY"): self = .query
        case 6 where Self.matches(bytes, "DELETE"): self = .delete
        case 7 where Self.matches(bytes, "CONNECT"): self = .connect
        case 7 where Self.matches(bytes, "OPTIONS"): self = .options
        default: self = .other([UInt8](copying: bytes))
        }
    }

    public init(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(bytes.span)
    }

    @inline(__always)
    private static func matches(_ bytes: Span<UInt8>, _ name: StaticString) -> Bool {
        ByteScan.equals(bytes, name)
    }

    /// The name, such as `GET`.
    public var bytes: [UInt8] {
        var result: [UInt8] = []
        append(to: &result)
        return result
    }

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Appends the name.
    package func append(to output: inout [UInt8]) {
        switch self {
        case .get: ByteScan.append("GET", to: &output)
        case .head: ByteScan.append("HEAD", to: &output)
        case .post: ByteScan.append("POST", to: &output)
        case .put: ByteScan.append("PUT", to: &output)
        case .delete: ByteScan.append("DELETE", to: &output)
        case .connect: ByteScan.append("CONNECT", to: &output)
        case .options: ByteScan.append("OPTIONS", to: &output)
        case .trace: ByteScan.append("TRACE", to: &output)
        case .patch: ByteScan.append("PATCH", to: &output)
        case .query: ByteScan.append("QUERY", to: &output)
        case .other(let name): output.append(contentsOf: name)
        }
    }

    /// Whether the method is defined to be read-only (RFC 9110 §9.2.1, RFC 10008); an unknown one is not.
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace, .query: true
        case .post, .put, .delete, .connect, .patch, .other: false
        }
    }

    /// Whether doing it twice is defined to be the same as once (RFC 9110 §9.2.2).
    public var isIdempotent: Bool {
        switch self {
        case .get, .head, .options, .trace, .put, .delete, .query: true
        case .post, .connect, .patch, .other: false
        }
    }

    /// Whether the method defines content, so that a request without framing fields says `Content-Length: 0`.
    package var definesContent: Bool {
        switch self {
        case .post, .put, .patch, .query: true
        case .get, .head, .delete, .connect, .options, .trace, .other: false
        }
    }
}
