import Administration
import Eventing
import Observability
import Platform
import Settings

/// A daemon inside this process, on ports of the system's choice: it ends with the process, however that ends.
///
/// It keeps what it loads in a store of its own below the user's, so that a lasting daemon that is started meanwhile finds its
/// store free: it could not wait for the end of a command. Where another such process has it, in memory.
final class OwnDaemon: RunningDaemon {
    let endpoint: ProxyEndpoint
    private let application: Application
    /// Runs it.
    private let thread: WorkerPool

    /// Returns when it serves.
    init(_ command: ParsedCommand) throws(CommandFailure) {
        ProcessMemory.configure()
        var context = ProcessContext.current
        // What a service manager wants to know, or hands over, is for its own child.
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] {
            context.environment[name] = nil
        }
        let files = SettingsFiles(command: try Self.serveCommand(command), context: context)
        let plan = try Self.plan(files)
        let serving = Latch()
        do throws(StartError) {
            application = try Application(
                plan,
                files: files,
                log: Self.log(command, plan.settings),
                isLasting: false,
                onServing: { serving.open() }
            )
        } catch {
            throw CommandFailure("cannot start a daemon: \(error.userMessage)", exitCode: 125)
        }
        endpoint = try ProxyEndpoint(listeners: application.sockets.proxyAddresses.map(\.description))
        do throws(StartError) {
            thread = try WorkerPool.start(count: 1, name: "serve")
        } catch {
            throw CommandFailure("cannot start a daemon: \(error.userMessage)", exitCode: 125)
        }
        thread.submit { [application] in _ = application.run() }
        serving.wait()
    }

    func statistics() -> Result<TrafficStatistics, CommandFailure> {
        .success(TrafficStatistics(application.shared.metrics))
    }

    func finish() -> Result<TrafficStatistics, CommandFailure> {
        application.finish()
        thread.stop()
        return statistics()
    }

    // MARK: Settings

    /// What a daemon of its own is told where the user says nothing.
    private static let defaults = [
        // A command needs no loop per core.
        ("loops", "2"), ("gateway", ""), ("log.access", "false"), ("log.level", "error"),
        ("limits.drain-timeout", "2s"),
    ]

    /// `serve` with the options of `run` that concern a daemon, on ports of the system's choice.
    private static func serveCommand(_ command: ParsedCommand) throws(CommandFailure) -> ParsedCommand {
        let assignments = command.values(of: "set")
        let set = Set(assignments.map { $0.prefix { $0 != "=" }.filter { $0 != " " } })
        var words = ["serve"]
        for (name, value) in [("listen", "127.0.0.1:0"), ("admin", "127.0.0.1:0")] where !set.contains(name) {
            words += ["--\(name)", value]
        }
        for name in ["config", "mode", "store"] {
            for value in command.values(of: name) { words += ["--\(name)", value] }
        }
        for (name, value) in defaults where !set.contains(name) { words += ["--set", "\(name)=\(value)"] }
        let hosts = command.values(of: "intercept").map(TOMLText.quoted)
        if !hosts.isEmpty { words += ["--set", "intercept.hosts=[\(hosts.joined(separator: ", "))]"] }
        for assignment in assignments { words += ["--set", assignment] }
        if let file = command.value(of: "token-file") { words += ["--set", "admin-token-file=\(file)"] }
        let parsed = try parsed(words)
        guard let store = try ownStore(parsed) else { return parsed }
        return try Self.parsed(words + ["--store", store])
    }

    private static func parsed(_ words: [String]) throws(CommandFailure) -> ParsedCommand {
        do throws(UsageError) {
            return try ParsedCommand.parse(words)
        } catch {
            throw CommandFailure(error.userMessage, exitCode: 2)
        }
    }

    /// Where it keeps what it loads; nil: as the command or the settings say.
    private static func ownStore(_ command: ParsedCommand) throws(CommandFailure) -> String? {
        let context = ProcessContext.current
        do throws(SettingsError) {
            let loaded = try LoadedSettings.load(command, context: context)
            if case .option = loaded.origin(ofPath: "storage.directory") { return nil }
            return DaemonPaths(loaded.values, context: context).storageDirectory.map { "\($0)/run" }
        } catch {
            throw CommandFailure("\(error)", exitCode: 2)
        }
    }

    private static func plan(_ files: SettingsFiles) throws(CommandFailure) -> ServingPlan {
        do throws(SettingsError) {
            return try files.plan()
        } catch {
            throw CommandFailure("\(error)", exitCode: 2)
        }
    }

    private static func log(_ command: ParsedCommand, _ settings: DaemonSettings) -> Logger {
        command.has("quiet") ? .silent : Logger(settings.log)
    }
}
