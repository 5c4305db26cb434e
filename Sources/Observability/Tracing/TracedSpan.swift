public import HTTPCore

/// A span of a trace: a client's request, or a request to an origin that it caused.
public struct TracedSpan: Sendable {
    public enum Kind: Sendable { case server, client }

    public var kind: Kind
    public var context: TraceContext
    /// The span that caused this one; nil: none did.
    public var parent: UInt64?
    /// The values of `tracestate`, passed on as they came.
    public var state: [UInt8] = []
    /// The load that a request joined.
    public var link: TraceContext?
    public var start: MonotonicTime
    public var end: MonotonicTime
    public var method: Method
    /// The target URI, or the target as it came; secrets are not masked yet.
    public var target: [UInt8]
    /// Status of the response; 0: there was none.
    public var status: UInt16 = 0
    /// Why there was no response, or not all of it: an error type of RFC 9209, or a word of ours.
    public var failure: String?
    /// What only spans of clients' requests have.
    public var server: ServerFacts?

    public struct ServerFacts: Sendable {
        /// What became of the request, such as `hit`.
        public var outcome: StaticString
        public var notes: AccessLogNotes
        public var version: HTTPVersion
        public var client: IPAddress?
        /// Bytes of content received and sent.
        public var requestBytes: Int64
        public var contentBytes: Int64

        public init(
            outcome: StaticString,
            notes: AccessLogNotes,
            version: HTTPVersion,
            client: IPAddress?,
            requestBytes: Int64,
            contentBytes: Int64
        ) {
            self.outcome = outcome
            self.notes = notes
            self.version = version
            self.client = client
            self.requestBytes = requestBytes
            self.contentBytes = contentBytes
        }
    }

    public init(
        _ kind: Kind,
        _ context: TraceContext,
        parent: UInt64?,
        start: MonotonicTime,
        end: MonotonicTime,
        method: Method,
        target: [UInt8]
    ) {
        self.kind = kind
        self.context = context
        self.parent = parent
        self.start = start
        self.end = end
        self.method = method
        self.target = target
    }
}
