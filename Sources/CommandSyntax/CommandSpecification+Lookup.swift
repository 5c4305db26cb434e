extension CommandSpecification {
    /// The command with this name of one or two words, hidden ones included.
    ///
    /// - Throws: for an unknown name, with the nearest one or the parts of its group.
    public static func named(_ name: String) throws(UsageError) -> CommandSpecification {
        if let found = all.first(where: { $0.name == name }) { return found }
        throw usageError("unknown command `\(name)`" + hint(name))
    }

    private static func hint(_ name: String) -> String {
        // `trust` for `ca trust`.
        if let whole = listed.first(where: { $0.name.hasSuffix(" \(name)") }) {
            return "; did you mean `\(whole.name)`?"
        }
        let words = name.split(separator: " ").map(String.init)
        if words.count == 2, let group = CommandGroup.named(words[0]) {
            let nearest = NearestName.find(words[1], in: group.partNames)
            return nearest.map { "; did you mean `\(group.name) \($0)`?" }
                ?? "; the parts of `\(group.name)` are \(group.parts)"
        }
        let nearest = NearestName.find(name, in: listed.map(\.name) + CommandGroup.all.map(\.name))
        return nearest.map { "; did you mean `\($0)`?" } ?? ""
    }

    /// An error that has no command whose usage could be shown.
    static func usageError(_ message: String) -> UsageError {
        UsageError(userMessage: message, usage: "respite COMMAND [options]; see `respite help`")
    }
}
