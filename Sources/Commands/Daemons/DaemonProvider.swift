public import CommandSyntax
public import Recording
public import Settings

/// What commands need of the server.
///
/// The executable provides it, since this target contains no server.
public struct DaemonProvider: Sendable {
    /// Runs `respite serve` until it is stopped, and returns the exit code.
    public var serve: @Sendable (ParsedCommand) -> Int32
    /// Checks the settings of a command as thoroughly as a start does.
    public var check: @Sendable (ParsedCommand) throws(SettingsError) -> SettingsCheck
    /// Tries the server that the settings of a command share, as the daemon would use it; nil: they name none.
    public var checkShared: @Sendable (ParsedCommand) throws(StartFailure) -> [Finding]?
    /// Starts a daemon in this process, and returns once it serves.
    ///
    /// The command is `serve` with its options. The flag is true if the daemon logs nothing. With a session, it
    /// records all exchanges, or replays recorded ones.
    public var start: Start

    /// Starts a daemon in this process.
    public typealias Start =
        @Sendable (ParsedCommand, _ isSilent: Bool, any PresetSource, CassetteSession?) throws(StartFailure)
        -> any EmbeddedDaemonControl

    public init(
        serve: @escaping @Sendable (ParsedCommand) -> Int32,
        check: @escaping @Sendable (ParsedCommand) throws(SettingsError) -> SettingsCheck,
        checkShared: @escaping @Sendable (ParsedCommand) throws(StartFailure) -> [Finding]?,
        start: @escaping Start
    ) {
        self.serve = serve
        self.check = check
        self.checkShared = checkShared
        self.start = start
    }
}

/// Why a daemon in this process did not start, or the shared server could not be tried.
public struct StartFailure: Error {
    /// A sentence for people.
    public var userMessage: String
    /// Whether the settings are wrong, rather than something else.
    public var hasWrongSettings: Bool

    public init(_ userMessage: String, hasWrongSettings: Bool) {
        self.userMessage = userMessage
        self.hasWrongSettings = hasWrongSettings
    }
}

/// A daemon in this process; it ends with the process, or when `finish()` is called.
public protocol EmbeddedDaemonControl: Sendable {
    /// Where clients connect: `127.0.0.1:40123`.
    var listeners: [String] { get }
    /// What clients have received so far.
    var traffic: TrafficCounts { get }

    /// Completes the exchanges in progress, and ends the daemon; blocks.
    func finish()
}

/// What the clients of a daemon have received.
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
