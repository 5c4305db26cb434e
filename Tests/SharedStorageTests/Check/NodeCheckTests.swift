import RedisSupport
import Testing

@testable import SharedStorage

/// What a check asks of a real server.
@Suite struct NodeCheckTests {
    private static let memory = ["--maxmemory", "48mb", "--maxmemory-policy", "volatile-ttl"]

    @Test(
        "the memory of a server is known by INFO or by CONFIG GET, whichever the user may ask",
        arguments: [
            (["-config"], "ok: 48 MiB, volatile-ttl"), (["-info"], "ok: 48 MiB, volatile-ttl"),
            (["-info", "-config"], "note: not known: user default may ask neither INFO nor CONFIG GET"),
        ] as [([String], String)]
    )
    func memory(rights: [String], line: String) throws {
        let user = ["--user", "default", "on", "nopass", "~*", "&*", "+@all"] + rights
        let redis = try RedisProcess(.none, Self.memory + user)
        let findings = try CheckRun.findings([.socket(redis.socketPath)], isCluster: false)
        let lines = findings.filter { $0.subject == "memory" }.map { "\($0.verdict): \($0.seen)" }
        #expect(lines.count == 1 && lines.first?.hasPrefix(line) == true, "\(lines)")
    }

    @Test(
        "the check's own message comes to it, and what the user may not do on the way there is a right that is missing",
        arguments: [
            ([], ["ok: what is published arrives"], "ok: user default may do all that nodes do"),
            (["-subscribe"], [], "fault: user default lacks subscribe"),
            (["-unsubscribe"], [], "fault: user default lacks unsubscribe"),
        ] as [([String], [String], String)]
    )
    func messages(rights: [String], messages: [String], line: String) throws {
        let user = ["--user", "default", "on", "nopass", "~*", "&*", "+@all"] + rights
        let redis = try RedisProcess(.none, user)
        let findings = try CheckRun.findings([.socket(redis.socketPath)], isCluster: false)
        func lines(_ subject: String) -> [String] {
            findings.filter { $0.subject == subject }.map { "\($0.verdict): \($0.seen)" }
        }
        #expect(lines("messages") == messages && lines("rights") == [line], "\(findings)")
    }
}
