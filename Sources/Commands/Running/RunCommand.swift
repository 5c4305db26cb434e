import CommandSyntax
import Platform
import Recording
import Settings
import Terminal

/// `respite run`: runs a command whose HTTP traffic goes through the cache.
///
/// The traffic goes through a running daemon, unless the command needs different settings. Without one, it goes through
/// a daemon in this process, which ends with the command. Package managers get their index by the gateway, with the
/// rules for it in force. The exit code is that of the command. It is 125 if there is no daemon, 126 if the command
/// cannot be started, and 127 if it is not found.
struct RunCommand {
    private let command: ParsedCommand
    private let provider: DaemonProvider
    /// What is recorded or replayed; nil: the traffic goes through the cache.
    private let cassette: CassetteSession?
    /// The program with its arguments.
    private let program: [String]
    private let state = ProcessState()
    private let environment = ProcessEnvironment.current

    /// - Parameter cassette: with one, the first operand is its file.
    init(_ command: ParsedCommand, daemon provider: DaemonProvider, cassette: CassetteSession? = nil) {
        self.command = command
        self.provider = provider
        self.cassette = cassette
        program = Array(command.operands.dropFirst(cassette == nil ? 0 : 1))
    }

    /// Whether https is read.
    private var intercepts: Bool { cassette != nil || command.has("intercept") }

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
        let tools = cassette == nil ? try RunTools(command, wanted: wanted, index) : RunTools()
        try checkProgram(index)
        let directory = try RunDirectory(environment)
        defer { directory.remove() }
        // A signal must not leave the key behind.
        if intercepts { ChildProcess.blockSignals() }
        let authority =
            intercepts ? try RunAuthority(command, directory, environment, isForAll: cassette != nil) : nil
        let daemon = try daemon(tools, authority)
        let before = daemon.traffic()
        let outcome = setup(tools, authority, daemon.endpoint, directory, index).flatMap(exitCode)
        // Even after a failure: the daemon finishes writing to its store.
        let after = daemon.finish()
        let code = try outcome.get()
        noteTunnels(after)
        if cassette == nil {
            note(RunSummary(before, after, daemon.endpoint, isIntercepting: authority != nil).sentence)
        }
        return code
    }

    /// Reports what a recording could not see: connections of clients that distrust its CA, or speak another protocol.
    private func noteTunnels(_ counts: Result<TrafficCounts, CommandFailure>) {
        guard cassette != nil, case .success(let counts) = counts, counts.tunnels > 0 else { return }
        let (tunnels, them) = (Plural.text(counts.tunnels, "tunnel"), counts.tunnels == 1 ? "it" : "them")
        Console.complain("respite: \(tunnels) passed by unread, and what was in \(them) is not in the cassette")
    }

    private func note(_ text: String) {
        if !command.has("quiet") { Console.complain("respite: \(text)") }
    }

    /// Fails if there is no program of the command's name.
    private func checkProgram(_ index: PackageIndex) throws(CommandFailure) {
        guard let name = program.first, !index.isInstalled([name]) else { return }
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
        // Recordings have what programs ask of this machine, too.
        let exceptions =
            cassette == nil
            ? EnvironmentCommand.exceptions(command, environment) : command.value(of: "no-proxy") ?? ""
        var variables = ClientVariables.forAllPrograms(endpoint, trust, exceptions: exceptions)
        // The bytes of the arguments, since they need not be UTF-8.
        let words = ProcessArguments.last(program.count) ?? program.map { Array($0.utf8) }
        var setup = RunSetup(words, directory, environment)
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
            let name = Console.printable(program.first ?? "")
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
            cassette != nil || ["own", "mode", "set", "intercept"].contains { command.has($0) }
            || !tools.services.isEmpty
        let shared = needsOwn ? nil : try SharedDaemon(command, presets: tools.presets, report: note)
        if let note = shared?.note { self.note(note) }
        // Threads that start later inherit the mask; so no signal interrupts one of them instead of this thread.
        ChildProcess.blockSignals()
        return if let shared { shared } else { try OwnDaemon(command, provider, tools, authority, cassette) }
    }
}
