import CommandSyntax
import CommandTexts
import Settings
import Terminal

/// `respite help [COMMAND…]`, `respite man PAGE` and `respite version`.
enum HelpCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        let name = command.operands.joined(separator: " ")
        if name.isEmpty {
            Console.write(CommandSpecification.overview)
        } else if let group = CommandGroup.all.first(where: { $0.name == name }) {
            Console.write(group.help)
        } else {
            do throws(UsageError) {
                Console.write(try CommandSpecification.named(name).help)
            } catch {
                Console.complain("\(error)")
                return 2
            }
        }
        return 0
    }

    /// Writes a manual page, for packagers.
    static func manual(_ command: ParsedCommand) -> Int32 {
        let name = command.operands.first ?? ""
        guard let page = ManualPage(rawValue: name) else {
            Console.complain("respite: there is no manual page `\(name)`; the pages are \(ManualPage.names)")
            return 2
        }
        Console.write(Manual.page(page, version: Version.text))
        return 0
    }

    static func version() -> Int32 {
        Console.write("respite \(Version.text)\n")
        return 0
    }
}
