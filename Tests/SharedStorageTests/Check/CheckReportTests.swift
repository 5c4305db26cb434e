import Testing

@testable import SharedStorage

@Suite("What a check says")
struct CheckReportTests {
    private static let address = ServerAddress.host("10.0.0.1", port: 6379)

    private static func greeting(_ mode: String = "standalone", _ role: String = "master") throws -> Greeting {
        try Greeting(.list(["version", "7.0.15", "mode", mode, "role", role].map { .text($0) }))
    }

    /// A server with which all is well.
    private static func facts(_ address: ServerAddress = address) throws -> NodeFacts {
        var facts = NodeFacts(address: address, greeting: .success(try greeting()))
        (facts.messages, facts.trial) = (.came, .worked)
        facts.memory = memory("volatile-lfu")
        facts.roundTrips = [.microseconds(900), .microseconds(210), .milliseconds(80)]
        return facts
    }

    private static func memory(_ policy: String, _ limit: Int64 = 64 << 20) -> ServerMemory? {
        ServerMemory(info: .text("maxmemory:\(limit)\r\nmaxmemory_policy:\(policy)\r\n"), configuration: .nothing)
    }

    private static func error(_ text: String) -> RedisError { RedisError(Array(text.utf8)) }

    private static func plan(isCluster: Bool = false) -> CheckPlan {
        var server = ServerOptions()
        (server.user, server.password) = ("respite", Array("secret".utf8))
        return CheckPlan([address], isCluster: isCluster, server: server, tier: SharedTierOptions())
    }

    private func report(_ plan: CheckPlan = plan(), _ nodes: NodeFacts...) -> CheckReport {
        var report = CheckReport(plan)
        report.nodes = nodes
        return report
    }

    /// `verdict: seen → remedy` of one subject.
    private func lines(_ subject: String, _ report: CheckReport) -> [String] {
        report.findings.filter { $0.subject == subject }.map {
            "\($0.verdict): \($0.seen)" + ($0.remedy.map { " → \($0)" } ?? "")
        }
    }

    @Test("where all is well there is no fault, and each subject has one line")
    func well() throws {
        let findings = report(Self.plan(), try Self.facts()).findings
        #expect(findings.allSatisfy { $0.verdict == .ok || $0.subject == "TLS" })
        let subjects = findings.map(\.subject)
        #expect(
            subjects == [
                "server", "TLS", "login", "version", "role", "rights", "scripts", "messages", "memory", "time",
                "private",
            ]
        )
    }

    @Test("the median of the round trips is compared with the time that a look-up has")
    func time() throws {
        var report = report(Self.plan(), try Self.facts())
        let line = "ok: 0.90 ms for a round trip (median of 20); `shared.timeout` is 50 ms"
        #expect(lines("time", report) == [line])
        for (median, verdict) in [(16_000, "ok"), (17_000, "note"), (51_000, "fault")] {
            report.nodes[0].roundTrips = [.microseconds(median)]
            #expect(lines("time", report)[0].hasPrefix("\(verdict): "), "\(median)")
        }
        #expect(CheckReport.text(.microseconds(4)) == "0 ms" && CheckReport.text(.microseconds(1_500)) == "1.50 ms")
    }

    @Test(
        "memory: no limit, a policy that stores nothing more, and one that drops the list of purges are notes",
        arguments: [
            ("volatile-ttl", 64 << 20, "ok: 64 MiB, volatile-ttl"), ("noeviction", 0, "note: no limit"),
            ("noeviction", 1 << 20, "note: 1 MiB, noeviction: once"),
            ("allkeys-lru", 1, "note: 1 MiB, allkeys-lru, which"),
        ] as [(String, Int64, String)]
    )
    func memory(policy: String, limit: Int64, line: String) throws {
        var report = report(Self.plan(), try Self.facts())
        report.nodes[0].memory = Self.memory(policy, limit)
        #expect(lines("memory", report)[0].hasPrefix(line))
        report.nodes[0].memory = nil
        #expect(lines("memory", report)[0].hasPrefix("note: not known"))
    }

    @Test("missing rights are named with the line that grants them; other refusals are told with their remedy")
    func rights() throws {
        var report = report(Self.plan(), try Self.facts())
        report.nodes[0].errors[.xadd] = Self.error("NOPERM this user has no permissions to run the 'xadd' command")
        let error = Self.error("NOPERM No permissions to access a channel")
        report.nodes[0].messages = .refused(error, command: "subscribe")
        #expect(
            lines("rights", report) == [
                "fault: user respite lacks xadd, channels respite:* → `ACL SETUSER respite &respite:* +xadd`, and keep it "
                    + "by `ACL SAVE` or in the server's file"
            ]
        )
        report.nodes[0].errors[.set] = Self.error("OOM command not allowed when used memory > 'maxmemory'.")
        let remedy = "raise its `maxmemory`, or set `maxmemory-policy volatile-lfu`"
        #expect(lines("writing", report) == ["fault: the server is full → \(remedy)"])
        #expect(lines("messages", report).isEmpty)
    }

    @Test(
        "each way in which a server does not let us in has a subject and a remedy of its own",
        arguments: [
            (.unreachable("cannot connect"), "server", "`shared.url`"), (.timeout, "server", "ping"),
            (.noRedis("x"), "server", "rediss://"), (.lost("x"), "server", "rediss://"), (.busy, "server", "log"),
            (.tooOld("6.0.9"), "version", "update"),
            (.refused(error("WRONGPASS invalid")), "login", "password-file"),
            (.refused(error("NOAUTH x")), "login", "password-file"), (.refused(error("LOADING x")), "server", "wait"),
            (.refused(error("ERR max number of clients reached")), "server", "log"),
        ] as [(SharedFailure, String, String)]
    )
    func failures(failure: SharedFailure, subject: String, remedy: String) {
        let findings = report(Self.plan(), NodeFacts(address: Self.address, greeting: .failure(failure))).findings
        #expect(findings.count == 1 && findings[0].verdict == .fault && findings[0].subject == subject, "\(findings)")
        #expect(findings[0].remedy?.contains(remedy) == true, "\(findings)")
    }

    @Test("a replica names its primary, and a node of a cluster says by which setting it is named")
    func role() throws {
        var report = report(Self.plan(), try Self.facts())
        report.nodes[0].greeting = .success(try Self.greeting("standalone", "slave"))
        #expect(lines("role", report)[0].hasSuffix("→ name its primary by `shared.url`"))
        report.nodes[0].primary = "10.0.0.7:6379"
        #expect(lines("role", report)[0].contains("a replica of 10.0.0.7:6379"))
        report.nodes[0].greeting = .success(try Self.greeting("cluster"))
        #expect(lines("role", report)[0].contains("`shared.cluster`"))
    }

    @Test("without a password or TLS there are notes, above all if private responses are shared")
    func privacy() throws {
        var plan = Self.plan()
        plan.tier.sharesPrivate = true
        #expect(lines("private", report(plan, try Self.facts()))[0].hasPrefix("note: "))
        plan.addresses = [.host("127.0.0.1", port: 1)]
        #expect(lines("private", report(plan, try Self.facts()))[0].hasPrefix("ok: "))
        plan.server.password = nil
        #expect(lines("login", report(plan, try Self.facts()))[0].hasPrefix("note: user default: without a password"))
        #expect(lines("rights", report(plan, try Self.facts())) == ["ok: user default may do all that nodes do"])
        plan.server.user = nil
        #expect(lines("private", report(plan, try Self.facts()))[0].hasPrefix("note: "))
        #expect(lines("login", report(plan, try Self.facts()))[0].hasPrefix("note: no password"))
        plan.addresses = [.socket("/run/x")]
        #expect(lines("login", report(plan, try Self.facts()))[0].hasPrefix("ok: no password"))
    }

    // MARK: Clusters

    private static func range(_ first: Int64, _ last: Int64, _ host: String) -> RedisReply {
        .list([.number(first), .number(last), .list([.text(host), .number(6379), .text("id")])])
    }

    @Test("what is the same on all nodes is one line; what is not names its nodes")
    func nodes() throws {
        let other = ServerAddress.host("10.0.0.2", port: 6379)
        var report = report(Self.plan(isCluster: true), try Self.facts(), try Self.facts(other))
        let map = RedisReply.list([Self.range(0, 8_191, "10.0.0.1"), Self.range(8_192, 16_383, "10.0.0.2")])
        report.note(.success(map), from: Self.address, isClustered: true)
        #expect(lines("cluster", report) == ["ok: all 16384 slots have a node: 2 primaries, 0 replicas"])
        #expect(lines("version", report) == ["ok: on each node: Redis 7.0.15"])
        report.nodes[1].errors[.get] = Self.error("NOPERM this user has no permissions to run the 'get' command")
        #expect(lines("rights", report)[0] == "ok: 10.0.0.1:6379: user respite may do all that nodes do")
        #expect(lines("rights", report)[1].hasPrefix("fault: 10.0.0.2:6379: user respite lacks get → "))
        report.nodes[1].greeting = .failure(.unreachable("cannot connect to 10.0.0.2:6379: refused"))
        let start = "fault: cannot connect to 10.0.0.2:6379: refused → each node must announce"
        #expect(lines("server", report)[0].hasPrefix(start))
    }

    @Test("slots without a node, no cluster, and a user who may not ask are faults; a silent seed is a note")
    func layout() {
        func report(_ reply: Result<RedisReply, SharedFailure>, isClustered: Bool? = true) -> CheckReport {
            var report = CheckReport(Self.plan(isCluster: true))
            report.note(.failure(.timeout), from: .host("10.0.0.9", port: 1), isClustered: nil)
            report.note(reply, from: Self.address, isClustered: isClustered)
            return report
        }
        let gap = report(.success(.list([Self.range(0, 16_000, "10.0.0.1")])))
        #expect(lines("cluster", gap)[0].hasPrefix("fault: 383 of 16384 slots have no node"))
        #expect(lines("server", gap)[0].hasPrefix("note: 10.0.0.9:1 does not answer"))
        let single = report(.success(.failure(Self.error("ERR cluster support disabled"))), isClustered: false)
        #expect(lines("cluster", single)[0] == "fault: 10.0.0.1:6379 belongs to no cluster → name it by `shared.url`")
        let mute = report(.success(.failure(Self.error("NOPERM this user has no permissions"))))
        #expect(lines("cluster", mute)[0].contains("+cluster|slots"))
        #expect(lines("server", mute)[0].hasPrefix("fault: "))
        #expect(lines("cluster", report(.success(.list([]))))[0].hasPrefix("fault: 10.0.0.1:6379 names no nodes"))
        #expect(lines("cluster", report(.failure(.timeout))).isEmpty)
    }
}
