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
        let candidates = listed.map(\.name) + CommandGroup.all.map(\.name)
        if let nearest = NearestName.find(name, in: candidates) { return "; did you mean `\(nearest)`?" }
        let first = String(name.prefix { $0 != " " })
        return CommandGroup.named(first).map { "; the parts of `\(first)` are \($0.parts)" } ?? ""
    }

    /// An error that has no command whose usage could be shown.
    static func usageError(_ message: String) -> UsageError {
        UsageError(userMessage: message, usage: "respite COMMAND [options]; see `respite help`")
    }
}
