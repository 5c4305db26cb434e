import Platform
import Settings

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
            let shell: VariablesText = command.has("fish") ? .fish : .posix
            if command.has("json") {
                Console.write(VariablesText.json(variables))
            } else {
                Console.write(command.has("unset") ? shell.unset(variables) : shell.text(variables))
            }
            return 0
        }
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
        var tools: [ClientTool] = []
        for name in command.values(of: "for") { tools.append(try ClientTool(named: name)) }
        guard !tools.isEmpty else { return forAllPrograms(command, endpoint, trust, environment: environment) }
        var result = ClientVariables()
        for tool in tools {
            result.merge(
                try tool.variables(
                    endpoint,
                    trust,
                    exceptions: exceptions,
                    index: command.value(of: "index"),
                    packageIndex: index
                )
            )
        }
        return result
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

    private static func exceptions(_ command: ParsedCommand, _ environment: ProcessEnvironment) -> String {
        let present = environment["no_proxy"] ?? environment["NO_PROXY"]
        return ClientVariables.exceptions(present, wanted: command.value(of: "no-proxy"))
    }
}
