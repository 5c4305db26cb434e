import Testing
import TestSupport

/// `deny` in a rule, over a daemon with a settings file.
struct DenyTests {
    private static func rule(_ match: String, _ rest: String = "deny = \"not here\"") -> String {
        RuledDaemon.rule(match, rest)
    }

    private static func isDenied(_ response: Response) -> Bool {
        response.status == 403 && response.text.contains("not here") && response.cacheStatus.contains("denied")
            && response["Proxy-Status"]?.contains("http_request_denied") == true
            && response["Cache-Control"] == "no-store"
    }

    @Test(
        "deny answers 403 with its text on every route and for every method, also what is stored; a reload lifts it (H-161)"
    )
    func everyRoute() throws {
        let world = try RuledDaemon { _ in "" }
        let (daemon, origin) = (world.daemon, world.origin)
        _ = try daemon.get(origin.url("/x"))
        #expect(try daemon.get(origin.url("/x")).isHit)

        try world.reload(Self.rule(origin.url("/**")))
        let upgrade = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        for route in Route.allCases {
            for (method, fields) in [
                ("GET", []), ("GET", ["Cache-Control: only-if-cached"]), ("GET", ["If-None-Match: \"a\""]),
                ("GET", ["Range: bytes=0-1"]), ("DELETE", []), ("OPTIONS", []), ("WHATEVER", []), ("GET", upgrade),
            ] as [(String, [String])] {
                let response = try daemon.fetch(method, origin.url("/x"), by: route, fields)
                #expect(Self.isDenied(response), "\(route) \(method) \(fields): \(response)")
            }
            #expect(Self.isDenied(try daemon.fetch("POST", origin.url("/x"), by: route, content: [1, 2, 3])))
            #expect(try daemon.fetch("HEAD", origin.url("/x"), by: route).status == 403)
        }
        #expect(origin.requests.count == 1)

        try world.reload("")
        #expect(try daemon.get(origin.url("/x")).isHit)
    }

    @Test("a denied request without content leaves the connection open for the next one")
    func keepsConnection() throws {
        let world = try RuledDaemon { Self.rule($0.url("/no/**")) }
        let client = try world.daemon.client()
        let host = ["Host: \(world.origin.authority)"]
        for _ in 0..<2 {
            #expect(Self.isDenied(try client.exchange("GET", world.origin.url("/no/x"), host)))
            #expect(try client.exchange("GET", world.origin.url("/yes"), host).status == 200)
        }
    }

    @Test("deny is for the methods and URLs of its rule, and `deny = false` in a later rule makes exceptions")
    func conditions() throws {
        let world = try RuledDaemon { origin in
            Self.rule(origin.url("/a/**")) + Self.rule(origin.url("/a/b/**"), "deny = false")
                + Self.rule(origin.url("/c"), "methods = [\"POST\"]\ndeny = \"not here\"")
                + Self.rule(origin.url("/q?*x=1*"))
        }
        let (daemon, origin) = (world.daemon, world.origin)
        #expect(Self.isDenied(try daemon.get(origin.url("/a/x"))))
        #expect(try daemon.get(origin.url("/a/b/x")).status == 200)
        #expect(try daemon.get(origin.url("/c")).status == 200)
        #expect(try daemon.get(origin.url("/c")).isHit)
        #expect(Self.isDenied(try daemon.fetch("POST", origin.url("/c"), content: [1])))
        #expect(try daemon.get(origin.url("/q")).status == 200)
        #expect(Self.isDenied(try daemon.get(origin.url("/q?x=1"))))
    }

    @Test(
        "no other spelling of a URL evades deny (H-161)",
        arguments: [
            "http://denied.example/", "HTTP://DENIED.Example/x", "http://denied.example./", "http://denied.example:80/",
            "http://denied.example:8080/x", "http://a.b.denied.example/", "https://denied.example/x",
            "http://denied.example?x", "http://192.0.2.1/", "http://192.0.2.1:81/", "http://[::ffff:192.0.2.1]/",
            "http://[::ffff:c000:0201]/", "http://[0:0:0:0:0:FFFF:C000:201]/", "http://[2001:db8::1]/",
            "http://[2001:DB8:0:0::0:1]:8080/", "http://path.example/secret/a", "http://path.example/%73ecret/a",
            "http://path.example/x/../secret/a", "http://path.example/./secret/a",
            "http://path.example/x/%2e%2e/secret/a", "http://a.bare.example./x", "https://A.BARE.example:443/x",
            "http://[::ffff:203.0.113.1]/x", "http://[::FFFF:cb00:7101]:80/",
        ]
    )
    func spellings(url: String) throws {
        let world = try RuledDaemon { _ in
            [
                "*://**.denied.example:*/**", "*://192.0.2.1:*/**", "*://[2001:db8::1]:*/**",
                "http://path.example/secret/**", "**.bare.example/**", "**//203.0.113.1/**",
            ]
            .map { Self.rule($0) }.joined()
        }
        let own = ["Host: 127.0.0.1:\(world.daemon.port)"]
        for (target, fields) in [(url, ["Host: allowed.example"]), (url, own), ("/" + url, own)] {
            // A name in Host beside an absolute target does not count.
            if target.hasPrefix("/HTTP") { continue }
            let response = try world.daemon.client().exchange("GET", target, fields)
            #expect(Self.isDenied(response), "\(target) \(fields): \(response)")
        }
    }

    @Test(
        "a host that two readers could take differently is no way around deny: it is refused",
        arguments: [
            "http://denied%2Eexample/", "http://allowed.example@denied.example/", "http://3221225985/",
            "http://0xc0000201/", "http://0300.0.2.1/", "http://192.0.513/", "http://192.0.2.1./",
            "http://denied.example:0/",
            "http://denied.example:/", "http://denied.example\\@allowed.example/",
        ]
    )
    func ambiguous(url: String) throws {
        let world = try RuledDaemon { _ in Self.rule("*://{**.denied.example,192.0.2.1}:*/**") }
        let response = try world.daemon.client().exchange("GET", url, ["Host: allowed.example"])
        #expect(response.status == 400 || Self.isDenied(response), "\(response)")
    }

    @Test("a CONNECT is denied where every URL of its origin is, in every spelling; else the tunnel is not read")
    func tunnels() throws {
        let world = try RuledDaemon { origin in
            "[access]\nconnect-ports = [443, 80, \(origin.port)]\n" + Self.rule("https://**.denied.example/**")
                + Self.rule("http://plain.example/**") + Self.rule("*://127.0.0.1:*/some/**")
                + Self.rule("https://path.example/") + Self.rule("**.bare.example/**")
                + Self.rule("**.part.example/x**")
        }
        func connect(_ target: String, _ host: String? = nil) throws -> Response {
            let client = try world.daemon.client()
            try client.send("CONNECT", target, ["Host: \(host ?? target)"])
            var response = try client.readHead(toCONNECT: true)
            if response.status != 200 { response.content = try client.reader.allContent() }
            return response
        }
        for target in [
            "denied.example:443", "DENIED.example:443", "denied.example.:443", "a.denied.example:443",
            "a.bare.example.:443",
        ] {
            let response = try connect(target)
            #expect(Self.isDenied(response), "\(target): \(response)")
            #expect(response.head.startLine == "HTTP/1.1 403 not here")
        }
        #expect(try connect("denied.example:443", "allowed.example:443").status / 100 == 4)
        // A pattern for http counts at the port of http.
        #expect(Self.isDenied(try connect("plain.example:80")))
        #expect(try !connect("plain.example:443").text.contains("not here"))
        // Only a part of the origin is denied.
        #expect(try connect(world.origin.authority).status == 200)
        for target in ["path.example:443", "a.part.example:443"] {
            #expect(try !connect(target).text.contains("not here"))
        }
    }

    @Test("inside an intercepted CONNECT deny is for each request")
    func intercepted() throws {
        let world = try InterceptingDaemon(settings: Self.rule("https://localhost:PORT/no/**"))
        let client = try world.client()
        let host = ["Host: \(world.authority)"]
        #expect(Self.isDenied(try client.exchange("GET", "/no/x", host)))
        #expect(try client.exchange("GET", "/yes", host).text == "secret")
        #expect(world.origin.requests.map(\.target) == ["/yes"])
    }

    @Test("services and a reverse proxy are no way around deny")
    func namedRoutes() throws {
        let world = try RuledDaemon { origin in
            Self.rule(origin.url("/api/no/**")) + "[service.api]\nbase = \"\(origin.url("/api"))\"\n"
                + "[[service.api.rule]]\nmatch = \"never/**\"\ndeny = \"not here\"\n"
        }
        let own = ["Host: 127.0.0.1:\(world.daemon.port)"]
        let name = ["Host: api.localhost:\(world.daemon.port)"]
        for (target, host) in [("/api/no/x", own), ("/no/x", name), ("/api/never/x", own), ("/never/x", name)] {
            #expect(Self.isDenied(try world.daemon.client().exchange("GET", target, host)), "\(target)")
        }
        #expect(try world.daemon.client().exchange("GET", "/api/yes", own).status == 200)

        let home = TemporaryDirectory()
        let file = try home.write(Self.rule(world.origin.url("/no/**")), to: "respite.toml")
        let edge = try DaemonProcess(["--config", file, "--gateway", world.origin.url("/")], home: home)
        let edgeHost = ["Host: 127.0.0.1:\(edge.port)"]
        #expect(Self.isDenied(try edge.client().exchange("GET", "/no/x", edgeHost)))
        #expect(try edge.client().exchange("GET", "/yes", edgeHost).status == 200)
    }

    @Test("refreshing asks nothing of a denied origin; purging removes what is stored of it")
    func commands() throws {
        let world = try RuledDaemon { _ in "" }
        let (daemon, origin) = (world.daemon, world.origin)
        _ = try daemon.get(origin.url("/x"))
        try world.reload(Self.rule(origin.url("/**")))
        let refreshed = try daemon.tool("refresh", origin.url("/x"))
        #expect(refreshed.status != 0 && refreshed.errors.contains("not here"), "\(refreshed)")
        #expect(Self.isDenied(try daemon.fetch("REFRESH", origin.url("/x"))))
        #expect(origin.requests.count == 1)
        #expect(try daemon.tool("ls").output.contains(origin.url("/x")))
        #expect(try daemon.tool("purge", origin.url("/x")).status == 0)
        #expect(try !daemon.tool("ls").output.contains(origin.url("/x")))
    }

    @Test("explain, config show and the access log name the rule that denies")
    func explained() throws {
        let world = try RuledDaemon { "[log]\naccess = true\n" + Self.rule($0.url("/**")) }
        let url = world.origin.url("/x")
        let text = try world.daemon.admin("GET", "/v1/explain?url=\(url)").text
        #expect(text.contains("refuse") && text.contains("rule 1 refuses the request: not here"), "\(text)")
        #expect(text.contains("detail=denied"))
        let posted = try world.daemon.admin("GET", "/v1/explain?method=POST&url=\(url)").text
        #expect(posted.contains("rule 1 refuses the request: not here"))
        let tunnel = try world.daemon.admin("GET", "/v1/explain?url=https://x.example/").text
        #expect(!tunnel.contains("refused by"))
        #expect(
            try world.daemon.tool("config", "show", url, "--live").output.contains("deny = \"not here\"  # rule 1, ")
        )
        _ = try world.daemon.get(url)
        try world.daemon.command.waitForError("the line of the request") { text in
            text.split(separator: "\n").contains { $0.contains("denied") && $0.contains("rule 1") } ? () : nil
        }
    }
}
