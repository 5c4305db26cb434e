/// One request as a line of the access log.
public struct AccessLogEntry: Sendable {
    /// Milliseconds since 1970 UTC when the request had been read.
    public var milliseconds: Int64
    /// Address of the client, without port.
    public var client: String
    public var method: [UInt8]
    /// The target URI, after `SecretParameters.redacted`.
    public var target: [UInt8]
    /// Status sent; 0 if nothing was.
    public var status: Int
    /// Bytes of content sent.
    public var contentBytes: Int
    public var duration: Duration
    /// The word of RFC 9211, such as `hit`, `miss` or `stale`.
    public var cache: String
    /// Whether the message was complete by its framing.
    public var isComplete: Bool

    public init(
        milliseconds: Int64,
        client: String,
        method: [UInt8],
        target: [UInt8],
        status: Int,
        contentBytes: Int,
        duration: Duration,
        cache: String,
        isComplete: Bool
    ) {
        self.milliseconds = milliseconds
        self.client = client
        self.method = method
        self.target = target
        self.status = status
        self.contentBytes = contentBytes
        self.duration = duration
        self.cache = cache
        self.isComplete = isComplete
    }

    /// The line with its end, formatted as a log line of level `info` with the message `request`.
    public func line(format: LogFormat) -> [UInt8] {
        let values: KeyValuePairs<StaticString, any LogValue> = [
            "client": client, "method": method, "target": target, "status": status, "bytes": contentBytes,
            "duration": duration, "cache": cache, "complete": isComplete,
        ]
        return LogLine(milliseconds: milliseconds, level: .info, message: "request", values: values)
            .bytes(format: format)
    }
}
