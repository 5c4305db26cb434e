import Testing

@testable import SharedStorage

/// The lines of a check: what was seen, and what to do.
@Suite struct CheckSentenceTests {
    private static let address = ServerAddress.host("10.0.0.1", port: 6379)

    private static func facts() throws -> NodeFacts {
        let list = ["version", "7.0.15", "mode", "standalone", "role", "master"].map { RedisReply.text($0) }
        return NodeFacts(address: address, greeting: .success(try Greeting(.list(list))))
    }

    private static func report(_ nodes: [NodeFacts], isCluster: Bool = false) -> CheckReport {
        let plan = CheckPlan([address], isCluster: isCluster, server: ServerOptions(), tier: SharedTierOptions())
        var report = CheckReport(plan)
        report.nodes = nodes
        return report
    }

    private func lines(_ subject: String, _ report: CheckReport) -> [String] {
        report.findings.filter { $0.subject == subject }.map { finding in
            "\(finding.verdict): \(finding.seen)" + (finding.remedy.map { " → \($0)" } ?? "")
        }
    }

    private static let port = "check the port: `rediss://` is for one with TLS, `redis://` for one without"

    @Test(
        "a server that does not let us in is named, with why and what to do",
        arguments: [
            (.timeout, "server", "10.0.0.1:6379 does not answer → `redis-cli -h HOST ping` should; look at its log"),
            (.lost("x"), "server", "10.0.0.1:6379 lost the connection: x → \(port)"),
            (.noRedis("x"), "server", "10.0.0.1:6379 is no Redis server, or broke its protocol: x → \(port)"),
            (.tooOld("6.0.9"), "version", "10.0.0.1:6379 is Redis 6.0.9; 6.2 or later is needed → update the server"),
            (.busy, "server", "10.0.0.1:6379: too many commands wait for the server → look at its log"),
            (
                .refused(RedisError(Array("NOAUTH x".utf8))), "login",
                "10.0.0.1:6379: the server wants a password → name a file with it by `shared.password-file`"
            ),
        ] as [(SharedFailure, String, String)]
    )
    func failures(failure: SharedFailure, subject: String, line: String) {
        let report = Self.report([NodeFacts(address: Self.address, greeting: .failure(failure))])
        #expect(lines(subject, report) == ["fault: \(line)"])
    }

    @Test("a node that the cluster names, and that cannot be reached, must announce another address")
    func unreachable() {
        var plan = CheckPlan([Self.address], isCluster: false, server: ServerOptions(), tier: SharedTierOptions())
        plan.addresses = []
        var report = CheckReport(plan)
        report.nodes = [NodeFacts(address: Self.address, greeting: .failure(.unreachable("no way")))]
        #expect(
            lines("server", report) == [
                "fault: no way → each node must announce an address that leads to it from here: "
                    + "`cluster-announce-ip` and `…-port`"
            ]
        )
    }

    @Test("what was tried is told: that scripts work, or why not")
    func scripts() throws {
        var node = try Self.facts()
        #expect(lines("scripts", Self.report([node])).isEmpty)
        node.trial = .worked
        #expect(
            lines("scripts", Self.report([node])) == ["ok: a lease, a record and a purge were made, read and deleted"]
        )
        node.trial = .failed("a reply is missing")
        #expect(
            lines("scripts", Self.report([node])) == [
                "fault: its scripts do not do as those of Redis: a reply is missing → use Redis 6.2 or later"
            ]
        )
    }

    @Test("whether messages arrive is told, and else why not")
    func messages() throws {
        var node = try Self.facts()
        func line() -> [String] { lines("messages", Self.report([node])) }
        let directly = "connect to the server itself, not a proxy"
        #expect(line().isEmpty)
        node.messages = .came
        #expect(line() == ["ok: what is published arrives"])
        node.messages = .lost
        #expect(line() == ["fault: what is published does not arrive → \(directly)"])
        node.messages = .refused(RedisError(Array("ERR unknown command 'subscribe'".utf8)), command: "subscribe")
        #expect(line() == ["fault: subscribe is refused: ERR unknown command 'subscribe' → \(directly)"])
        node.messages = .failed(.lost("x"))
        #expect(
            line() == ["fault: no second connection: the connection was lost: x → raise the server's `maxclients`"]
        )
    }

    @Test("memory that is not known, has no limit or drops what is needed is a note with what to set")
    func memory() throws {
        var node = try Self.facts()
        func line() -> String? { lines("memory", Self.report([node])).first }
        let best = "`maxmemory-policy volatile-lfu`"
        #expect(
            line() == "note: not known: user default may ask neither INFO nor CONFIG GET, which nodes do not need → "
                + "see that the server has a `maxmemory` and \(best); `+info` lets this check see it"
        )
        func tell(_ limit: Int, _ policy: String) {
            let told = RedisReply.text("maxmemory:\(limit)\nmaxmemory_policy:\(policy)\n")
            node.memory = ServerMemory(info: told, configuration: .nothing)
        }
        tell(0, "noeviction")
        #expect(line() == "note: no limit: it grows until its machine is full → set `maxmemory` and \(best)")
        tell(1 << 20, "noeviction")
        #expect(line() == "note: 1 MiB, noeviction: once they are full nothing more is stored → \(best)")
        tell(1 << 20, "allkeys-lru")
        #expect(
            line() == "note: 1 MiB, allkeys-lru, which may drop the list of purges: nodes then validate all → \(best)"
        )
    }

    @Test("a cluster that does not work is told with the command that shows why")
    func cluster() {
        func line(_ reply: RedisReply) -> [String] {
            var report = Self.report([], isCluster: true)
            report.note(.success(reply), from: Self.address, isClustered: true)
            return lines("cluster", report)
        }
        #expect(
            line(.list([])) == [
                "fault: 10.0.0.1:6379 names no nodes, or what is no address → `redis-cli cluster slots` shows what it "
                    + "says; give its slots to nodes, and check `cluster-announce-ip`"
            ]
        )
        #expect(
            line(.failure(RedisError(Array("NOPERM x".utf8)))) == [
                "fault: 10.0.0.1:6379: user default may not ask for the nodes of the cluster → `ACL SETUSER default "
                    + "+cluster|slots`, on each node"
            ]
        )
        let node = RedisReply.list([.text("10.0.0.1"), .number(6379), .text("id")])
        #expect(
            line(.list([.list([.number(0), .number(9), node])])) == [
                "fault: 16374 of 16384 slots have no node (1 primary, 0 replicas) → `redis-cli cluster info` and "
                    + "`cluster nodes` say which; `redis-cli --cluster fix` gives them one"
            ]
        )
    }

    @Test("whether responses for a credential are shared is told, with what that needs")
    func privacy() throws {
        #expect(
            lines("private", Self.report([try Self.facts()])) == [
                "ok: responses for a credential stay on their node: no `shared.partition-key-file`"
            ]
        )
        var tier = SharedTierOptions()
        tier.sharesPrivate = true
        var report = CheckReport(CheckPlan([Self.address], isCluster: false, server: ServerOptions(), tier: tier))
        report.nodes = [try Self.facts()]
        #expect(
            lines("private", report) == [
                "note: responses for a credential are shared, too, by `shared.partition-key-file` → give the server a "
                    + "password and TLS, and nobody else an account"
            ]
        )
    }
}
