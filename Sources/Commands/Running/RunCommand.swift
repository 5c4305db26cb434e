import CommandSyntax
import Platform
import Settings

/// `respite run`: runs a command whose HTTP traffic goes through the cache.
///
/// The traffic goes through a running daemon, unless the command needs different settings. Without one, it goes through a
/// daemon in this process, which ends with the command. Package managers get their index by the gateway, with the rules for
/// it in force. The exit code is that of the command. It is 125 if there is no daemon, 126 if the command cannot be started,
/// and 127 if it is not found.
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
        let index = PackageIndex(state: state, environment: environment)
        let wanted = command.has("rules") ? try LoadedSettings.forCommand(command).values.presets : []
        let tools = try RunTools(command, wanted: wanted, index)
        try checkProgram(index)
        let directory = try RunDirectory(environment)
        defer { directory.remove() }
        // A signal must not leave the key behind.
        if command.has("intercept") { ChildProcess.blockSignals() }
        let authority = command.has("intercept") ? try RunAuthority(command, directory, environment) : nil
        let daemon = try daemon(tools, authority)
        let before = daemon.traffic()
        let outcome = setup(tools, authority, daemon.endpoint, directory, index).flatMap(exitCode)
        // Even after a failure: the daemon finishes writing to its store.
        let after = daemon.finish()
        let code = try outcome.get()
        note(RunSummary(before, after, daemon.endpoint, isIntercepting: authority != nil).sentence)
        return code
    }

    private func note(_ text: String) {
        if !command.has("quiet") { Console.complain("respite: \(text)") }
    }

    /// Fails if there is no program of the command's name.
    private func checkProgram(_ index: PackageIndex) throws(CommandFailure) {
        guard let name = command.operands.first, !index.isInstalled([name]) else { return }
        // The start finds out what is wrong with a file.
        guard !name.contains("/"), !name.isEmpty else { return }
        throw CommandFailure(
            "cannot run \(Console.printable(name)): there is no program of this name on the PATH",
            exitCode: 127
        )
    }

    /// The command with its arguments, and its environment.
    private typealias Setup = (words: [[UInt8]], environment: ProcessEnvironment)

    private func setup(
        _ tools: RunTools,
        _ authority: RunAuthority?,
        _ endpoint: ProxyEndpoint,
        _ directory: RunDirectory,
        _ index: PackageIndex
    ) -> Result<Setup, CommandFailure> {
        let files = authority == nil ? TrustFiles(command, environment: environment) : nil
        (authority?.notes ?? files?.notes ?? []).forEach(note)
        let trust = authority?.trust ?? files?.files
        var variables = EnvironmentCommand.forAllPrograms(command, endpoint, trust, environment: environment)
        // The bytes of the arguments, since they need not be UTF-8.
        let words = ProcessArguments.last(command.operands.count) ?? command.operands.map { Array($0.utf8) }
        var setup = RunSetup(words, directory, environment)
        let exceptions = EnvironmentCommand.exceptions(command, environment)
        do throws(CommandFailure) {
            for entry in tools.entries {
                try setup.point(
                    entry,
                    at: endpoint,
                    trust,
                    exceptions: exceptions,
                    index: index,
                    isIntercepting: authority != nil
                )
            }
        } catch {
            return .failure(error)
        }
        variables.merge(setup.variables)
        setup.variables.notes.forEach(note)
        if let authority { variables.merge(authority.variables(endpoint, exceptions: exceptions)) }
        var result = environment
        for variable in variables.variables {
            // Options of the user stay in force.
            let present = Self.optionLists.contains(variable.name) ? environment[variable.name] : nil
            result[variable.name] = (present.map { $0.isEmpty ? "" : "\($0) " } ?? "") + variable.value
        }
        return .success((setup.words, result))
    }

    /// Variables that are lists of options.
    private static let optionLists = ["NODE_OPTIONS", "JAVA_TOOL_OPTIONS"]

    /// Runs the command until it ends.
    private func exitCode(_ setup: Setup) -> Result<Int32, CommandFailure> {
        if let signal = ChildProcess.takePendingSignal() { return .success(128 + signal) }
        do throws(SystemError) {
            return .success(
                try ChildProcess(setup.words, environment: setup.environment, state: state).wait().exitCode
            )
        } catch {
            let name = Console.printable(command.operands.first ?? "")
            return .failure(
                CommandFailure("cannot run \(name): \(error)", exitCode: error.isMissingFile ? 127 : 126)
            )
        }
    }

    private func daemon(
        _ tools: RunTools,
        _ authority: RunAuthority?
    ) throws(CommandFailure) -> any RunningDaemon {
        let needsOwn =
            ["own", "mode", "set", "intercept"].contains { command.has($0) } || !tools.services.isEmpty
        let shared = needsOwn ? nil : try SharedDaemon(command, presets: tools.presets, report: note)
        if let note = shared?.note { self.note(note) }
        // Threads that start later inherit the mask; so no signal interrupts one of them instead of this thread.
        ChildProcess.blockSignals()
        return if let shared { shared } else { try OwnDaemon(command, provider, tools, authority) }
    }
}
