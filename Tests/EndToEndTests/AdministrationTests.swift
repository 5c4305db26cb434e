import Glibc
import Settings
import Testing
import TestSupport

/// The admin listener: who may, what it shows, what it changes.
struct AdministrationTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=600", "ETag: \"a\"", "Content-Type: text/html"]
            if exchange.request["If-None-Match"] == "\"a\"" { return try exchange.reply("304 Not Modified", fields) }
            try exchange.reply("200 OK", fields, body: "<script>\(exchange.target)</script>")
        }
    }

    /// A request to the admin listener with exactly these fields.
    private static func ask(
        _ daemon: DaemonProcess,
        _ method: String,
        _ path: String,
        _ fields: [String],
        content: String = ""
    ) throws -> Response {
        let client = try WireClient(port: daemon.adminPort)
        return try client.exchange(method, path, fields, content: Array(content.utf8))
    }

    @Test("without the token, or with another, the answer is 401 for everything with data (H-142)")
    func token() throws {
        let daemon = try DaemonProcess()
        let host = "Host: 127.0.0.1:\(daemon.adminPort)"
        for path in ["/v1/status", "/v1/resources", "/v1/events", "/metrics", "/v1/nothing"] {
            for field in [
                "X-A: b", "Authorization: Bearer wrong", "Authorization: Bearer ", "Authorization: Basic eDp5",
            ] {
                let response = try Self.ask(daemon, "GET", path, [host, field])
                #expect(response.status == 401, "\(path) with \(field)")
            }
        }
        for path in ["/healthz", "/readyz"] {
            #expect(try Self.ask(daemon, "GET", path, [host]).status == 200)
        }
        let authorization = "Authorization: Bearer \(try daemon.token)"
        #expect(try Self.ask(daemon, "GET", "/v1/status", [host, authorization]).status == 200)
    }

    @Test("the status names as many event loops as run: those of the settings, or one for each processor")
    func loops() throws {
        for (loops, running) in [(3, 3), (0, sysconf(Int32(_SC_NPROCESSORS_ONLN)))] {
            let status = try DaemonProcess(loops: loops).admin("GET", "/v1/status").json
            #expect(status["loops"]?.integer == Int64(running), "\(loops)")
        }
    }

    @Test("a foreign Host is 421, a foreign Origin or site 403, always without CORS fields (H-143, H-144)")
    func browsers() throws {
        let daemon = try DaemonProcess()
        let host = "Host: 127.0.0.1:\(daemon.adminPort)"
        let authorization = "Authorization: Bearer \(try daemon.token)"
        for foreign in ["attacker.example", "attacker.example:\(daemon.adminPort)", "127.0.0.1:1"] {
            let response = try Self.ask(daemon, "GET", "/v1/status", ["Host: \(foreign)", authorization])
            #expect([421, 403].contains(response.status), "\(foreign)")
        }
        for field in ["Origin: http://attacker.example", "Sec-Fetch-Site: cross-site", "Origin: null"] {
            for method in ["GET", "POST", "OPTIONS"] {
                let response = try Self.ask(daemon, method, "/v1/status", [host, authorization, field])
                #expect(response.status == 403, "\(method) with \(field)")
                #expect(response["Access-Control-Allow-Origin"] == nil)
            }
        }
        let localhost = "Host: localhost:\(daemon.adminPort)"
        #expect(try Self.ask(daemon, "GET", "/v1/status", [localhost, authorization]).status == 200)
    }

    @Test("what is stored is listed once per URL, filtered and paged")
    func list() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        for target in ["/a/1", "/a/2", "/b/1", "/b/2", "/b/3"] {
            _ = try daemon.get(origin.url(target))
            _ = try daemon.get(origin.url(target), by: .prefix)
        }
        let all = try daemon.resources()
        #expect(Set(all.uris) == Set(["/a/1", "/a/2", "/b/1", "/b/2", "/b/3"].map { origin.url($0) }))
        #expect(all.uris.count == 5)
        #expect(Set(try daemon.resources("?filter=\(origin.url("/b/"))**").uris).count == 3)
        var seen: [String] = []
        var next: String? = nil
        repeat {
            let page = try daemon.resources("?limit=2" + (next.map { "&cursor=\($0)" } ?? ""))
            #expect(page.uris.count <= 2)
            seen += page.uris
            next = page.next
        } while next != nil && seen.count < 10
        #expect(seen.count == 5 && Set(seen) == Set(all.uris))
    }

    @Test("one resource is shown, its body comes as an attachment nobody runs (H-147)")
    func show() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/page"))
        let id = try #require(try daemon.resources().identifiers.first)
        let shown = try daemon.admin("GET", "/v1/resources/\(id)")
        #expect(shown.status == 200 && shown.json["uri"]?.text == origin.url("/page"))
        let body = try daemon.admin("GET", "/v1/resources/\(id)/body")
        #expect(body.status == 200 && body.text == "<script>/page</script>")
        #expect(body["X-Content-Type-Options"] == "nosniff")
        #expect(body["Content-Disposition"]?.hasPrefix("attachment") == true || body["Content-Security-Policy"] != nil)
        #expect(try daemon.admin("GET", "/v1/resources/none-such").status == 404)
        #expect(try daemon.admin("GET", "/v1/none-such").status == 404)
    }

    @Test("purge drops everywhere, and is durable when it answers")
    func purge() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let daemon = try DaemonProcess(home: home)
        for target in ["/1", "/2", "/3"] { _ = try daemon.get(origin.url(target)) }
        #expect(try daemon.admin("POST", "/v1/purge", json: "{\"uri\":\"\(origin.url("/1"))\"}").status == 200)
        #expect(try daemon.resources().uris.count == 2)
        #expect(try !daemon.get(origin.url("/1")).isHit)
        #expect(try daemon.get(origin.url("/2")).isHit)
        #expect(try daemon.admin("POST", "/v1/purge", json: "{\"filter\":\"\(origin.url("/"))**\"}").status == 200)
        try daemon.stop(signal: SIGKILL)

        let after = try DaemonProcess(home: home)
        for target in ["/1", "/2", "/3"] {
            #expect(try after.get(origin.url(target), ["Cache-Control: only-if-cached"]).status == 504)
        }
    }

    @Test("invalidate marks stale: the next request validates")
    func invalidate() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/1"))
        #expect(try daemon.admin("POST", "/v1/invalidate", json: "{\"uri\":\"\(origin.url("/1"))\"}").status == 200)
        let next = try daemon.get(origin.url("/1"))
        #expect(next.status == 200 && next.text.contains("/1") && next.cacheStatus.contains("fwd=stale"))
        #expect(origin.requests.map { $0["If-None-Match"] } == [nil, "\"a\""])
        #expect(try daemon.get(origin.url("/1")).isHit)
    }

    @Test(
        "bad input is told with its place and changes nothing (H-145, H-146)",
        arguments: [
            ("POST", "{\"uri\":5}", "application/json", 400), ("POST", "{\"uri\":", "application/json", 400),
            ("POST", "{\"urx\":\"http://h.example/\"}", "application/json", 400),
            ("POST", "{\"uri\":\"http://h.example/\",\"uri\":\"http://i.example/\"}", "application/json", 400),
            ("POST", "{}", "application/json", 400),
            ("POST", "uri=http://h.example/", "application/x-www-form-urlencoded", 415),
            ("POST", "{\"uri\":\"http://h.example/\"}", "text/plain", 415), ("GET", "", "", 405),
            ("PUT", "{}", "application/json", 405),
        ]
    )
    func badInput(method: String, content: String, type: String, status: Int) throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/1"))
        let fields = [
            "Host: 127.0.0.1:\(daemon.adminPort)", "Authorization: Bearer \(try daemon.token)",
            "Content-Length: \(content.utf8.count)",
        ]
        let typed = type.isEmpty ? fields : fields + ["Content-Type: \(type)"]
        let response = try Self.ask(daemon, method, "/v1/purge", typed, content: content)
        #expect(response.status == status, "\(response.text)")
        #expect(response["Content-Type"]?.hasPrefix("application/problem+json") == true)
        #expect(try daemon.get(origin.url("/1")).isHit)
    }

    @Test("events come live: requested, newData, notModified, error, durable")
    func events() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        let events = try daemon.events()
        _ = try daemon.get(origin.url("/e"))
        for name in ["requested", "newData", "durable"] {
            let event = try events.next(name) { $0.contains(name) }
            #expect(event.contains(origin.url("/e")), "\(event)")
        }
        _ = try daemon.get(origin.url("/e"), ["Cache-Control: no-cache"])
        _ = try events.next("notModified") { $0.contains("notModified") }
        _ = try daemon.get("http://127.0.0.1:\(try unusedPort())/")
        _ = try events.next("error") { $0.contains("error") }
    }

    @Test("metrics are Prometheus text")
    func metrics() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        for _ in 0..<3 { _ = try daemon.get(origin.url("/m")) }
        let answer = try daemon.admin("GET", "/metrics")
        #expect(answer.status == 200 && answer["Content-Type"]?.hasPrefix("text/plain") == true)
        #expect(answer.text.contains("respite_requests_total{result=\"hit\"} 2"))
    }

    @Test("the Unix socket serves the same, for its owner alone (H-142)")
    func unixSocket() throws {
        let home = TemporaryDirectory()
        let path = home.path + "/admin.sock"
        let daemon = try DaemonProcess(["--admin", "unix:\(path)"], home: home)
        let mode = try Command.run(["stat", "-c", "%a", path])
        #expect(mode.output == "600\n")
        let words = ["curl", "-sS", "--unix-socket", path, "-H", "Authorization: Bearer \(try daemon.token)"]
        let answer = try Command.run(words + ["http://localhost/v1/status"])
        #expect(answer.status == 0 && answer.output.hasPrefix("{"), "\(answer.errors)")
    }

    @Test("the status tells requests by what became of them, each once, and bytes by where they came from")
    func traffic() throws {
        let large = [UInt8](repeating: 0x61, count: 300_000)
        let origin = try ScriptedOrigin { exchange in
            switch exchange.target {
            case "/large": try exchange.reply("200 OK", ["Cache-Control: max-age=600"], content: large)
            case "/echo": try exchange.reply("200 OK", content: try exchange.content())
            case "/broken": exchange.reset()
            default: try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: "hello")
            }
        }
        let daemon = try DaemonProcess()
        for _ in 1...3 { _ = try daemon.get(origin.url("/small")) }
        for _ in 1...2 { #expect(try daemon.get(origin.url("/large")).content == large) }
        _ = try daemon.get(origin.url("/small"), ["Range: bytes=1-2"])
        #expect(try daemon.fetch("POST", origin.url("/echo"), content: [1, 2, 3]).content == [1, 2, 3])
        #expect(try daemon.fetch("POST", origin.url("/broken"), content: [1]).status == 502)
        let traffic = try #require(try daemon.admin("GET", "/v1/status").json["traffic"])
        let statistics = ["requests", "hits", "loads", "passes", "failures"].map { traffic[$0]?.integer }
        #expect(statistics == [8, 4, 2, 1, 1], "\(traffic)")
        let bytes = ["bytesFromCache", "bytesFromOrigins"].map { traffic[$0]?.integer }
        #expect(bytes == [300_012, 300_008], "\(traffic)")
    }
}
