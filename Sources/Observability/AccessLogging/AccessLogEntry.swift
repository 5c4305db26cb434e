public import HTTPCore

/// One request as a line of the access log, without its head and notes about it.
public struct AccessLogEntry: Sendable {
    /// Milliseconds since 1970 UTC when the request had been read.
    public var milliseconds: Int64
    /// Address of the client; nil for a client on a Unix socket.
    public var client: IPAddress?
    public var version: HTTPVersion
    /// Status sent; 0 if nothing was.
    public var status: Int
    /// Bytes of content sent.
    public var contentBytes: Int64
    /// Nanoseconds from the request's head to the end of the response.
    public var duration: Int64
    /// What became of the request, such as `hit`, `miss` or `tunnel`.
    public var outcome: StaticString
    /// Whether the message was complete by its framing.
    public var isComplete: Bool

    public init(
        milliseconds: Int64,
        client: IPAddress?,
        version: HTTPVersion,
        status: Int,
        contentBytes: Int64,
        duration: Int64,
        outcome: StaticString,
        isComplete: Bool
    ) {
        self.milliseconds = milliseconds
        self.client = client
        self.version = version
        self.status = status
        self.contentBytes = contentBytes
        self.duration = duration
        self.outcome = outcome
        self.isComplete = isComplete
    }
}

/// What the access log has about a request beyond its message.
public struct AccessLogNotes: Sendable {
    /// Why, in the words of Cache-Status (RFC 9211), such as `uri-miss`; nil if there is nothing to say.
    public var reason: String?
    /// The rule that set the response's lifetime, or refused the request.
    public var rule: String?
    /// The service whose path or host was used.
    public var service: String?
    /// The user of the request's login.
    public var user: String?

    public init(reason: String? = nil, rule: String? = nil, service: String? = nil, user: String? = nil) {
        self.user = user
        self.reason = reason
        self.rule = rule
        self.service = service
    }
}
