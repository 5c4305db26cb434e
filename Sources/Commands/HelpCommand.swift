import Settings

/// `respite help [COMMAND]`, `respite man PAGE` and `respite version`.
enum HelpCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        guard let name = command.operands.first else {
            Console.write(CommandSpecification.overview)
            return 0
        }
        guard let specification = CommandSpecification.all.first(where: { $0.name == name }) else {
            Console.complain("respite: there is no command `\(name)`; `respite help` lists the commands")
            return 2
        }
        Console.write(specification.help)
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
