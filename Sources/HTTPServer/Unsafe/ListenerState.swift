import HTTPCore

/// What a listener's connections touch with every request; exempt from the exclusivity checks for the reason given at
/// `ConnectionState`.
public class ListenerState {
    /// What has happened here since the start.
    public struct Statistics: Sendable {
        public var connections = 0
        public var requests = 0
        /// Requests answered with an error because they were malformed or beyond a limit.
        public var refused = 0
        /// Heads and contents that stopped in the middle (H-031, H-049).
        public var incomplete = 0
        /// Connections turned away because their peer had too many.
        public var turnedAway = 0
        /// Handshakes of TLS that came to nothing.
        public var insecure = 0
    }

    /// Replaced when the settings change; how heads are parsed holds for connections accepted from then on.
    @safe @exclusivity(unchecked) public final var limits: ServerLimits {
        didSet { idleNanoseconds = limits.idleTimeout.wholeNanoseconds }
    }
    /// `limits.idleTimeout`, set with every request.
    @safe @exclusivity(unchecked) private(set) final var idleNanoseconds: Int64
    @safe @exclusivity(unchecked) public internal(set) final var statistics = Statistics()
    /// No further connections and requests are taken.
    @safe @exclusivity(unchecked) public internal(set) final var isDraining = false

    /// The head being read; its arrays serve one request after the other.
    @safe @exclusivity(unchecked) final var head = RequestHead()

    init(limits: ServerLimits) {
        self.limits = limits
        idleNanoseconds = limits.idleTimeout.wholeNanoseconds
    }
}
