/// What the clients of one loop have done since the start.
public struct UpstreamStatistics: Sendable {
    public var requests = 0
    public var connects = 0
    public var reuses = 0
    public var retries = 0
    public var failures = 0
    /// Connections without an exchange now.
    public var idle = 0
}
