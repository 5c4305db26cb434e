import CommandSyntax
import CommandTexts
import Settings
import Terminal

/// Parses the command line and runs one command.
public struct EntryPoint: Sendable {
    private let daemon: DaemonProvider

    public init(daemon: DaemonProvider) { self.daemon = daemon }

    /// - Parameter arguments: without the program's name.
    /// - Returns: the exit code: 0 done, 1 failed, 2 wrong usage or settings, 3 not found, 4 no daemon answers.
    public func run(_ arguments: [String]) -> Int32 {
        do throws(UsageError) {
            let command = try ParsedCommand.parse(arguments)
            if command.mayBePaged { Console.beginPaging() }
            defer { Console.endPaging() }
            if command.wantsHelp {
                Console.write(command.specification.help)
                return 0
            }
            return run(command)
        } catch {
            let example = error.command.flatMap { CommandGuide.all[$0]?.examples.first }
            Console.complain("\(error)" + (example.map { "\nexample: \($0)" } ?? ""))
            return 2
        }
    }

    private func run(_ command: ParsedCommand) -> Int32 {
        switch command.specification.name {
        case "serve": daemon.serve(command)
        case "run": RunCommand(command, daemon: daemon).run()
        case "record", "replay": TapedCommand(command, daemon: daemon).run()
        case "env": EnvironmentCommand.run(command)
        case "help": HelpCommand.run(command)
        case "version": HelpCommand.version()
        case "man": HelpCommand.manual(command)
        case "doctor": DoctorCommand.run(command, daemon: daemon)
        case "completion": CompletionCommand.run(command)
        case "passwd": PasswordCommand.run(command)
        case "match": MatchCommand.run(command)
        case "shared check": SharedCommand.run(command, daemon: daemon)
        case "ca trust", "ca untrust": TrustCommand.run(command)
        case let name where name.hasPrefix("cassette "): CassetteCommand.run(command)
        case let name where name.hasPrefix("ca "): AuthorityCommand.run(command)
        case let name where name.hasPrefix("config "): ConfigurationCommand(command, daemon: daemon).run()
        default: ClientCommand.run(command)
        }
    }
}

extension ParsedCommand {
    /// Whether its output may be long, and is to be read at leisure.
    fileprivate var mayBePaged: Bool {
        specification.options.contains { $0.name == "no-pager" } && !has("no-pager")
    }
}
