import Administration
import Eventing
import Platform
import Settings

/// `respite run`: a command with its traffic through the cache.
///
/// By the daemon that runs, unless options want one that is different; else by one in this process, which ends with the
/// command. The exit code is the command's; 125 if there is no daemon to be had, 126 and 127 if the command cannot be
/// started or found.
enum RunCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        let state = ProcessState()
        let environment = ProcessEnvironment.current
        do throws(CommandFailure) {
            return try run(command, state, environment)
        } catch {
            Console.complain("respite: \(error.userMessage)")
            // What might be the command's own word is not said.
            return error.exitCode == 1 || error.exitCode == 4 ? 125 : error.exitCode
        }
    }

    private static func run(
        _ command: ParsedCommand,
        _ state: ProcessState,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> Int32 {
        let tell = { (note: String) in if !command.has("quiet") { Console.complain("respite: \(note)") } }
        let daemon = try daemon(for: command, tell)
        let before = daemon.statistics()
        let index = PackageIndex(state: state, environment: environment)
        let own = variables(for: command, daemon.endpoint, environment, index, tell)
        let outcome = own.flatMap { Self.outcome(of: command, $0, state) }
        // Whatever has gone wrong, what is held is put away.
        let after = daemon.finish()
        let code = try outcome.get()
        tell(RunSummary(before, after).sentence)
        return code
    }

    /// What the command finds.
    private static func variables(
        for command: ParsedCommand,
        _ endpoint: ProxyEndpoint,
        _ environment: ProcessEnvironment,
        _ index: PackageIndex,
        _ tell: (String) -> Void
    ) -> Result<ProcessEnvironment, CommandFailure> {
        let trust = OwnTrust(command, environment: environment)
        trust.notes.forEach(tell)
        var variables = EnvironmentCommand.forEverything(command, endpoint, trust.files, environment: environment)
        if command.has("for") {
            do throws(CommandFailure) {
                let more = try EnvironmentCommand.variables(
                    command,
                    endpoint,
                    trust.files,
                    environment: environment,
                    index: index
                )
                variables.merge(more)
                more.notes.forEach(tell)
            } catch {
                return .failure(error)
            }
        }
        var own = environment
        for variable in variables.variables { own[variable.name] = variable.value }
        return .success(own)
    }

    /// Runs the command to its end.
    private static func outcome(
        of command: ParsedCommand,
        _ environment: ProcessEnvironment,
        _ state: ProcessState
    ) -> Result<Int32, CommandFailure> {
        // Byte for byte as they were given, which text need not be.
        if let signal = ChildProcess.takePendingSignal() { return .success(128 + signal) }
        let words = ProcessArguments.last(command.operands.count) ?? command.operands.map { Array($0.utf8) }
        do throws(SystemError) {
            return .success(try ChildProcess(words, environment: environment, state: state).wait().exitCode)
        } catch {
            let name = Console.printable(command.operands.first ?? "")
            return .failure(
                CommandFailure("cannot run \(name): \(error)", exitCode: error.isMissingFile ? 127 : 126)
            )
        }
    }

    private static func daemon(
        for command: ParsedCommand,
        _ tell: (String) -> Void
    ) throws(CommandFailure) -> any RunningDaemon {
        let wantsOwn = ["own", "mode", "set", "intercept"].contains { command.has($0) }
        let shared = wantsOwn ? nil : try SharedDaemon(command, note: tell)
        if let note = shared?.note { tell(note) }
        // Before there are threads that could be interrupted in the place of this one.
        ChildProcess.blockSignals()
        return if let shared { shared } else { try OwnDaemon(command) }
    }
}

/// What a command's traffic goes through.
protocol RunningDaemon {
    var endpoint: ProxyEndpoint { get }

    /// What clients asked for so far; why that is not known.
    func statistics() -> Result<TrafficStatistics, CommandFailure>

    /// The command has ended: the last figures.
    func finish() -> Result<TrafficStatistics, CommandFailure>
}
