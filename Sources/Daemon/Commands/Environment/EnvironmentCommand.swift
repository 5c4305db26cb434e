import Eventing
import Settings

/// `respite env`: the variables that point programs at the proxy.
enum EnvironmentCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        do throws(CommandFailure) {
            let environment = ProcessEnvironment.current
            let endpoint = try ProxyEndpoint.find(command)
            let variables = try variables(
                command,
                endpoint,
                environment: environment,
                index: PackageIndex(state: ProcessState(), environment: environment)
            )
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
        environment: ProcessEnvironment,
        index: PackageIndex
    ) throws(CommandFailure) -> ClientVariables {
        let exceptions = exceptions(command, environment)
        let trust = try OwnTrust.files(command)
        var tools: [ClientTool] = []
        for name in command.values(of: "for") { tools.append(try ClientTool(named: name)) }
        guard !tools.isEmpty else { return try forEverything(command, endpoint, environment: environment) }
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
        environment: ProcessEnvironment
    ) throws(CommandFailure) -> ClientVariables {
        .forEverything(endpoint, try OwnTrust.files(command), exceptions: exceptions(command, environment))
    }

    private static func exceptions(_ command: ParsedCommand, _ environment: ProcessEnvironment) -> String {
        let present = environment["no_proxy"] ?? environment["NO_PROXY"]
        return ClientVariables.exceptions(present, wanted: command.value(of: "no-proxy"))
    }
}
