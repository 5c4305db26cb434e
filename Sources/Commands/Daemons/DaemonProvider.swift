public import Settings

/// What commands need of the server, which the executable provides: this target contains no server.
public struct DaemonProvider: Sendable {
    /// Runs `respite serve` until somebody stops it, and returns the exit code.
    public var serve: @Sendable (ParsedCommand) -> Int32
    /// Checks the settings of a command as thoroughly as a start does.
    public var check: @Sendable (ParsedCommand) throws(SettingsError) -> SettingsCheck
    /// Starts a daemon in this process, and returns once it serves.
    ///
    /// The command is `serve` with its options. The flag says whether the daemon logs nothing.
    public var start: @Sendable (ParsedCommand, _ isSilent: Bool) throws(StartFailure) -> any EmbeddedDaemonControl

    public init(
        serve: @escaping @Sendable (ParsedCommand) -> Int32,
        check: @escaping @Sendable (ParsedCommand) throws(SettingsError) -> SettingsCheck,
        start: @escaping @Sendable (ParsedCommand, _ isSilent: Bool) throws(StartFailure) -> any EmbeddedDaemonControl
    ) {
        self.serve = serve
        self.check = check
        self.start = start
    }
}

/// Why a daemon in this process does not start.
public struct StartFailure: Error {
    /// A sentence for a person.
    public var userMessage: String
    /// Whether the settings are wrong; else something else is.
    public var hasWrongSettings: Bool

    public init(_ userMessage: String, hasWrongSettings: Bool) {
        self.userMessage = userMessage
        self.hasWrongSettings = hasWrongSettings
    }
}

/// A daemon in this process; it ends with the process, if nobody finishes it before.
public protocol EmbeddedDaemonControl: Sendable {
    /// Where clients connect: `127.0.0.1:40123`.
    var listeners: [String] { get }
    /// What clients have got so far.
    var traffic: TrafficCounts { get }

    /// Completes the exchanges in progress, and ends the daemon; blocks.
    func finish()
}

/// What clients of a daemon have got.
public struct TrafficCounts: Sendable, Equatable {
    public var requests: Int
    public var hits: Int
    public var tunnels: Int
    /// Bytes of content that came from the cache.
    public var cachedBytes: Int

    public init(requests: Int, hits: Int, tunnels: Int, cachedBytes: Int) {
        self.requests = requests
        self.hits = hits
        self.tunnels = tunnels
        self.cachedBytes = cachedBytes
    }
}
