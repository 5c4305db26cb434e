import Eventing
import Observability
import Platform
import Settings

/// The program: reads the command line and runs one subcommand.
public enum EntryPoint {
    /// For the daemon: from here on no signal that it knows ends it by surprise.
    ///
    /// What asks for a reload or for memory waits
    /// until it serves; what asks it to end does so at once, with success, as long as it has not begun to serve.
    public static func takeSignals() {
        guard CommandLine.arguments.dropFirst().first == "serve" else { return }
        Signal.ignoreBrokenPipes()
        Signal.block([.hangup, .user1])
        Signal.exitQuietly(at: [.terminate, .interrupt])
    }

    /// - Parameter arguments: without the program's own name.
    /// - Returns: the exit code: 0 done, 1 failed, 2 wrong usage or settings, 3 not found, 4 daemon unreachable.
    public static func run(_ arguments: [String]) -> Int32 {
        do throws(UsageError) {
            let command = try ParsedCommand.parse(arguments)
            if command.wantsHelp {
                Console.write(command.specification.help)
                return 0
            }
            return run(command)
        } catch {
            Console.complain("\(error)")
            return 2
        }
    }

    private static func run(_ command: ParsedCommand) -> Int32 {
        switch command.specification.name {
        case "serve": ServeCommand.run(command)
        case "run": RunCommand.run(command)
        case "env": EnvironmentCommand.run(command)
        case "help": HelpCommand.run(command)
        case "version": HelpCommand.version()
        case "man": HelpCommand.manual(command)
        case "ca trust", "ca untrust": TrustCommand.run(command)
        case let name where name.hasPrefix("ca "): AuthorityCommand.run(command)
        case let name where name.hasPrefix("config "): ConfigurationCommand.run(command)
        default: ClientCommand.run(command)
        }
    }
}
