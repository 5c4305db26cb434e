import Glibc
import JSON
import RedisSupport
import TestSupport
import Testing

/// `respite shared check` beside real servers.
@Suite(.serialized)
struct SharedCheckTests {
    private struct Report {
        var status: Int32
        /// `verdict: seen → remedy`, by subject.
        var lines: [String: [String]] = [:]
        var errors = ""

        func says(_ subject: String, _ start: String, _ end: String = "") -> Bool {
            (lines[subject] ?? []).contains { $0.hasPrefix(start) && $0.hasSuffix(end) }
        }

        var faults: [String] { lines.filter { $0.value.contains { $0.hasPrefix("fault: ") } }.keys.sorted() }
    }

    private static func run(_ words: [String], _ home: TemporaryDirectory) throws -> Command.Outcome {
        try Command.run(
            [DaemonProcess.executable, "shared", "check"] + words,
            environment: DaemonProcess.environment(home)
        )
    }

    private static func check(_ settings: [String], _ home: TemporaryDirectory = TemporaryDirectory()) throws -> Report
    {
        let outcome = try run(["--json"] + settings.flatMap { ["--set", "shared.\($0)"] }, home)
        var report = Report(status: outcome.status, errors: outcome.errors)
        for one in try JSONReader.parse(Array(outcome.output.utf8))["findings"]?.elements ?? [] {
            let remedy = one["remedy"]?.text.map { " → \($0)" } ?? ""
            let line = "\(one["verdict"]?.text ?? ""): \(one["seen"]?.text ?? "")\(remedy)"
            report.lines[one["subject"]?.text ?? "", default: []].append(line)
        }
        return report
    }

    /// A file with a secret for its owner alone.
    private static func secret(_ text: String, _ home: TemporaryDirectory) throws -> String {
        let file = try home.write("\(text)\n", to: "secret-\(text)")
        chmod(file, 0o600)
        return file
    }

    /// The words of the ACL that docs/scaling.md shows, with this password.
    private static func documentedRights(_ password: String) throws -> [String] {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let text = String(decoding: try readFile("\(root)/docs/scaling.md"), as: UTF8.self)
        let start = try #require(text.firstRange(of: "ACL SETUSER respite "))
        let words = text[start.upperBound...].prefix { $0 != "`" }.split(whereSeparator: \.isWhitespace)
        return words.map { $0 == ">PASSWORD" ? ">\(password)" : String($0) }
    }

    // MARK: One server

    @Test("with the rights that the documentation names nothing is missing, and nothing is left on the server")
    func documented() throws {
        let home = TemporaryDirectory()
        let redis = try RedisProcess(.plain, ["--maxmemory", "64mb", "--maxmemory-policy", "volatile-lfu"])
        let reply = try redis.exchange(["ACL", "SETUSER", "respite"] + Self.documentedRights("open-sesame"))
        #expect(reply == "+OK\r\n")
        let report = try Self.check(
            [
                "url=redis://127.0.0.1:\(redis.port)", "user=respite", "timeout=2s",
                "password-file=\(Self.secret("open-sesame", home))",
            ],
            home
        )
        #expect(report.status == 0 && report.faults.isEmpty && report.errors.isEmpty, "\(report)")
        #expect(report.says("rights", "ok: user respite may do all") && report.says("scripts", "ok: "), "\(report)")
        #expect(report.says("messages", "ok: ") && report.says("time", "ok: ") && report.says("role", "ok: "))
        #expect(report.says("memory", "note: not known"))
        #expect(try redis.exchange(["KEYS", "*"]) == "*0\r\n")
    }

    @Test("the default user of an open server: memory is known, and no password is a note")
    func open() throws {
        let redis = try RedisProcess(.plain, ["--maxmemory", "64mb", "--maxmemory-policy", "volatile-lfu"])
        let report = try Self.check(["url=redis://127.0.0.1:\(redis.port)", "timeout=2s"])
        #expect(report.status == 0, "\(report)")
        #expect(report.says("memory", "ok: 64 MiB, volatile-lfu") && report.says("login", "note: no password"))
        let outcome = try Self.run(["--set", "shared.url=redis+unix://\(redis.socketPath)"], TemporaryDirectory())
        for line in outcome.output.split(separator: "\n") { #expect(line.split(separator: "\t").count == 4, "\(line)") }
        #expect(outcome.output.contains("ok\tserver\t\(redis.socketPath) answers, without TLS\t-\n"))
    }

    @Test("a server that is not there, is no Redis server, or wants another password")
    func access() throws {
        let home = TemporaryDirectory()
        let nobody = try Self.check(["url=redis://127.0.0.1:\(RedisProcess.freePort())"])
        #expect(nobody.status == 1 && nobody.faults == ["server"])
        #expect(nobody.says("server", "fault: cannot connect to 127.0.0.1:"), "\(nobody)")
        let other = try ScriptedOrigin { try $0.reply("400 Bad Request", [], body: "") }
        let web = try Self.check(["url=redis://\(other.authority)"])
        #expect(web.status == 1 && web.faults == ["server"], "\(web)")
        let redis = try RedisProcess(.plain, ["--requirepass", "right"])
        let url = "url=redis://127.0.0.1:\(redis.port)"
        #expect(try Self.check([url]).says("login", "fault: 127.0.0.1:\(redis.port): the server wants a password → "))
        let wrong = try Self.check([url, "password-file=\(Self.secret("wrong", home))"], home)
        #expect(wrong.status == 1 && wrong.says("login", "fault: 127.0.0.1:\(redis.port): wrong user or password → "))
        #expect(!"\(wrong)".contains("secret-right"))
        #expect(try Self.check([url, "password-file=\(Self.secret("right", home))", "timeout=2s"], home).status == 0)
    }

    @Test("rights that are missing are named with the line for the server, which mends it")
    func rights() throws {
        let home = TemporaryDirectory()
        let redis = try RedisProcess(.plain)
        let commands = ["+get", "+set", "+getrange", "+eval", "+subscribe", "+unsubscribe", "+publish"]
        let words = ["on", ">p", "~respite:*"] + commands
        #expect(try redis.exchange(["ACL", "SETUSER", "respite", "resetchannels"] + words) == "+OK\r\n")
        let settings = [
            "url=redis://127.0.0.1:\(redis.port)", "user=respite", "password-file=\(try Self.secret("p", home))",
            "timeout=2s",
        ]
        let report = try Self.check(settings, home)
        #expect(report.status == 1 && report.faults == ["rights"], "\(report)")
        let line = try #require(report.lines["rights"]?.first?.split(separator: "`").dropFirst().first)
        #expect(line == "ACL SETUSER respite &respite:* +pttl +pexpire +xadd +xrange +xrevrange +xread +del")
        #expect(try redis.exchange(line.split(separator: " ").map(String.init)) == "+OK\r\n")
        #expect(try Self.check(settings, home).status == 0)
    }

    @Test("a full server, and a replica, which names its primary")
    func state() throws {
        let full = try RedisProcess(.plain, ["--maxmemory", "1", "--maxmemory-policy", "noeviction"])
        let report = try Self.check(["url=redis://127.0.0.1:\(full.port)", "timeout=2s"])
        #expect(report.status == 1 && report.faults == ["writing"], "\(report)")
        #expect(report.says("memory", "note: 1 MiB, noeviction"))
        let replica = try RedisProcess(.plain, ["--replicaof", "127.0.0.1", "\(full.port)"])
        let other = try Self.check(["url=redis://127.0.0.1:\(replica.port)", "timeout=2s"])
        #expect(other.status == 1 && other.faults == ["role"], "\(other)")
        #expect(other.says("role", "fault: the server is a replica of 127.0.0.1:\(full.port)"))
    }

    @Test("over TLS the certificate is verified")
    func secure() throws {
        let site = try TestSite()
        let redis = try RedisProcess(
            .secure(
                certificate: site.certificate.certificateFile,
                key: site.certificate.keyFile,
                authority: site.authority.certificateFile
            )
        )
        let url = ["--set", "shared.url=rediss://localhost:\(redis.port)", "--set", "shared.timeout=2s"]
        let words = url + ["--set", "tls.ca-files=['\(site.authority.certificateFile)']"]
        let right = try Self.run(words, TemporaryDirectory())
        #expect(right.status == 0 && right.output.contains("ok\tTLS\tthe certificate is right"), "\(right)")
        let stranger = try Self.run(url, TemporaryDirectory())
        #expect(stranger.status == 1 && stranger.output.contains("`tls.ca-files`"), "\(stranger)")
        let plain = try Self.check(["url=redis://localhost:\(redis.port)"])
        #expect(plain.status == 1 && plain.says("server", "fault: localhost:\(redis.port) ", portRemedy), "\(plain)")
    }

    private let portRemedy = "check the port: `rediss://` is for one with TLS, `redis://` for one without"

    @Test("a daemon beside it hears of nothing, and what it stored stays")
    func undisturbed() throws {
        let redis = try RedisProcess()
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: "x") }
        let url = ["url=redis+unix://\(redis.socketPath)", "timeout=2s"]
        let options = url.flatMap { ["--set", "shared.\($0)"] }
        let one = try DaemonProcess(options)
        _ = try one.get(origin.url("/"))
        try one.wait(for: "respite_shared_stored_total", 1)
        let keys = Set(try redis.exchange(["KEYS", "*"]).split(separator: "\r\n"))
        #expect(try Self.check(url).status == 0)
        #expect(Set(try redis.exchange(["KEYS", "*"]).split(separator: "\r\n")) == keys && keys.count > 2)
        let metrics = try one.admin("GET", "/metrics").text
        for name in ["purges_received", "resets", "failures", "waits"] {
            #expect(metrics.contains("respite_shared_\(name)_total 0\n"), "\(name)")
        }
        #expect(try DaemonProcess(options).get(origin.url("/")).cacheStatus.contains("detail=shared"))
    }

    // MARK: A cluster

    @Test("each node of a cluster is tried by one of them, replicas too; a node without the user is named")
    func cluster() throws {
        let home = TemporaryDirectory()
        let cluster = try RedisCluster(replicas: true)
        for node in cluster.nodes {
            _ = try node.exchange(["ACL", "SETUSER", "respite", "+cluster|slots"] + Self.documentedRights("p"))
        }
        let seed = "cluster=['127.0.0.1:\(cluster.nodes[1].port)']"
        let settings = [seed, "user=respite", "password-file=\(try Self.secret("p", home))", "timeout=2s"]
        let report = try Self.check(settings, home)
        #expect(report.status == 0 && report.faults.isEmpty, "\(report)")
        #expect(report.says("cluster", "ok: all 16384 slots have a node: 3 primaries, 3 replicas"))
        #expect(report.says("rights", "ok: on each node: ") && report.says("nodes", "ok: each node answers"))
        let late = cluster.nodes[5]
        _ = try late.exchange(["ACL", "DELUSER", "respite"])
        let lacking = try Self.check(settings, home)
        #expect(lacking.status == 1 && lacking.says("login", "fault: 127.0.0.1:\(late.port): "), "\(lacking)")
        _ = try cluster.nodes[0].run("CLUSTER", "DELSLOTS", "0")
        let gap = try Self.check(["cluster=['127.0.0.1:\(cluster.nodes[0].port)']"])
        #expect(gap.status == 1 && gap.says("cluster", "fault: 1 of 16384 slots have no node"), "\(gap)")
    }

    @Test("a server of no cluster, and a node of one that is named by itself, say which setting is right")
    func kinds() throws {
        let redis = try RedisProcess(.plain)
        let single = try Self.check(["cluster=['127.0.0.1:\(redis.port)']"])
        #expect(single.status == 1 && single.says("cluster", "fault: ", "name it by `shared.url`"), "\(single)")
        let cluster = try RedisCluster(replicas: false)
        let node = try Self.check(["url=redis://127.0.0.1:\(cluster.nodes[0].port)", "timeout=2s"])
        #expect(node.status == 1 && node.faults == ["role"], "\(node)")
        #expect(node.says("role", "fault: ", "not `shared.url`"))
    }

    // MARK: Settings

    @Test("without a server in the settings, one line says how to name one")
    func without() throws {
        let outcome = try Self.run([], TemporaryDirectory())
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.split(separator: "\n").count == 1 && outcome.errors.contains("docs/scaling.md"))
    }

    @Test("secret files that cannot be used are told alike by the start, `config check` and `shared check`")
    func secrets() throws {
        let home = TemporaryDirectory()
        let short = try Self.secret("too-short", home)
        let text = """
            [shared]
            url = "redis://127.0.0.1:1"
            password-file = "nothing-there"
            partition-key-file = "\(short)"

            """
        let options = ["--config", try home.write(text, to: "respite.toml")]
        let environment = DaemonProcess.environment(home)
        let words = [
            ["config", "check"], ["shared", "check"], ["serve", "--listen", "127.0.0.1:0", "--store", "none"],
        ]
        let outcomes = try words.map {
            try Command.run([DaemonProcess.executable] + $0 + options, environment: environment)
        }
        for outcome in outcomes {
            #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
            #expect(outcome.errors.contains("`shared.password-file`: \(home.path)/nothing-there"), "\(outcome)")
            #expect(outcome.errors.contains("`shared.partition-key-file` must hold at least 32"), "\(outcome)")
            #expect(outcome.errors == outcomes[0].errors)
        }
    }
}
