/// The rights that a user lacks, by the errors of the commands that a check has tried.
struct MissingRights: Sendable, Hashable {
    private(set) var commands: [String] = []
    private(set) var lacksKeys = false
    private(set) var lacksChannels = false

    var isEmpty: Bool { commands.isEmpty && !lacksKeys && !lacksChannels }

    /// Notes the right that an error reports as missing; after an error of another kind, the user has the right.
    mutating func note(_ error: RedisError, of command: String) {
        guard error.kind == .noPermission else { return }
        // The words of Redis 6.2 and 7.
        if error.text.contains("access a channel") || error.text.contains("one of the channels") {
            lacksChannels = true
        } else if error.text.contains("access a key") || error.text.contains("one of the keys") {
            lacksKeys = true
        } else if !commands.contains(command) {
            commands.append(command)
        }
    }

    /// For the middle of a sentence: `get, xadd, keys respite:*`.
    var text: String {
        (commands + (lacksKeys ? ["keys respite:*"] : []) + (lacksChannels ? ["channels respite:*"] : []))
            .joined(separator: ", ")
    }

    /// The command for the server that grants them.
    func line(for user: String) -> String {
        let patterns = (lacksKeys ? ["~respite:*"] : []) + (lacksChannels ? ["&respite:*"] : [])
        return (["ACL SETUSER \(user)"] + patterns + commands.map { "+\($0)" }).joined(separator: " ")
    }
}
