/// How the daemon uses the network (C-25.2).
public enum OperatingMode: String, Sendable, CaseIterable {
    /// Asks origin servers as RFC 9111 requires.
    case online
    /// Probes an origin server that fails repeatedly, and serves stale responses meanwhile.
    case auto
    /// Makes no connection; serves stale responses of any age.
    case offline
    /// Like `offline`, with ages frozen: for tests.
    case replay
}
