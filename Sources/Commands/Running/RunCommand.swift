import Platform
import Settings

/// `respite run`: runs a command whose HTTP traffic goes through the cache.
///
/// The traffic goes through a running daemon, unless options ask for different settings. Without one, it goes through a daemon
/// in this process, which ends with the command. The exit code is that of the command. It is 125 if there is no daemon, 126 if
/// the command cannot be started, and 127 if it is not found.
struct RunCommand {
    private let command: ParsedCommand
    private let provider: DaemonProvider
    private let state = ProcessState()
    private let environment = ProcessEnvironment.current

    init(_ command: ParsedCommand, daemon provider: DaemonProvider) {
        self.command = command
        self.provider = provider
    }

    func run() -> Int32 {
        do throws(CommandFailure) {
            return try runCommand()
        } catch {
            Console.complain("respite: \(error.userMessage)")
            // 1 and 4 may be exit codes of the command.
            return error.exitCode == 1 || error.exitCode == 4 ? 125 : error.exitCode
        }
    }

    private func runCommand() throws(CommandFailure) -> Int32 {
        let daemon = try daemon()
        let before = daemon.traffic()
        let outcome = variables(daemon.endpoint).flatMap(exitCode)
        // Even after a failure: the daemon finishes writing to its store.
        let after = daemon.finish()
        let code = try outcome.get()
        note(RunSummary(before, after).sentence)
        return code
    }

    private func note(_ text: String) {
        if !command.has("quiet") { Console.complain("respite: \(text)") }
    }

    /// The environment of the command.
    private func variables(_ endpoint: ProxyEndpoint) -> Result<ProcessEnvironment, CommandFailure> {
        let trust = TrustFiles(command, environment: environment)
        trust.notes.forEach(note)
        var variables = EnvironmentCommand.forAllPrograms(command, endpoint, trust.files, environment: environment)
        if command.has("for") {
            do throws(CommandFailure) {
                let more = try EnvironmentCommand.variables(
                    command,
                    endpoint,
                    trust.files,
                    environment: environment,
                    index: PackageIndex(state: state, environment: environment)
                )
                variables.merge(more)
                more.notes.forEach(note)
            } catch {
                return .failure(error)
            }
        }
        var result = environment
        for variable in variables.variables { result[variable.name] = variable.value }
        return .success(result)
    }

    /// Runs the command until it ends.
    private func exitCode(_ environment: ProcessEnvironment) -> Result<Int32, CommandFailure> {
        if let signal = ChildProcess.takePendingSignal() { return .success(128 + signal) }
        // The bytes of the arguments, since they need not be UTF-8.
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

    private func daemon() throws(CommandFailure) -> any RunningDaemon {
        let needsOwn = ["own", "mode", "set", "intercept"].contains { command.has($0) }
        let shared = needsOwn ? nil : try SharedDaemon(command, report: note)
        if let note = shared?.note { self.note(note) }
        // Threads that start later inherit the mask; so no signal interrupts one of them instead of this thread.
        ChildProcess.blockSignals()
        return if let shared { shared } else { try OwnDaemon(command, provider) }
    }
}
