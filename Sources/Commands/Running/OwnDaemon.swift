import CommandSyntax
import Eventing
import Platform
import Recording
import Settings

/// A daemon that `respite run` starts in this process, only for its command.
///
/// It listens on ports that the system chooses. Its store is a directory below the user's store. So a daemon that
/// starts meanwhile finds the user's store free. An option may name another store; below the store of a running daemon
/// it uses the same directory. If another such process uses that directory, the daemon stores only in memory.
struct OwnDaemon: RunningDaemon {
    let endpoint: ProxyEndpoint
    private let daemon: any EmbeddedDaemonControl

    /// Returns once the daemon serves.
    ///
    /// - Parameter cassette: what it records or replays; nil: it caches.
    /// - Throws: exit code 125 if it cannot start.
    init(
        _ command: ParsedCommand,
        _ provider: DaemonProvider,
        _ tools: RunTools,
        _ authority: RunAuthority?,
        _ cassette: CassetteSession? = nil
    ) throws(CommandFailure) {
        let serve =
            cassette == nil
            ? try Self.serveCommand(command, tools.presets, services: tools.services, authority)
            : try Self.storelessCommand(command, authority)
        var presets = ToolPresets()
        presets.known = tools.known
        do throws(StartFailure) {
            daemon = try provider.start(serve, command.has("quiet"), presets, cassette)
        } catch {
            throw error.hasWrongSettings
                ? CommandFailure(error.userMessage, exitCode: 2)
                : CommandFailure("cannot start a daemon: \(error.userMessage)", exitCode: 125)
        }
        endpoint = try ProxyEndpoint(listeners: daemon.listeners)
    }

    func traffic() -> Result<TrafficCounts, CommandFailure> { .success(daemon.traffic) }

    func finish() -> Result<TrafficCounts, CommandFailure> {
        daemon.finish()
        return traffic()
    }

    // MARK: Settings

    /// The settings of such a daemon, unless the user sets others.
    private static let defaults = [
        // A command needs no loop per core.
        ("loops", "2"), ("gateway", ""), ("log.access", "false"), ("log.level", "error"),
        ("limits.drain-timeout", "2s"),
    ]

    /// The command `serve` with the options of `run` that are for the daemon.
    static func serveCommand(
        _ command: ParsedCommand,
        _ presets: [PresetSetting] = [],
        services: [(name: String, base: String)] = [],
        _ authority: RunAuthority? = nil
    ) throws(CommandFailure) -> ParsedCommand {
        let assignments = command.values(of: "set")
        let set = Set(assignments.map { $0.prefix { $0 != "=" }.filter { $0 != " " } })
        var words = ["serve"]
        for (name, value) in [("listen", "127.0.0.1:0"), ("admin", "127.0.0.1:0")] where !set.contains(name) {
            words += ["--\(name)", value]
        }
        for name in ["config", "mode"] {
            for value in command.values(of: name) { words += ["--\(name)", value] }
        }
        for (name, value) in defaults where !set.contains(name) { words += ["--set", "\(name)=\(value)"] }
        if !presets.isEmpty {
            words += ["--set", "rules=[\(presets.map { TOMLText.quoted($0.text) }.joined(separator: ", "))]"]
        }
        for service in services { words += ["--set", "service.\(service.name).base=\(TOMLText.quoted(service.base))"] }
        words += authority?.settings ?? []
        for assignment in assignments { words += ["--set", assignment] }
        if let file = command.value(of: "token-file") { words += ["--set", "admin-token-file=\(file)"] }
        let named = command.value(of: "store").map { ["--store", $0] } ?? []
        let parsed = try parsed(words + named)
        guard let store = try storeDirectory(parsed) else { return parsed }
        return try Self.parsed(words + ["--store", store])
    }

    /// The command `serve` for a daemon that records or replays.
    ///
    /// It reads no settings file, unless one is named: a recording replays alike everywhere.
    static func storelessCommand(
        _ command: ParsedCommand,
        _ authority: RunAuthority? = nil
    ) throws(CommandFailure) -> ParsedCommand {
        var words = ["serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", "none"]
        words += ["--config", command.value(of: "config") ?? "/dev/null"]
        let set = Set(command.values(of: "set").map { $0.prefix { $0 != "=" }.filter { $0 != " " } })
        for (name, value) in defaults + [("access.connect-ports", "any")] where !set.contains(name) {
            words += ["--set", "\(name)=\(value)"]
        }
        words += authority?.settings ?? []
        for assignment in command.values(of: "set") { words += ["--set", assignment] }
        return try parsed(words)
    }

    private static func parsed(_ words: [String]) throws(CommandFailure) -> ParsedCommand {
        do throws(UsageError) {
            return try ParsedCommand.parse(words)
        } catch {
            throw CommandFailure(error.userMessage, exitCode: 2)
        }
    }

    /// The directory of the store; nil if an option decides it.
    private static func storeDirectory(_ command: ParsedCommand) throws(CommandFailure) -> String? {
        let context = ProcessContext.current
        let loaded = try LoadedSettings.forCommand(command, context: context)
        let paths = DaemonPaths(loaded.values, context: context)
        let origin = loaded.origin(ofPath: "storage.directory")
        if case .option(let option) = origin, option != "--store" || !isInUse(paths) { return nil }
        return paths.storageDirectory.map { "\($0)/run" }
    }

    /// Whether a running daemon has this store.
    private static func isInUse(_ paths: DaemonPaths) -> Bool {
        guard paths.storageDirectory != nil, let socket = paths.adminSocket else { return false }
        return SmallFile.isOwnSocket(socket) && AdminClient.answers(at: .unix(path: socket))
    }
}
