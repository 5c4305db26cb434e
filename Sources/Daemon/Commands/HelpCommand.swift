import Settings

/// `respite help [COMMAND]` and `respite version`.
enum HelpCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        guard let name = command.operands.first else {
            Console.write(CommandSpecification.overview)
            return 0
        }
        guard let specification = CommandSpecification.all.first(where: { $0.name == name }) else {
            Console.complain("respite: there is no command `\(name)`; `respite help` lists them")
            return 2
        }
        Console.write(specification.help)
        return 0
    }

    /// `respite man PAGE`, for packages.
    static func manual(_ command: ParsedCommand) -> Int32 {
        let name = command.operands.first ?? ""
        guard let page = Manual.page(name, version: Version.text) else {
            Console.complain("respite: there is no page `\(name)`; there are \(Manual.names.joined(separator: ", "))")
            return 2
        }
        Console.write(page)
        return 0
    }

    static func version() -> Int32 {
        Console.write("respite \(Version.text)\n")
        return 0
    }
}
