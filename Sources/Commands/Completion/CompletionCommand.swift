import CommandSyntax
import CommandTexts
import Terminal

/// `respite completion SHELL`: prints the script by which a shell completes command lines.
enum CompletionCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        CommandFailure.report { () throws(CommandFailure) in
            let name = command.operands.first ?? ""
            guard let shell = CompletionShell(rawValue: name) else {
                throw CommandFailure(
                    "there is no completion for `\(Console.printable(name))`; the shells are \(CompletionShell.names)",
                    exitCode: 2
                )
            }
            Console.write(script(for: shell))
            return 0
        }
    }

    static func script(for shell: CompletionShell) -> String {
        switch shell {
        case .bash: BashCompletion.script
        case .zsh: ZshCompletion.script
        case .fish: FishCompletion.script
        }
    }

    /// The commands and groups that a line may begin with, and half a line about each.
    static let names: [(name: String, brief: String)] =
        CommandSpecification.listed.filter { !$0.name.contains(" ") }.map { ($0.name, $0.guide.brief) }
        + CommandGroup.all.map { ($0.name, $0.summary) }

    /// The second words of a group.
    static func parts(of group: CommandGroup) -> [(name: String, brief: String)] {
        group.members.map { (String($0.name.dropFirst(group.name.count + 1)), $0.guide.brief) }
    }
}
