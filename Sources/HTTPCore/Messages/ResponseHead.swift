/// A response's head.
public struct ResponseHead: Sendable {
    /// 100 to 599.
    public var status: UInt16
    /// The reason phrase as received, without controls; opaque.
    public var reason: [UInt8]
    package var version: HTTPVersion
    public var fields: Fields
    /// How the content is framed, given the method of the request.
    package var framing: Framing
    package var isPersistent: Bool
    /// The value of a valid Content-Length, even if it does not delimit the content (HEAD, 304).
    public var contentLength: Int64?

    public init(status: UInt16, fields: Fields = Fields()) { self.init(status: status, fields: fields, framing: .none) }

    package init(status: UInt16, fields: Fields = Fields(), framing: Framing) {
        self.status = status
        reason = []
        version = .http11
        self.fields = fields
        self.framing = framing
        isPersistent = true
        contentLength = nil
    }

    /// Whether the status is 1xx (RFC 9110 §15.2).
    public var isInterim: Bool { status < 200 }
}
