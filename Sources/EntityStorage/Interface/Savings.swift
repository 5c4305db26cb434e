public import HTTPCore

/// What a cache has saved: requests that origins did not get, and content that they did not send.
public struct Savings: Sendable, Equatable {
    public var requests: Int64
    public var bytes: Int64
    /// Since when; nil if nothing was written yet.
    public var since: HTTPDate?

    public init(requests: Int64 = 0, bytes: Int64 = 0, since: HTTPDate? = nil) {
        self.requests = requests
        self.bytes = bytes
        self.since = since
    }
}
