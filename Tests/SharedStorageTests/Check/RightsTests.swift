import Testing

@testable import SharedStorage

@Suite("The rights that a check finds missing")
struct RightsTests {
    @Test(
        "the words of each version of Redis say whether a command, the keys or the channels are missing",
        arguments: [
            ("NOPERM this user has no permissions to run the 'get' command or its subcommand", "+get"),
            ("NOPERM User a key user has no permissions to run the 'get' command", "+get"),
            ("NOPERM this user has no permissions to access one of the keys used as arguments", "~respite:*"),
            ("NOPERM No permissions to access a key", "~respite:*"),
            ("NOPERM this user has no permissions to access one of the channels used as arguments", "&respite:*"),
            ("NOPERM No permissions to access a channel", "&respite:*"),
        ]
    )
    func words(text: String, right: String) {
        var missing = MissingRights()
        missing.note(RedisError(Array(text.utf8)), of: "get")
        #expect(missing.line(for: "a") == "ACL SETUSER a \(right)")
    }

    @Test("other errors say that the right is there, and each command is named once")
    func others() {
        var missing = MissingRights()
        for text in ["MOVED 1 10.0.0.1:1", "OOM command not allowed", "ERR unknown command", "READONLY x"] {
            missing.note(RedisError(Array(text.utf8)), of: "set")
        }
        #expect(missing.isEmpty)
        let refused = RedisError(Array("NOPERM this user has no permissions to run the 'x' command".utf8))
        for command in ["set", "get", "set"] { missing.note(refused, of: command) }
        #expect(missing.text == "set, get")
    }

    @Test("a check has keys of its own in any slot that a node has, and in none if it has none")
    func keys() throws {
        let keys = try #require(CheckKeys(where: { $0 % 512 == 7 }))
        let all = [keys.index, keys.value, keys.record, keys.lease, keys.stream]
        #expect(all.allSatisfy { KeySlot.slot(of: $0) % 512 == 7 && $0.starts(with: "respite:{check-".utf8) })
        #expect(Set(all).count == all.count)
        #expect(CheckKeys(where: { _ in false })?.index == nil)
    }
}
