/// Commands of two words that have the first one in common, such as `config check` and `config show`.
public struct CommandGroup: Sendable {
    /// The first word.
    public let name: String
    public let summary: String

    /// All groups, in the order of `respite help`.
    public static let all = [
        CommandGroup(name: "ca", summary: "The CA whose certificates intercepted hosts show."),
        CommandGroup(
            name: "cassette",
            summary: "Files of `respite record`: what is in them, and whether they are right."
        ),
        CommandGroup(
            name: "config",
            summary: "The settings: whether they are right, where each is set, which there are."
        ),
        CommandGroup(name: "shared", summary: "The Redis server or cluster that several machines share."),
    ]

    static func named(_ name: String) -> CommandGroup? { all.first { $0.name == name } }

    /// The commands whose names begin with this word.
    public var members: [CommandSpecification] { CommandSpecification.listed.filter { $0.name.hasPrefix("\(name) ") } }

    /// The second words.
    var partNames: [String] { members.map { String($0.name.dropFirst(name.count + 1)) } }

    /// The second words, for a sentence: `check, show, schema`.
    var parts: String { partNames.joined(separator: ", ") }

    /// Where the second word stands among the arguments after the first one; nil if there are only options.
    func partIndex(in arguments: ArraySlice<String>) -> Int? {
        var index = arguments.startIndex
        while index < arguments.endIndex {
            let argument = arguments[index]
            guard argument.hasPrefix("-") else { return index }
            index += takesNextArgument(argument) ? 2 : 1
        }
        return nil
    }

    /// Whether an option has its value in the next argument; an option means the same in all commands of a group.
    private func takesNextArgument(_ argument: String) -> Bool {
        members.flatMap(\.options).contains { option in
            option.valueName != nil
                && (argument == "--\(option.name)" || option.short.map { argument == "-\($0)" } == true)
        }
    }
}
