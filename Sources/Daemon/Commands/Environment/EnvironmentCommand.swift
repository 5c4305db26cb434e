import Eventing
import Platform
import Settings

/// `respite env`: the variables that point programs at the proxy.
enum EnvironmentCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        do throws(CommandFailure) {
            let environment = ProcessEnvironment.current
            let endpoint = try ProxyEndpoint.find(command)
            let trust = OwnTrust(command, environment: environment)
            var variables = try variables(
                command,
                endpoint,
                trust.files,
                environment: environment,
                index: PackageIndex(state: ProcessState(), environment: environment)
            )
            for note in trust.notes { variables.note(note) }
            let form: VariablesText = command.has("fish") ? .fish : .posix
            if command.has("json") {
                Console.write(VariablesText.json(variables))
            } else {
                Console.write(command.has("unset") ? form.undo(variables) : form.text(variables))
            }
            return 0
        } catch {
            Console.complain("respite: \(error.userMessage)")
            return error.exitCode
        }
    }

    /// For the tools that `--for` names; without any for everything that heeds variables.
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
        guard !tools.isEmpty else { return forEverything(command, endpoint, trust, environment: environment) }
        var result = ClientVariables()
        for tool in tools {
            result.merge(
                try tool.variables(
                    endpoint,
                    trust,
                    exceptions: exceptions,
                    index: command.value(of: "index"),
                    asks: index
                )
            )
        }
        return result
    }

    /// What each program that heeds variables finds.
    static func forEverything(
        _ command: ParsedCommand,
        _ endpoint: ProxyEndpoint,
        _ trust: ClientVariables.Trust?,
        environment: ProcessEnvironment
    ) -> ClientVariables {
        .forEverything(endpoint, trust, exceptions: exceptions(command, environment))
    }

    private static func exceptions(_ command: ParsedCommand, _ environment: ProcessEnvironment) -> String {
        let present = environment["no_proxy"] ?? environment["NO_PROXY"]
        return ClientVariables.exceptions(present, wanted: command.value(of: "no-proxy"))
    }
}
