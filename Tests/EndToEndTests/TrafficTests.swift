import Testing
import TestSupport

/// `redirect`, `fail` and `delay` in a rule, over a daemon with a settings file.
struct TrafficTests {
    @Test(
        "redirect sends clients elsewhere before anything is served; $path is path and query, and the status is chosen"
    )
    func redirect() throws {
        let world = try RuledDaemon { _ in "" }
        let (daemon, origin) = (world.daemon, world.origin)
        _ = try daemon.get(origin.url("/x"))
        try world.reload(
            RuledDaemon.rule(origin.url("/**"), "redirect = \"https://new.example$path\"")
                + RuledDaemon.rule(origin.url("/old/**"), "redirect = { to = \"http://other.example/\", status = 301 }")
                + RuledDaemon.rule(origin.url("/kept"), "redirect = false")
        )
        let sent = try daemon.get(origin.url("/x?a=%20b"))
        #expect(sent.status == 307 && sent["Location"] == "https://new.example/x?a=%20b", "\(sent)")
        #expect(sent.cacheStatus.contains("detail=redirect"))
        #expect(try daemon.get(origin.url("/x")).status == 307)
        let moved = try daemon.fetch("POST", origin.url("/old/x"), content: [1])
        #expect(moved.status == 301 && moved["Location"] == "http://other.example/", "\(moved)")
        #expect(try daemon.get(origin.url("/kept")).text == "answer 1")
        #expect(origin.requests.map(\.target) == ["/x", "/kept"])
        // The prefix gateway keeps its clients.
        let prefixed = try daemon.get(origin.url("/x"), by: .prefix)
        #expect(prefixed["Location"]?.hasSuffix("/https://new.example/x") == true, "\(prefixed)")
        try world.reload("")
        #expect(try daemon.get(origin.url("/x")).isHit)
    }

    @Test("fail answers with its status, resets the connection or sends nothing, also in place of a hit")
    func fail() throws {
        let world = try RuledDaemon { _ in "" }
        let (daemon, origin) = (world.daemon, world.origin)
        for path in ["/status", "/reset", "/timeout", "/never"] { _ = try daemon.get(origin.url(path)) }
        try world.reload(
            RuledDaemon.rule(origin.url("/status"), "fail = { status = 503 }")
                + RuledDaemon.rule(origin.url("/reset"), "fail = \"reset\"")
                + RuledDaemon.rule(origin.url("/timeout"), "fail = \"timeout\"")
                + RuledDaemon.rule(origin.url("/never"), "fail = { status = 500, share = 0.0 }")
        )
        let failed = try daemon.get(origin.url("/status"))
        #expect(failed.status == 503 && failed.cacheStatus.contains("detail=fail"), "\(failed)")
        #expect(failed.text.contains("rule 1 makes requests fail"))
        #expect(throws: (any Error).self) { try daemon.get(origin.url("/reset")) }
        #expect(try daemon.get(origin.url("/never")).isHit)

        // Nothing comes for this one, while others are served on the same loop.
        let silent = try daemon.client()
        try silent.send("GET", origin.url("/timeout"), ["Host: x"])
        for _ in 0..<4 { #expect(try daemon.get(origin.url("/never")).isHit) }
        #expect(origin.requests.count == 4)
    }

    @Test("delay holds back hits, too, and a client that leaves meanwhile costs nothing more")
    func delay() throws {
        let world = try RuledDaemon {
            RuledDaemon.rule($0.url("/slow"), "delay = \"300ms\"")
                + RuledDaemon.rule($0.url("/held"), "delay = \"60s\"")
        }
        let (daemon, origin) = (world.daemon, world.origin)
        for isHit in [false, true] { #expect(try daemon.get(origin.url("/slow")).isHit == isHit) }
        // Of what is stored nothing comes, while others are served on each loop.
        let put = try daemon.put(origin.url("/held"), "ours", type: "text/plain", query: "&ttl=600")
        #expect(put.status / 100 == 2)
        let crowd = try Crowd(1, of: daemon)
        try crowd.clients[0].send("GET", origin.url("/held"), ["Host: x"])
        try crowd.awaitRead()
        #expect(!crowd.clients[0].socket.hasReceived)
        _ = try daemon.get(origin.url("/fast"))
        #expect(try daemon.get(origin.url("/fast")).isHit)
        let leaving = try daemon.client()
        try leaving.send("GET", origin.url("/slow"), ["Host: x"])
        leaving.socket.resetWhenClosed()
        leaving.socket.interrupt()
        #expect(try daemon.get(origin.url("/slow")).isHit)
        #expect(origin.requests.count == 2)
    }

    @Test("config show names the rules, and explain what a request would get")
    func shown() throws {
        let world = try RuledDaemon {
            RuledDaemon.rule(
                $0.url("/**"),
                "redirect = { to = \"http://other.example/\", status = 308 }\ndelay = \"1s\""
            )
                + RuledDaemon.rule($0.url("/**"), "fail = { status = 503, share = 0.25 }")
        }
        let url = world.origin.url("/x")
        let shown = try world.daemon.tool("config", "show", url, "--live").output
        for text in [
            "redirect = { to = \"http://other.example/\", status = 308 }  # rule 1, ", "delay = \"1s\"  # rule 1, ",
            "fail = { status = 503, share = 0.25 }  # rule 2, ",
        ] {
            #expect(shown.contains(text), "\(shown)")
        }
        let text = try world.daemon.admin("GET", "/v1/explain?url=\(url)").text
        for sentence in [
            "rule 2 makes 25 % of requests fail", "rule 1 sends clients to http://other.example/", "waits 1.0 seconds",
        ] {
            #expect(text.contains(sentence), "\(text)")
        }
    }

    @Test("set-field and remove-field change requests before they are looked up and sent, by every rule in turn")
    func requestFields() throws {
        let world = try RuledDaemon {
            RuledDaemon.rule($0.url("/**"), "remove-field = { request = [\"Cookie\", \"X-Track-*\", \"Range\"] }")
                + RuledDaemon.rule(
                    $0.url("/**"),
                    "set-field = { request = { Accept-Language = \"de\", X-New = \"1\" } }"
                )
                + RuledDaemon.rule($0.url("/late"), "set-field = { request = { x-new = \"2\" } }")
        }
        let (daemon, origin) = (world.daemon, world.origin)
        let fields = [
            "Cookie: a=b", "X-Track-Me: 1", "Accept-Language: fr", "Range: bytes=0-1", "X-Other: o",
            "Connection: X-New",
        ]
        #expect(try daemon.get(origin.url("/x"), by: .forward, fields).status == 200)
        let seen = try #require(origin.requests.last)
        #expect(seen["Accept-Language"] == "de" && seen["X-New"] == "1" && seen["X-Other"] == "o")
        #expect(seen["Cookie"] == nil && seen["X-Track-Me"] == nil && seen["Range"] == nil)
        // Without its cookie the request is anybody's.
        #expect(try daemon.get(origin.url("/x"), by: .forward, ["Cookie: c=d"]).isHit)
        _ = try daemon.fetch("POST", origin.url("/late"), by: .forward, ["Cookie: a=b"], content: [1])
        let posted = try #require(origin.requests.last)
        #expect(posted["x-new"] == "2" && posted["Cookie"] == nil && posted["Accept-Language"] == "de")
        // A load that no client asks for is changed, too.
        #expect(try daemon.tool("refresh", origin.url("/alone")).status == 0)
        #expect(origin.requests.last?["X-New"] == "1")
    }

    @Test("set-field and remove-field change responses on their way to the client: misses, hits, 304 and POST")
    func responseFields() throws {
        let fields = [
            "Cache-Control: max-age=60", "ETag: \"a\"", "X-Debug: 1", "X-Frame-Options: NONE", "Set-Cookie: a=b",
        ]
        let world = try RuledDaemon(script: { try $0.reply("200 OK", fields, body: "content") }) {
            RuledDaemon.rule(
                $0.url("/**"),
                "remove-field = { response = [\"X-*\", \"Set-Cookie\"] }\nset-field = { response = { X-Frame-Options = \"DENY\" } }"
            )
        }
        let (daemon, origin) = (world.daemon, world.origin)
        let url = origin.url("/x")
        for answer in [
            try daemon.get(url), try daemon.get(url), try daemon.get(url, by: .forward, ["If-None-Match: \"a\""]),
            try daemon.fetch("POST", url, content: [1]), try daemon.get(url, by: .prefix),
            try daemon.get(origin.url("/cold"), by: .forward, ["If-None-Match: \"a\""]),
        ] {
            #expect(answer["X-Frame-Options"] == "DENY" && answer["X-Debug"] == nil, "\(answer)")
            #expect(answer["Set-Cookie"] == nil)
        }
        // A redirect of our own stays as it is.
        try world.reload(
            RuledDaemon.rule(
                origin.url("/**"),
                "redirect = \"http://new.example$path\"\nremove-field = { response = [\"Location\"] }\n"
                    + "set-field = { response = { Cache-Control = \"max-age=60\" } }"
            )
        )
        let sent = try daemon.get(url)
        #expect(sent["Location"] == "http://new.example/x" && sent["Cache-Control"] == "no-store", "\(sent)")
        // What is stored is as the origin sent it.
        #expect(try daemon.tool("show", url).output.contains("X-Debug"))
        try world.reload("")
        #expect(try daemon.get(url)["X-Debug"] == "1")
    }

    @Test("a field that a rule may not change, and a credential in one, end a check with key and reason")
    func refusedFields() throws {
        for (line, message) in [
            ("remove-field = { response = [\"Via\"] }", "`rule.remove-field` cannot change `Via`"),
            ("remove-field = { request = [\"Host\"] }", "`rule.remove-field` cannot change `Host`"),
            ("set-field = { response = { Cache-Status = \"x\" } }", "`rule.set-field` cannot change `Cache-Status`"),
            ("set-field = { request = { Authorization = \"x\" } }", "which holds a credential"),
            (
                "set-field = { request = { x-key = \"x\" } }\n[cache]\ncredential-fields = [\"X-Key\"]",
                "cannot set x-key, which `cache.credential-fields` lists"
            ),
            ("transform = { substitute = \"(\", with = \"\", regex = true }", "is no regular expression: missing ): ("),
        ] {
            let home = TemporaryDirectory()
            let file = try home.write(RuledDaemon.rule("http://a.example/**", line), to: "respite.toml")
            let checked = try Command.run([
                DaemonProcess.executable, "config", "check", file, "--store", home.path("s"),
            ])
            #expect(checked.status == 2 && checked.errors.contains(message), "\(checked)")
        }
    }

    @Test("rate holds for misses, hits, files and passed responses: nothing comes sooner, everything comes")
    func rate() throws {
        let content = String(repeating: "0123456789abcdef", count: 20_000)
        let script: ScriptedOrigin.Script = { try $0.reply("200 OK", ["Cache-Control: max-age=60"], body: content) }
        let world = try RuledDaemon(script: script) {
            RuledDaemon.rule($0.url("/x"), "rate = \"1MiB/s\"")
                + RuledDaemon.rule($0.url("/slow/**"), "rate = \"1KiB/s\"")
        }
        let (daemon, origin) = (world.daemon, world.origin)
        for method in ["POST", "GET", "GET"] {
            let answer = try daemon.fetch(method, origin.url("/x"), content: method == "POST" ? [1] : [])
            #expect(answer.text == content)
        }
        #expect(try daemon.get(origin.url("/x")).isHit)
        // All would take five minutes: little of it comes while others are served on each loop.
        let put = try daemon.put(origin.url("/slow/hit"), content, type: "text/plain", query: "&ttl=600")
        #expect(put.status / 100 == 2)
        let crowd = try Crowd(3, of: daemon)
        try crowd.clients[0].send("GET", origin.url("/slow/hit"), ["Host: x"])
        try crowd.clients[1].send("GET", origin.url("/slow/miss"), ["Host: x"])
        try crowd.clients[2].send("POST", origin.url("/slow/passed"), ["Host: x", "Content-Length: 0"])
        for client in crowd.clients { _ = try client.readHead() }
        try crowd.awaitRead()
        for client in crowd.clients {
            #expect(client.reader.takeReceived().count + client.socket.available(upTo: 32_000) < 32_000)
        }
    }

    @Test("a response without content does not wait for the rate, nor does the next one on its connection")
    func rateOfHead() throws {
        let world = try RuledDaemon {
            RuledDaemon.rule($0.url("/**"), "rate = \"1B/s\"\nfail = { status = 503 }")
        }
        let client = try world.daemon.client()
        for _ in 0..<3 {
            let head = try client.exchange("HEAD", world.origin.url("/x"), ["Host: \(world.origin.authority)"])
            #expect(head.status == 503 && (Int(head["Content-Length"] ?? "") ?? 0) > 100, "\(head)")
        }
    }

    @Test("refresh-ahead: a response at the start of its lifetime is a hit and no more; explain says what will be")
    func refreshAhead() throws {
        let script: ScriptedOrigin.Script = {
            try $0.reply("200 OK", ["Cache-Control: max-age=1000", "ETag: \"a\""], body: "content")
        }
        let world = try RuledDaemon(script: script) {
            RuledDaemon.rule($0.url("/**"), "refresh-ahead = \"60%\"")
        }
        let (daemon, origin) = (world.daemon, world.origin)
        for _ in 0..<4 { _ = try daemon.get(origin.url("/early")) }
        #expect(try daemon.get(origin.url("/early")).isHit)
        #expect(origin.requests(for: "/early").count == 1)
        #expect(try daemon.tool("explain", origin.url("/early")).output.contains("in the last 60 % of the lifetime"))
    }
}
