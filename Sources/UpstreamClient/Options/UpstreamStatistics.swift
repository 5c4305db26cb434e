/// Counts of the clients of one loop since the start.
public struct UpstreamStatistics: Sendable {
    public var requests = 0
    public var connects = 0
    public var reuses = 0
    public var retries = 0
    public var failures = 0
    /// Connections that are idle now.
    public var idle = 0
}
