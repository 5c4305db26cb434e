import Testing

@testable import SharedStorage

/// The words and the limits of what a check says.
@Suite struct CheckTextTests {
    private static func address(_ number: Int) -> ServerAddress { .host("10.0.0.\(number)", port: 6379) }

    private static func facts(_ number: Int = 1, _ times: [Duration] = [.milliseconds(1)]) throws -> NodeFacts {
        let list = ["version", "7.0.15", "mode", "standalone", "role", "master"].map { RedisReply.text($0) }
        var facts = NodeFacts(address: address(number), greeting: .success(try Greeting(.list(list))))
        facts.roundTrips = times
        return facts
    }

    private static func plan(_ count: Int = 1, isCluster: Bool = false) -> CheckPlan {
        CheckPlan(
            (1...count).map(address),
            isCluster: isCluster,
            server: ServerOptions(),
            tier: SharedTierOptions()
        )
    }

    private static func seen(_ subject: String, _ report: CheckReport) -> [String] {
        report.findings.filter { $0.subject == subject }.map { "\($0.verdict): \($0.seen)" }
    }

    @Test(
        "a time below ten milliseconds has two digits behind the point, unless they are zeros",
        arguments: [
            (0, "0 ms"), (10, "0.01 ms"), (90, "0.09 ms"), (100, "0.10 ms"), (1_050, "1.05 ms"), (2_000, "2 ms"),
            (9_900, "9.90 ms"), (9_994, "9.99 ms"), (9_996, "10 ms"), (10_010, "10 ms"), (15_490, "15 ms"),
            (15_500, "16 ms"), (50_000, "50 ms"),
        ]
    )
    func times(microseconds: Int, text: String) {
        #expect(CheckReport.text(.microseconds(microseconds)) == text)
    }

    @Test("a round trip may take a third of the time that a look-up has, and no more than that time")
    func limits() throws {
        for (microseconds, verdict) in [
            (16_666, "ok"), (16_667, "note"), (50_000, "note"), (50_001, "fault"),
        ] {
            var report = CheckReport(Self.plan())
            report.nodes = [try Self.facts(1, [.microseconds(microseconds)])]
            #expect(Self.seen("time", report).first?.hasPrefix("\(verdict):") == true, "\(microseconds)")
        }
    }

    @Test("the slowest server counts, and in a cluster it is named")
    func slowest() throws {
        var report = CheckReport(Self.plan(2, isCluster: true))
        report.nodes = [
            try Self.facts(1, [.milliseconds(3)]), try Self.facts(2, [.milliseconds(5)]),
            try Self.facts(3, [.milliseconds(4)]),
        ]
        let place = "5 ms for a round trip to 10.0.0.2:6379 (median of 20)"
        #expect(Self.seen("time", report) == ["ok: \(place); `shared.timeout` is 50 ms"])
        report.nodes = [try Self.facts(1, [])]
        #expect(Self.seen("time", report).isEmpty)
    }

    @Test("the median is the middle one of the round trips")
    func medians() throws {
        func median(_ times: [Int]) throws -> Duration? {
            try Self.facts(1, times.map { .milliseconds($0) }).medianRoundTrip
        }
        #expect(try median([9, 1, 5]) == .milliseconds(5) && median([4]) == .milliseconds(4))
        #expect(try median([1, 2, 3, 4]) == .milliseconds(3) && median([]) == nil)
    }

    @Test("up to four servers are named, and the number of the others")
    func lists() {
        #expect(CheckReport.list([2, 1].map(Self.address)) == "10.0.0.1:6379, 10.0.0.2:6379")
        let four = "10.0.0.1:6379, 10.0.0.2:6379, 10.0.0.3:6379, 10.0.0.4:6379"
        #expect(CheckReport.list((1...4).map(Self.address)) == four)
        #expect(CheckReport.list((1...5).map(Self.address)) == "\(four) and 1 more")
    }

    @Test("who answers is said in the singular or the plural")
    func reach() throws {
        var report = CheckReport(Self.plan())
        report.nodes = [try Self.facts()]
        #expect(Self.seen("server", report) == ["ok: 10.0.0.1:6379 answers, without TLS"])
        report = CheckReport(Self.plan(3, isCluster: true))
        report.nodes = [try Self.facts(1), try Self.facts(2)]
        #expect(Self.seen("nodes", report) == ["ok: each node answers, without TLS"])
        report.nodes.append(NodeFacts(address: Self.address(3), greeting: .failure(.timeout)))
        #expect(Self.seen("nodes", report) == ["ok: 10.0.0.1:6379, 10.0.0.2:6379 answer, without TLS"])
        #expect(Self.seen("role", report).isEmpty)
    }

    @Test("primaries and replicas are said in the singular or the plural")
    func layouts() throws {
        func seen(_ ranges: [(Int64, Int64, Int, [Int])]) -> [String] {
            var report = CheckReport(Self.plan(isCluster: true))
            func node(_ number: Int) -> RedisReply {
                .list([.text("10.0.0.\(number)"), .number(6379), .text("id")])
            }
            let reply = ranges.map { first, last, primary, replicas in
                RedisReply.list([.number(first), .number(last), node(primary)] + replicas.map(node))
            }
            report.note(.success(.list(reply)), from: Self.address(1), isClustered: true)
            return Self.seen("cluster", report)
        }
        let all = "ok: all 16384 slots have a node"
        #expect(seen([(0, 16_383, 1, [2])]) == ["\(all): 1 primary, 1 replica"])
        #expect(seen([(0, 9, 1, [3, 4]), (10, 16_383, 2, [])]) == ["\(all): 2 primaries, 2 replicas"])
        #expect(seen([(1, 16_383, 1, [])]) == ["fault: 1 of 16384 slots have no node (1 primary, 0 replicas)"])
        #expect(seen([(0, 16_382, 1, [])]) == ["fault: 1 of 16384 slots have no node (1 primary, 0 replicas)"])
    }

    @Test("memory is told in MiB, of which there is at least one, unless it has no limit")
    func memory() throws {
        func seen(_ limit: Int64, _ policy: String = "volatile-lfu") throws -> [String] {
            var report = CheckReport(Self.plan())
            report.nodes = [try Self.facts()]
            let told = RedisReply.text("maxmemory:\(limit)\nmaxmemory_policy:\(policy)\n")
            report.nodes[0].memory = ServerMemory(info: told, configuration: .nothing)
            return Self.seen("memory", report)
        }
        #expect(try seen(1) == ["ok: 1 MiB, volatile-lfu"] && seen((2 << 20) - 1) == ["ok: 1 MiB, volatile-lfu"])
        #expect(try seen(2 << 20) == ["ok: 2 MiB, volatile-lfu"])
        #expect(try seen(0) == ["note: no limit: it grows until its machine is full"])
        #expect(try seen(1, "noeviction") == ["note: 1 MiB, noeviction: once they are full nothing more is stored"])
    }

    @Test("a policy has at most 39 signs, of which letters and hyphens are shown")
    func policies() {
        func policy(_ text: String) -> String? {
            ServerMemory(info: .text("maxmemory:1\nmaxmemory_policy:\(text)\n"), configuration: .nothing)?.policy
        }
        #expect(policy(String(repeating: "a", count: 39))?.count == 39)
        #expect(policy(String(repeating: "a", count: 40)) == nil)
        #expect(policy("all keys-1_lru") == "allkeys-lru")
        let odd = RedisReply.list(["maxmemory", "7", "maxmemory-policy", "x", "maxmemory-policy"].map { .text($0) })
        #expect(ServerMemory(info: .nothing, configuration: odd)?.policy == "x")
        let cut = RedisReply.list(["maxmemory", "7", "maxmemory-policy"].map { .text($0) })
        #expect(ServerMemory(info: .nothing, configuration: cut) == nil)
    }

    @Test("what a server refuses is told in two parts where it has a remedy, and else is a matter of its log")
    func advice() {
        func advice(_ text: String) -> [String] {
            let (seen, remedy) = RedisError(Array(text.utf8)).advice
            return [seen, remedy]
        }
        #expect(advice("ERR a: b") == ["the server refused a command: ERR a: b", "look at its log"])
        #expect(advice("LOADING x") == ["the server is still reading its data", "wait, or look at its log"])
        #expect(advice("READONLY x") == ["this server is a replica, and takes no writes", "name its primary"])
    }

    @Test("who cannot be reached is helped by the setting, the path or what nodes announce")
    func remedies() {
        func remedy(_ addresses: [ServerAddress], isCluster: Bool = false) -> String? {
            var plan = Self.plan(isCluster: isCluster)
            plan.addresses = [Self.address(1)]
            var report = CheckReport(plan)
            report.nodes = addresses.map { NodeFacts(address: $0, greeting: .failure(.unreachable("x"))) }
            return report.findings.first?.remedy
        }
        #expect(remedy([Self.address(1)]) == "check `shared.url`, the server's `bind`, and firewalls")
        #expect(
            remedy([Self.address(1)], isCluster: true) == "check `shared.cluster`, the server's `bind`, and firewalls"
        )
        #expect(remedy([.socket("/x")]) == "check the path, and that this user may open it")
        #expect(remedy([Self.address(2)])?.hasPrefix("each node must announce an address") == true)
    }

    @Test("without a password or TLS that is told by where the server is")
    func access() throws {
        func seen(_ subject: String, _ addresses: [ServerAddress]) throws -> [String] {
            var plan = Self.plan()
            plan.addresses = addresses
            var report = CheckReport(plan)
            report.nodes = [try Self.facts()]
            return Self.seen(subject, report)
        }
        let local = "ok: none, and none needed: the server is on this machine"
        #expect(try seen("TLS", [.host("127.0.0.1", port: 1)]) == [local])
        #expect(
            try seen("TLS", [Self.address(1)]) == ["note: none: the password and all responses pass as plain text"]
        )
        #expect(try seen("login", [.socket("/x"), .socket("/y")]).first?.hasPrefix("ok: no password") == true)
        #expect(try seen("login", [.socket("/x"), Self.address(1)]).first?.hasPrefix("note: no password") == true)
    }
}
