import Administration
import Eventing
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
            let index = PackageIndex(state: state, environment: environment)
            return try run(command, state, environment, index)
        } catch {
            Console.complain("respite: \(error.userMessage)")
            return error.exitCode
        }
    }

    private static func run(
        _ command: ParsedCommand,
        _ state: ProcessState,
        _ environment: ProcessEnvironment,
        _ index: PackageIndex
    ) throws(CommandFailure) -> Int32 {
        let daemon = try daemon(for: command)
        var variables = try EnvironmentCommand.forEverything(command, daemon.endpoint, environment: environment)
        if command.has("for") {
            let more = try EnvironmentCommand.variables(
                command,
                daemon.endpoint,
                environment: environment,
                index: index
            )
            variables.merge(more)
            for note in more.notes where !command.has("quiet") { Console.complain("respite: \(note)") }
        }
        var own = environment
        for variable in variables.variables { own[variable.name] = variable.value }
        let before = daemon.figures()
        let outcome = outcome(of: command, own, state)
        let after = daemon.finish()
        let code = try outcome.get()
        if !command.has("quiet") { Console.complain("respite: \(RunSummary(before, after).sentence)") }
        return code
    }

    /// Runs the command to its end.
    private static func outcome(
        of command: ParsedCommand,
        _ environment: ProcessEnvironment,
        _ state: ProcessState
    ) -> Result<Int32, CommandFailure> {
        // Octet for octet as they were given, which text need not be.
        if let signal = ChildProcess.heldSignal() { return .success(128 + signal) }
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

    private static func daemon(for command: ParsedCommand) throws(CommandFailure) -> any RunningDaemon {
        let wantsOwn = ["own", "mode", "set", "intercept"].contains { command.has($0) }
        let shared = wantsOwn ? nil : try SharedDaemon(command)
        // Before there are threads that could be interrupted in the place of this one.
        ChildProcess.holdSignals()
        return if let shared { shared } else { try OwnDaemon(command) }
    }
}

/// What a command's traffic goes through.
protocol RunningDaemon {
    var endpoint: ProxyEndpoint { get }

    /// What clients asked for so far; why that is not known.
    func figures() -> Result<TrafficFigures, CommandFailure>

    /// The command has ended: the last figures.
    func finish() -> Result<TrafficFigures, CommandFailure>
}
