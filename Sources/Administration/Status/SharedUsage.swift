import Formats

/// The state of the tier that nodes share.
public struct SharedUsage: Sendable {
    /// The server, or nodes of the cluster.
    public var server: String
    /// Why it is of no use now; nil: it is.
    public var reason: String?
    public var hits = 0
    public var misses = 0
    /// Look-ups without an answer in time, and those left out while the server is slow or down.
    public var failures = 0
    public var skipped = 0
    /// Look-ups that waited for the load of another node.
    public var waits = 0
    /// Leases held now, and leases that the server lost while they were held.
    public var leases = 0
    public var lostLeases = 0
    /// Whether this node hears of the purges of others now.
    public var isFollowing = false
    /// Purges of this node, purges of other nodes, and how often all had to be validated.
    public var announcements = 0
    public var purges = 0
    public var resets = 0
    /// Responses stored there, and responses that it did not accept.
    public var stored = 0
    public var refused = 0
    /// Records that were damaged, or of another format.
    public var broken = 0

    public init(server: String, reason: String?) { (self.server, self.reason) = (server, reason) }

    func write(to writer: inout JSONWriter) {
        writer.member("server", server)
        if let reason { writer.member("reason", reason) }
        writer.member("hits", hits)
        writer.member("misses", misses)
        writer.member("failures", failures)
        writer.member("skipped", skipped)
        writer.member("waits", waits)
        writer.member("leases", leases)
        writer.member("lostLeases", lostLeases)
        writer.member("following", isFollowing)
        writer.member("purgesSent", announcements)
        writer.member("purgesReceived", purges)
        writer.member("resets", resets)
        writer.member("stored", stored)
        writer.member("refused", refused)
        writer.member("broken", broken)
    }
}
