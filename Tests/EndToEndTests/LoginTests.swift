import Glibc
import Testing
import TestSupport

/// A listener that requires a login (RFC 9110 §11.7, RFC 7617).
struct LoginTests {
    private static func isChallenge(_ response: Response) -> Bool {
        response.status == 407 && response["Proxy-Authenticate"] == "Basic realm=\"Respite\", charset=\"UTF-8\""
            && response["WWW-Authenticate"] == nil && response["Cache-Control"] == "no-store"
    }

    private static let wrongFields = [
        [], [TeamDaemon.login("alice", "x")], ["Proxy-Authorization: Bearer x"], ["Authorization: Basic YTpi"],
    ]

    @Test(
        "without a login every route gets 407, also for what is stored and for the page on /; with one it is served (H-162)",
        arguments: [
            ("GET", "URL"), ("HEAD", "URL"), ("POST", "URL"), ("OPTIONS", "URL"), ("TRACE", "URL"), ("PURGE", "URL"),
            ("GET", "/URL"), ("GET", "/"), ("GET", "/favicon.ico"), ("OPTIONS", "*"), ("CONNECT", "HOST"),
            ("GET", "/nowhere"),
        ]
    )
    func everyRoute(method: String, target: String) throws {
        let team = try TeamDaemon()
        #expect(try team.get("/x", TeamDaemon.alice).status == 200)
        #expect(try team.get("/x", TeamDaemon.bob).isHit)
        let target = target.replacing("URL", with: team.origin.url("/x")).replacing("HOST", with: team.origin.authority)
        let content: [UInt8] = method == "POST" ? [1, 2] : []
        let host = method == "CONNECT" ? team.origin.authority : "127.0.0.1:\(team.daemon.port)"
        let fields = ["Host: \(host)"] + (content.isEmpty ? [] : ["Content-Length: 2"])
        for wrong in Self.wrongFields {
            let response = try team.daemon.client().exchange(method, target, fields + wrong, content: content)
            #expect(Self.isChallenge(response), "\(wrong): \(response)")
        }
        #expect(team.origin.requests.count == 1)
        let client = try team.daemon.client()
        try client.send(method, target, fields + [TeamDaemon.bob], content: content)
        let response = try client.readHead(toHEAD: method == "HEAD", toCONNECT: method == "CONNECT")
        #expect(response.status != 407, "\(response)")
    }

    @Test("on a kept-alive connection each request shows its own login; hits after the first one cost no hash")
    func keptAlive() throws {
        let team = try TeamDaemon()
        let (url, host) = (team.origin.url("/x"), "Host: \(team.origin.authority)")
        let client = try team.daemon.client()
        for _ in 0..<3 { #expect(try client.exchange("GET", url, [host, TeamDaemon.alice]).status == 200) }
        #expect(try team.metric("respite_login_hashes_total") == 1)
        for wrong in [
            [], ["Proxy-Authorization: Basic "], [TeamDaemon.login("alice", "open sesam")],
            [TeamDaemon.login("alice", "open sesame ")], [TeamDaemon.login("bob", "open sesame")],
        ] {
            #expect(Self.isChallenge(try client.exchange("GET", url, [host] + wrong)), "\(wrong)")
            #expect(try client.exchange("GET", url, [host, TeamDaemon.alice]).isHit, "\(wrong)")
        }
        let twice = try client.exchange("GET", url, [host, TeamDaemon.login("alice", "x"), TeamDaemon.alice])
        #expect(twice.status == 400)
        let other = try team.daemon.client()
        #expect(try other.exchange("GET", url, [host, TeamDaemon.alice]).isHit)
        #expect(try other.exchange("GET", url, [host, TeamDaemon.bob]).isHit)
        #expect(try team.metric("respite_login_hashes_total") == 5)
        #expect(try team.metric("respite_login_failures_total") == 3)
    }

    @Test("an unknown name costs one hash a try, as a known name with a wrong password does (H-162)")
    func unknownName() throws {
        let team = try TeamDaemon()
        for (number, user) in ["alice", "nobody", "alice", "nobody", "bob", "nobody"].enumerated() {
            #expect(Self.isChallenge(try team.get("/", TeamDaemon.login(user, "wrong"))))
            #expect(try team.metric("respite_login_hashes_total") == number + 1)
        }
        #expect(team.origin.requests.isEmpty)
    }

    @Test("listed addresses need no login, and loopback is not listed unless the settings list it")
    func listed() throws {
        let team = try TeamDaemon()
        #expect(Self.isChallenge(try team.get("/")))
        #expect(try team.reload(TeamDaemon.settings + "clients = [\"127.0.0.0/8\"]\n").status == 200)
        #expect(try team.get("/").status == 200)
        #expect(try team.get("/").isHit)
        #expect(try team.get("/", TeamDaemon.login("alice", "wrong")).isHit)
        #expect(try team.reload(TeamDaemon.settings + "clients = [\"192.0.2.0/24\"]\n").status == 200)
        #expect(Self.isChallenge(try team.get("/")))
        #expect(try team.get("/", TeamDaemon.alice).isHit)
        for nobody in ["\"0.0.0.0/0\"", "\"127.0.0.0/8\", \"::1\""] {
            #expect(try team.reload(TeamDaemon.settings + "clients = [\(nobody)]\n").status == 200)
            #expect(Self.isChallenge(try team.get("/")), "\(nobody)")
        }
    }

    @Test("a reload reads the file again: who is gone or has another password is asked again, the others are not")
    func reload() throws {
        let team = try TeamDaemon()
        let (url, host) = (team.origin.url("/x"), "Host: \(team.origin.authority)")
        let clients = try [TeamDaemon.alice, TeamDaemon.bob].map { login in
            let client = try team.daemon.client()
            #expect(try client.exchange("GET", url, [host, login]).status == 200)
            return client
        }
        #expect(try team.reload().text.contains("\"changed\":[]"))
        #expect(try clients[0].exchange("GET", url, [host, TeamDaemon.alice]).isHit)
        #expect(try team.metric("respite_login_hashes_total") == 2)
        try TeamDaemon.passwd(team.loginFile, "bob", "new")
        #expect(try clients[1].exchange("GET", url, [host, TeamDaemon.bob]).isHit)
        #expect(try team.reload().text.contains("login-file"))
        #expect(Self.isChallenge(try clients[1].exchange("GET", url, [host, TeamDaemon.bob])))
        #expect(try clients[1].exchange("GET", url, [host, TeamDaemon.login("bob", "new")]).isHit)
        #expect(try clients[0].exchange("GET", url, [host, TeamDaemon.alice]).isHit)
        #expect(try team.reload("").status == 200)
        #expect(try team.get("/x").isHit)
    }

    @Test("requests inside a CONNECT come under its login, and end with it")
    func tunnelled() throws {
        let team = try TeamDaemon { "[[rule]]\nmatch = \"\($0.url("/**"))\"\nconnect-http = true\n" }
        // The port of the test's origin is none of CONNECT's usual ones.
        let settings = try String(decoding: readFile(team.home.path + "/respite.toml"), as: UTF8.self)
        let port = "connect-ports = [\(team.origin.port)]\n[[rule]]"
        #expect(try team.reload(settings.replacing("[[rule]]", with: port)).status == 200)
        let host = "Host: \(team.origin.authority)"
        func tunnel(_ login: String) throws -> WireClient {
            let client = try team.daemon.client()
            try client.send("CONNECT", team.origin.authority, [host, login])
            #expect(try client.readHead(toCONNECT: true).status == 200)
            return client
        }
        let (alice, bob) = (try tunnel(TeamDaemon.alice), try tunnel(TeamDaemon.bob))
        for client in [alice, bob] {
            for _ in 0..<2 { #expect(try client.exchange("GET", "/x", [host]).status == 200) }
        }
        try TeamDaemon.passwd(team.loginFile, "bob", "new")
        #expect(try team.reload().status == 200)
        #expect(try alice.exchange("GET", "/x", [host]).isHit)
        let refused = try bob.exchange("GET", "/x", [host])
        #expect(refused.status == 403 && refused.text.contains("open another one"), "\(refused)")
        #expect(try bob.expectClose())
    }

    @Test("the script by which browsers find the proxy needs no login, since they send none for it; nothing else is so")
    func script() throws {
        let team = try TeamDaemon()
        let own = ["Host: 127.0.0.1:\(team.daemon.port)"]
        func status(_ method: String, _ target: String, _ fields: [String]) throws -> Int {
            try team.daemon.client().exchange(method, target, fields).status
        }
        #expect(try status("GET", "/proxy.pac", own) == 200)
        #expect(try status("GET", "/wpad.dat?x", own) == 200)
        #expect(try status("POST", "/proxy.pac", own + ["Content-Length: 0"]) == 407)
        #expect(try status("GET", "/proxy.pac", ["Host: elsewhere.example"]) == 407)
        #expect(try status("GET", team.origin.url("/proxy.pac"), own) == 407)
        #expect(try status("GET", "/\(team.origin.url("/proxy.pac"))", own) == 407)
        #expect(team.origin.requests.isEmpty)
    }

    @Test("SOCKS, which has no login here, is for listed addresses alone")
    func socks() throws {
        let team = try TeamDaemon()
        for greeting in [[5, 1, 0], [5, 1, 2], [5, 2, 0, 2]] as [[UInt8]] {
            let client = try team.daemon.client()
            try client.socket.send(greeting)
            #expect(try client.reader.bytes(exactly: 2) == [5, 0xFF])
            #expect(try client.expectClose())
        }
        let listed = "clients = [\"127.0.0.1\"]\nconnect-ports = [\(team.origin.port)]\n"
        #expect(try team.reload(TeamDaemon.settings + listed).status == 200)
        let client = try SOCKSClient(team.daemon, to: "127.0.0.1", team.origin.port)
        #expect(client.reply == 0)
        #expect(try client.wire.exchange("GET", "/x", ["Host: \(team.origin.authority)"]).text == "answer 1")
    }

    @Test("no login reaches an origin, the logs, the store or the admin API; the access log names the user")
    func secrecy() throws {
        let team = try TeamDaemon()
        let log = "[log]\nlevel = \"debug\"\naccess = true\naccess-format = \"combined\"\n"
        let file = "access-file = \"\(team.home.path)/access.log\"\n"
        #expect(try team.reload(TeamDaemon.settings + log + file).status == 200)
        let url = team.origin.url("/x")
        for fields in [[], ["Cache-Control: no-cache"], ["Connection: Proxy-Authorization"], ["X-Api-Key: k"]] {
            #expect(try team.daemon.get(url, fields + [TeamDaemon.alice]).status == 200)
            #expect(try team.daemon.fetch("POST", url, fields + [TeamDaemon.alice], content: [1]).status == 200)
            #expect(try team.daemon.get(url, by: .prefix, fields + [TeamDaemon.alice]).status == 200)
        }
        #expect(try team.daemon.get(url, [TeamDaemon.login("alice", "wrong sesame")]).status == 407)
        #expect(!team.origin.requests.isEmpty)
        let secrets = ["sesame", TeamDaemon.base64("alice:open sesame"), TeamDaemon.base64("alice:wrong sesame")]
        for request in team.origin.requests {
            #expect(request["Proxy-Authorization"] == nil)
            for secret in secrets { #expect(!"\(request.head)".contains(secret), "\(request.head)") }
        }
        let shown = try ["/v1/status", "/v1/resources", "/metrics", "/v1/configuration"].map {
            try team.daemon.admin("GET", $0).text
        }
        try team.daemon.stop()
        let lines = String(decoding: try readFile(team.home.path + "/access.log"), as: UTF8.self)
        #expect(lines.contains("127.0.0.1 - alice [") && lines.contains("127.0.0.1 - - ["), "\(lines)")
        var texts = shown + [lines, team.daemon.command.standardError]
        for name in ["respite.db", "respite.db-wal"] {
            texts.append(String(decoding: (try? readFile("\(team.daemon.storePath)/\(name)")) ?? [], as: UTF8.self))
        }
        for text in texts { for secret in secrets { #expect(!text.contains(secret)) } }
    }

    @Test("partition = \"user\" gives each user responses of their own, and nobody another's")
    func partitions() throws {
        let team = try TeamDaemon { "[[rule]]\nmatch = \"\($0.url("/own/**"))\"\npartition = \"user\"\n" }
        #expect(try team.get("/own/x", TeamDaemon.alice).text == "answer 1")
        #expect(try team.get("/own/x", TeamDaemon.bob).text == "answer 2")
        for (login, text) in [(TeamDaemon.alice, "answer 1"), (TeamDaemon.bob, "answer 2")] {
            let again = try team.get("/own/x", login)
            #expect(again.isHit && again.text == text, "\(again)")
        }
        #expect(try team.get("/shared", TeamDaemon.alice).text == "answer 1")
        #expect(try team.get("/shared", TeamDaemon.bob).isHit)
    }

    @Test("a flood of wrong logins is hashed a few at a time; what has no room gets 503, and the others' hits go on")
    func flood() throws {
        let team = try TeamDaemon()
        let (url, host) = (team.origin.url("/x"), "Host: \(team.origin.authority)")
        let known = try team.daemon.client()
        #expect(try known.exchange("GET", url, [host, TeamDaemon.alice]).status == 200)
        let flood = try (0..<100).map { number in
            let client = try team.daemon.client()
            try client.send("GET", url, [host, TeamDaemon.login("alice", "guess \(number)")])
            return client
        }
        #expect(try known.exchange("GET", url, [host, TeamDaemon.alice]).isHit)
        let responses = try flood.map { try $0.readResponse() }
        #expect(responses.allSatisfy { $0.status == 407 || ($0.status == 503 && $0["Retry-After"] == "1") })
        let hashed = responses.count { $0.status == 407 }
        #expect(try team.metric("respite_login_hashes_total") == hashed + 1)
        #expect(try team.metric("respite_login_refused_total") == 100 - hashed)
        #expect(hashed < 100)
        #expect(try team.get("/x", TeamDaemon.bob).isHit)
    }

    @Test("curl logs in by its proxy URL, also by CONNECT; a wrong password is a 407 for it")
    func curl() throws {
        let team = try TeamDaemon()
        let ports = "connect-ports = [\(team.origin.port)]\n"
        #expect(try team.reload(TeamDaemon.settings + ports).status == 200)
        func curl(_ user: String, _ more: String...) throws -> Command.Outcome {
            let proxy = "http://\(user)@127.0.0.1:\(team.daemon.port)"
            let words = ["curl", "-sS", "--noproxy", "", "-x", proxy, "-w", " %{http_code}"]
            return try Command.run(words + more + [team.origin.url("/x")])
        }
        #expect(try curl("alice:open%20sesame").output == "answer 1 200")
        #expect(try curl("bob:b:o:b", "--proxy-anyauth").output == "answer 1 200")
        #expect(try curl("alice:wrong", "-o", "/dev/null").output == " 407")
        #expect(try curl("alice:open%20sesame", "-p").output == "answer 2 200")
        let refused = try curl("alice:wrong", "-p")
        #expect(refused.status != 0 && refused.errors.contains("407"), "\(refused)")
    }

    @Test("curl reaches an https origin through a tunnel with a login, and not without")
    func curlTunnel() throws {
        let site = try TestSite()
        let origin = try ScriptedOrigin(site: site) { try $0.reply(body: "secure") }
        let team = try TeamDaemon()
        #expect(try team.reload(TeamDaemon.settings + "connect-ports = [\(origin.port)]\n").status == 200)
        func curl(_ user: String) throws -> Command.Outcome {
            let proxy = "http://\(user)127.0.0.1:\(team.daemon.port)"
            let words = ["curl", "-sS", "--noproxy", "", "-x", proxy, "--cacert", site.authority.certificateFile]
            return try Command.run(words + ["https://localhost:\(origin.port)/"])
        }
        #expect(try curl("alice:open%20sesame@").output == "secure")
        #expect(try curl("alice:wrong@").status != 0)
        #expect(try curl("").errors.contains("407"))
        #expect(origin.requests.allSatisfy { $0["Proxy-Authorization"] == nil } && origin.requests.count == 1)
    }

    @Test(
        "a login file that is open, missing or wrong ends the start, and a reload keeps what held; its text stays hidden"
    )
    func wrongFiles() throws {
        let team = try TeamDaemon()
        let good = try readFile(team.loginFile)
        func check() throws -> Command.Outcome {
            try Command.run(
                [DaemonProcess.executable, "config", "check", team.home.path + "/respite.toml"],
                environment: DaemonProcess.environment(team.home)
            )
        }
        for (text, mode, word) in [
            (good, 0o644, "chmod 600"), (good, 0o620, "chmod 600"), (Array("alice:$1$abc$sesame\n".utf8), 0o600, "MD5"),
            (Array("alice:sesame\n".utf8), 0o600, "respite passwd"), (good + good, 0o600, "second line"),
        ] as [([UInt8], mode_t, String)] {
            try writeFile(team.loginFile, text)
            chmod(team.loginFile, mode)
            let reloaded = try team.reload()
            #expect(reloaded.status != 200 && reloaded.text.contains(word), "\(reloaded.text)")
            let checked = try check()
            #expect(checked.status == 2 && checked.errors.contains(word), "\(checked)")
            #expect(!(reloaded.text + checked.errors).contains("sesame"))
            #expect(try team.get("/", TeamDaemon.alice).status == 200)
            #expect(Self.isChallenge(try team.get("/")))
            chmod(team.loginFile, 0o600)
        }
        unlink(team.loginFile)
        let missing = try check()
        #expect(missing.status == 2 && missing.errors.contains("respite passwd"), "\(missing)")
        #expect(Self.isChallenge(try team.get("/")))
    }
}
