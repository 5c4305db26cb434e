import CommandSyntax
import Platform
import Settings
import Terminal

/// `respite env`: prints the variables that make programs use the proxy.
enum EnvironmentCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        CommandFailure.report { () throws(CommandFailure) in
            let environment = ProcessEnvironment.current
            let endpoint = try ProxyEndpoint.find(command) { warning in
                if !command.has("unset") { Console.complain("respite: \(warning)") }
            }
            let trust = TrustFiles(command, environment: environment)
            var variables = try variables(
                command,
                endpoint,
                trust.files,
                environment: environment,
                index: PackageIndex(state: ProcessState(), environment: environment)
            )
            for note in trust.notes { variables.note(note) }
            if let note = try missingRules(command) { variables.note(note) }
            let shell: VariablesText = command.has("fish") ? .fish : .posix
            if command.has("json") {
                Console.write(VariablesText.json(variables))
            } else {
                Console.write(command.has("unset") ? shell.unset(variables) : shell.text(variables))
            }
            return 0
        }
    }

    /// A note if the running daemon has no rules for one of the tools that `--for` names.
    private static func missingRules(_ command: ParsedCommand) throws(CommandFailure) -> String? {
        var wanted: Set<String> = []
        for name in command.values(of: "for") {
            if let preset = try RecognizedTool(named: name).tool.preset { wanted.insert(preset.rawValue) }
        }
        guard !wanted.isEmpty, case .found(_, let status) = try DaemonSearch(command) else { return nil }
        let present = (status["rules"]?.elements ?? []).compactMap { $0.text.map { String($0.prefix { $0 != "=" }) } }
        let missing = wanted.subtracting(present).sorted()
        guard !missing.isEmpty else { return nil }
        let names = missing.map { "\"\($0)\"" }.joined(separator: ", ")
        return
            "The daemon has no rules for \(missing.joined(separator: ", ")): write rules = [\(names)] to its settings for more hits."
    }

    /// The variables for the tools that `--for` names; without any, those for all programs.
    static func variables(
        _ command: ParsedCommand,
        _ endpoint: ProxyEndpoint,
        _ trust: ClientVariables.Trust?,
        environment: ProcessEnvironment,
        index: PackageIndex
    ) throws(CommandFailure) -> ClientVariables {
        let exceptions = exceptions(command, environment)
        var tools: [RecognizedTool] = []
        for name in command.values(of: "for") { tools.append(try RecognizedTool(named: name)) }
        guard !tools.isEmpty else { return forAllPrograms(command, endpoint, trust, environment: environment) }
        var result = ClientVariables()
        for tool in tools {
            let answer = try answer(of: tool, command, index)
            if case .unknown(let reason) = answer, tool.tool.needsIndex {
                throw CommandFailure("\(reason); name the index with --index URL", exitCode: 2)
            }
            result.merge(tool.tool.variables(endpoint, trust, exceptions: exceptions, answer: answer))
        }
        return result
    }

    /// The package index of `--index`, or else of the tool.
    static func answer(
        of tool: RecognizedTool,
        _ command: ParsedCommand,
        _ index: PackageIndex
    ) throws(CommandFailure) -> IndexAnswer {
        guard let named = command.value(of: "index") else { return index.ask(tool.tool, tool.program) }
        let urls = named.split { ",|".contains($0) }.compactMap { PackageIndexURL(String($0)) }
        guard !urls.isEmpty else {
            throw CommandFailure(
                "`--index` needs an http or https URL, not `\(Console.printable(named))`",
                exitCode: 2
            )
        }
        if let secret = urls.first(where: \.hasUser) { return .credential(secret) }
        return .named(text: tool.tool == .mvn ? "central \(named)" : named, urls)
    }

    /// The variables that all programs get.
    static func forAllPrograms(
        _ command: ParsedCommand,
        _ endpoint: ProxyEndpoint,
        _ trust: ClientVariables.Trust?,
        environment: ProcessEnvironment
    ) -> ClientVariables {
        .forAllPrograms(endpoint, trust, exceptions: exceptions(command, environment))
    }

    static func exceptions(_ command: ParsedCommand, _ environment: ProcessEnvironment) -> String {
        let present = environment["no_proxy"] ?? environment["NO_PROXY"]
        return ClientVariables.exceptions(present, wanted: command.value(of: "no-proxy"))
    }
}
