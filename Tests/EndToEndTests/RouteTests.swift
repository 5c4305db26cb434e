import Testing
import TestSupport

/// Which requests reach one Resource, and what the answers say of themselves.
struct RouteTests {
    @Test("forward and prefix requests share one Resource: the origin is asked once (S-013)")
    func oneResource() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=60"], body: "hello") }
        let daemon = try DaemonProcess()

        let first = try daemon.get(origin.url("/x"))
        let second = try daemon.get(origin.url("/x"))
        let third = try daemon.get(origin.url("/x"), by: .prefix)

        #expect([first.status, second.status, third.status] == [200, 200, 200])
        #expect([first.text, second.text, third.text] == ["hello", "hello", "hello"])
        #expect(!first.isHit && first.cacheStatus.contains("fwd=uri-miss"))
        #expect(second.isHit && third.isHit)
        #expect(second.head.fields.all("Age").count == 1)
        #expect(third["Age"].flatMap { Int($0) } != nil)
        #expect(origin.requests.count == 1)
    }

    @Test("what names one URL is one key: case of scheme and host, default port, fragment-free (H-062)")
    func canonicalTarget() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=60"], body: $0.target) }
        let daemon = try DaemonProcess()

        _ = try daemon.get(origin.url("/a"))
        let other = try daemon.get("HTTP://127.0.0.1:\(origin.port)/a")
        #expect(other.isHit)
        for target in ["/a%2Fb", "/a/b", "/a/../b", "/b", "/?a", "/?a="] {
            #expect(try daemon.get(origin.url(target)).text == target)
        }
        #expect(origin.requests.count == 7)
    }

    @Test("a gateway listener sends every path to its one origin, whatever name of its own Host gives")
    func gateway() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=60"], body: $0.target) }
        let daemon = try DaemonProcess(["--gateway", origin.url("")])

        let client = try daemon.client()
        let first = try client.exchange("GET", "/page?q=1", ["Host: www.localhost"])
        let second = try client.exchange("GET", "/page?q=1", ["Host: localhost:1"])
        #expect(first.text == "/page?q=1")
        #expect(second.isHit)
        #expect(origin.requests.map { $0["Host"] } == [origin.authority])
        #expect(try daemon.get(origin.url("/page?q=1")).isHit)
    }

    @Test(
        "behind a terminator on this machine a gateway is its origin and nothing else, unless routes are named (H-016)"
    )
    func gatewayAlone() throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "origin \($0.target)") }
        let inner = try ScriptedOrigin { try $0.reply(body: "internal") }
        let api = ["--set", "service.api.base=\(inner.url("/"))", "--set", "service.api.headers={X-Key=\"secret\"}"]
        let daemon = try DaemonProcess(["--gateway", origin.url("")] + api)
        func get(_ target: String, _ host: String, _ daemon: DaemonProcess) throws -> Response {
            try daemon.client().exchange("GET", target, ["Host: \(host)"])
        }
        // As nginx sends it: `proxy_pass http://127.0.0.1:3128` makes Host of that.
        let byPrefix = try get("/" + inner.url("/"), "127.0.0.1:\(daemon.port)", daemon)
        #expect(byPrefix.text == "origin /\(inner.url("/"))")
        #expect(try get("/x", "api.localhost", daemon).text == "origin /x")
        #expect(try get("/api/x", "localhost", daemon).text == "origin /api/x")
        let absolute = try get(inner.url("/"), inner.authority, daemon)
        #expect(absolute.status == 421 && absolute.text.contains("`routes`"))
        #expect(absolute["Proxy-Status"]?.contains("http_request_denied") == true)
        #expect(inner.requests.isEmpty)
        for line in ["refused status=421", "service api: no listener offers it"] {
            _ = try daemon.command.waitForError(line) { $0.contains(line) ? true : nil }
        }
        let listener = "listener=[{address=\"127.0.0.1:0\", routes=[\"gateway\", \"prefix\", \"services\"]}]"
        let open = try DaemonProcess(["--gateway", origin.url(""), "--set", listener] + api)
        let status = try open.admin("GET", "/v1/status").text
        let names = status.split(separator: "\"").filter { $0.hasPrefix("127.0.0.1:") }
        let port = try #require(
            names.compactMap { UInt16($0.dropFirst(10)) }.first { $0 != open.port && $0 != open.adminPort }
        )
        let host = "Host: api.localhost:\(port)"
        #expect(try WireClient(port: port).exchange("GET", "/x", [host]).text == "internal")
        #expect(
            try WireClient(port: port).exchange("GET", "/" + inner.url("/"), ["Host: localhost"]).text == "internal"
        )
        #expect(try get("/x", "api.localhost", open).text == "origin /x")
    }

    @Test("a gateway on loopback answers to names of its own alone; 421 names access.own-names, as config check does")
    func gatewayNames() throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "for \($0.request["Host"] ?? "-")") }
        let daemon = try DaemonProcess(["--gateway", origin.url(""), "--set", "access.own-names=[\"shop.example\"]"])
        let foreign = try daemon.client().exchange("GET", "/", ["Host: rebound.example:\(daemon.port)"])
        #expect(foreign.status == 421 && foreign.text.contains("`access.own-names`"))
        #expect(origin.requests.isEmpty)
        for host in ["shop.example:8443", "LOCALHOST", "127.0.0.1:\(daemon.port)", origin.authority] {
            #expect(
                try daemon.client().exchange("GET", "/", ["Host: \(host)"]).text == "for \(origin.authority)",
                "\(host)"
            )
        }
        let checked = try daemon.tool("config", "check", "--gateway", origin.url(""))
        #expect(checked.status == 0 && checked.errors.contains("`access.own-names`"))
        let client = ["--set", "access.own-names=*", "--set", "gateway-host=client"]
        let named = try DaemonProcess(["--gateway", origin.url("")] + client)
        for host in ["a.example", "b.example"] {
            #expect(try named.client().exchange("GET", "/", ["Host: \(host)"]).text == "for \(host)")
        }
    }

    @Test("without a gateway an origin-form path that is no route is refused with a hint (H-016)")
    func noRoute() throws {
        let daemon = try DaemonProcess()
        let response = try daemon.client().exchange("GET", "/nothing/here", ["Host: 127.0.0.1:\(daemon.port)"])
        #expect(response.status == 400)
        #expect(response["Content-Type"]?.hasPrefix("application/problem+json") == true)
    }

    @Test(
        "the prefix gateway refuses foreign hosts, foreign sites and page visits (H-065)",
        arguments: [
            ("Host: attacker.example", "X-A: b", 421), ("", "Origin: http://attacker.example", 403),
            ("", "Sec-Fetch-Site: cross-site", 403), ("", "Sec-Fetch-Mode: navigate", 403),
        ]
    )
    func prefixFromBrowsers(host: String, field: String, status: Int) throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "secret") }
        let daemon = try DaemonProcess()
        let host = host.isEmpty ? "Host: 127.0.0.1:\(daemon.port)" : host
        let response = try daemon.client().exchange("GET", "/" + origin.url("/"), [host, field])
        #expect(response.status == status)
        #expect(origin.requests.isEmpty)
    }

    @Test("Via is added in both directions, hop-by-hop fields stay behind (H-067, H-068, H-071, C-14.2)")
    func connectionFields() throws {
        let origin = try ScriptedOrigin {
            try $0.reply(
                "200 OK",
                [
                    "Cache-Control: max-age=60", "Connection: keep-alive, X-Nominated", "X-Nominated: 1",
                    "Keep-Alive: timeout=5", "Proxy-Authenticate: Basic", "X-Kept: 2",
                ],
                body: "x"
            )
        }
        let daemon = try DaemonProcess()
        let fields = [
            "Connection: X-Mine", "X-Mine: 1", "Proxy-Connection: keep-alive", "TE: gzip", "Upgrade: h2c",
            "Proxy-Authorization: Basic eDp5", "X-Other: 2",
        ]
        let miss = try daemon.get(origin.url("/"), fields)
        let hit = try daemon.get(origin.url("/"))
        let request = try #require(origin.requests.first)
        #expect(request["Via"]?.hasPrefix("1.1 ") == true)
        #expect(request["X-Other"] == "2")
        for name in ["X-Mine", "Proxy-Connection", "TE", "Upgrade", "Proxy-Authorization"] {
            #expect(request[name] == nil, "\(name) went upstream")
        }
        for response in [miss, hit] {
            #expect(response["Via"]?.contains("1.1 ") == true)
            #expect(response["X-Kept"] == "2")
            for name in ["X-Nominated", "Keep-Alive", "Proxy-Authenticate"] {
                #expect(response[name] == nil, "\(name) came downstream")
            }
        }
    }

    @Test("absolute-form: the target's authority decides, not Host (H-059)")
    func targetDecides() throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "x") }
        let daemon = try DaemonProcess()
        let response = try daemon.client().exchange("GET", origin.url("/"), ["Host: other.example"])
        #expect(response.status == 200)
        #expect(origin.requests.map { $0["Host"] } == [origin.authority])
    }
}
