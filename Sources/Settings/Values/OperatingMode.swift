/// How the daemon treats the network (C-25.2).
public enum OperatingMode: String, Sendable, CaseIterable {
    /// Origins are asked as RFC 9111 says.
    case online
    /// An origin that fails again and again is probed while stale responses are served.
    case auto
    /// Nothing is dialled; stale responses are served whatever their age.
    case offline
    /// Like `offline`, with ages frozen: for tests.
    case replay
}
