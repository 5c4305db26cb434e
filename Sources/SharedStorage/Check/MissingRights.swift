/// The rights that a user lacks, as the errors of tried commands tell.
struct MissingRights: Sendable, Hashable {
    private(set) var commands: [String] = []
    private(set) var lacksKeys = false
    private(set) var lacksChannels = false

    var isEmpty: Bool { commands.isEmpty && !lacksKeys && !lacksChannels }

    /// Notes the right whose lack an error reports; an error of another kind shows that the right is there.
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

    /// As a sentence goes on: `get, xadd, keys respite:*`.
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
