/// An error that a Redis server replied: its first word names the kind.
public struct RedisError: Error, Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case wrongPassword
        case passwordRequired
        case noPermission
        /// `maxmemory` is reached, and its policy evicts nothing.
        case outOfMemory
        case readOnly
        case loading
        case clusterDown
        /// The primary of this replica is gone.
        case primaryDown
        case busyWithScript
        /// The disk failed, and writes are refused.
        case diskFailure
        case unknownCommand
        case crossSlot
        /// The slot is with another node.
        case moved(slot: UInt16, ServerAddress?)
        /// The key may be with another node, which must get ASKING first, since the slot is being moved.
        case ask(slot: UInt16, ServerAddress?)
        /// Keys of a slot that is being moved are on two nodes.
        case tryAgain
        case other
    }

    public let kind: Kind
    /// The server's words, cut to a line that a log can take.
    public let text: String

    init(_ bytes: [UInt8]) {
        text = Self.printable(bytes)
        kind = Self.kind(of: text)
    }

    private static func printable(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(200).map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }

    private static func kind(of text: String) -> Kind {
        let words = text.split(separator: " ", maxSplits: 3)
        if let known = words.first.flatMap({ kinds[String($0)] }) { return known }
        switch words.first {
        case "MOVED": return redirection(words).map { .moved(slot: $0.slot, $0.address) } ?? .other
        case "ASK": return redirection(words).map { .ask(slot: $0.slot, $0.address) } ?? .other
        case "ERR" where text.hasPrefix("ERR unknown command"): return .unknownCommand
        case "ERR" where text.hasPrefix("ERR invalid password"): return .wrongPassword
        default: return .other
        }
    }

    private static let kinds: [String: Kind] = [
        "WRONGPASS": .wrongPassword, "NOAUTH": .passwordRequired, "NOPERM": .noPermission, "OOM": .outOfMemory,
        "READONLY": .readOnly, "LOADING": .loading, "CLUSTERDOWN": .clusterDown, "MASTERDOWN": .primaryDown,
        "BUSY": .busyWithScript, "MISCONF": .diskFailure, "CROSSSLOT": .crossSlot, "TRYAGAIN": .tryAgain,
    ]

    private static func redirection(_ words: [Substring]) -> (slot: UInt16, address: ServerAddress?)? {
        guard words.count >= 3, let slot = UInt16(words[1]), slot < KeySlot.count else { return nil }
        return (slot, ServerAddress(redirection: String(words[2])))
    }

    /// What happened and what to do, for people.
    public var userMessage: String {
        switch kind {
        case .wrongPassword:
            "wrong user or password: check `shared.user` and the file that `shared.password-file` names"
        case .passwordRequired: "the server wants a password: name a file with it by `shared.password-file`"
        case .noPermission:
            "the user may not do this (\(text)): grant the rights that docs/scaling.md lists for `shared.user`"
        case .outOfMemory:
            "the server is full: raise its `maxmemory`, or set `maxmemory-policy volatile-lfu`"
        case .readOnly: "this server is a replica, and takes no writes: name its primary"
        case .loading: "the server is still reading its data"
        case .clusterDown: "the cluster is down: some slots have no node (`redis-cli cluster info`)"
        case .primaryDown: "the primary of this replica is down"
        case .busyWithScript: "the server is busy with a script (`redis-cli script kill`)"
        case .diskFailure: "the server cannot write its data to disk, and refuses writes: look at its log"
        case .unknownCommand: "the server does not know a command (\(text)): it must be Redis 6.2 or later"
        case .crossSlot, .moved, .ask: "this server belongs to a cluster: name its nodes by `shared.cluster`"
        case .tryAgain: "a slot of the cluster is being moved"
        case .other: "the server refused a command: \(text)"
        }
    }
}
