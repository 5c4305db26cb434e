import Testing
import TestSupport

/// How the network is treated: origins that are down, modes, and changing these while the daemon runs.
struct ModeTests {
    /// A port that refuses connections, as an unplugged origin does.
    private static func unplug(_ daemon: DaemonProcess, _ origin: ScriptedOrigin) throws {
        origin.stop()
        for number in 0..<5 { #expect(try daemon.get(origin.url("/fail/\(number)")).status == 502) }
    }

    /// Answers what is stale already.
    private static func origin(_ text: String, port: UInt16 = 0) throws -> ScriptedOrigin {
        try ScriptedOrigin(port: port) { exchange in
            _ = try exchange.content()
            try exchange.reply(
                "200 OK",
                ["Cache-Control: max-age=60", "Age: 100", "ETag: \"\(text)\""],
                body: text
            )
        }
    }

    @Test(
        "unplugged: auto keeps answering from the store; plugged in again: fresh data within the probe interval (C-25.2)"
    )
    func unplugged() throws {
        let origin = try Self.origin("old")
        let daemon = try DaemonProcess(["--set", "upstream.retry-time=100ms", "--set", "upstream.retry-time-max=300ms"])
        for path in ["/a", "/b"] { #expect(try daemon.get(origin.url(path)).text == "old") }
        try Self.unplug(daemon, origin)
        for _ in 0..<20 {
            for path in ["/a", "/b"] {
                let answer = try daemon.get(origin.url(path))
                #expect(answer.status == 200 && answer.text == "old")
                #expect(
                    answer["Cache-Status"]?.contains("detail=origin-down") == true,
                    "\(answer["Cache-Status"] ?? "")"
                )
            }
        }
        let again = try Self.origin("new", port: origin.port)
        // A client that keeps asking gets what is held until the daemon has found the origin.
        let isFound = SharedValue(false)
        let client = Pending {
            var texts: Set<String> = []
            while !isFound.current { texts.insert(try daemon.get(origin.url("/a")).text) }
            return texts
        }
        defer { isFound.update { $0 = true } }
        try daemon.command.waitForError("the origin to answer again") {
            $0.contains("origin is up again") ? () : nil
        }
        isFound.update { $0 = true }
        #expect(try client.result().isSubset(of: ["old", "new"]))
        #expect(try daemon.get(origin.url("/a")).text == "new")
        #expect(again.requests(for: "/a").count >= 1)
        // Everything at the origin is open again.
        #expect(try daemon.get(origin.url("/b")).text == "new")
        #expect(try daemon.get(origin.url("/c")).text == "new")
    }

    @Test(
        "an origin that is down: what is not held is told why, since when and until when, and nothing is sent (C-25.3)"
    )
    func told() throws {
        let origin = try Self.origin("old")
        let daemon = try DaemonProcess(["--set", "upstream.retry-time=60s", "--set", "upstream.retry-time-max=10m"])
        #expect(try daemon.get(origin.url("/a")).text == "old")
        try Self.unplug(daemon, origin)
        let again = try Self.origin("new", port: origin.port)
        let failure = try daemon.get(origin.url("/other"))
        #expect(failure.status == 502)
        #expect(failure["Proxy-Status"]?.contains("error=destination_unavailable") == true)
        #expect(failure["Cache-Status"]?.contains("detail=origin-down") == true)
        #expect((40...60).contains(failure["Retry-After"].flatMap { Int($0) } ?? 0))
        #expect(failure.text.contains("\"error\":\"connection_refused\""))
        #expect(failure.text.contains("\"origin\":\"http://\(origin.authority)\""))
        #expect(failure.text.contains("\"since\":") && failure.text.contains("\"nextAttemptSeconds\":"))
        // What would do something is not taken for sent.
        let post = try daemon.fetch("POST", origin.url("/post"), content: Array("x".utf8))
        #expect(post.status == 503 && post["Retry-After"] != nil && post.text.contains("was not sent"))
        #expect(try daemon.get(origin.url("/a")).text == "old")
        #expect(again.requests.isEmpty)
        let status = try daemon.tool("status")
        #expect(status.output.contains("down") && status.output.contains(origin.authority))
        #expect(try daemon.admin("GET", "/metrics").text.contains("respite_origins_down 1\n"))
        _ = try daemon.command.waitForError("the line about the origin") { text in
            let lines = text.split(separator: "\n").filter { $0.contains("origin is down") }
            return lines.first?.contains(origin.authority)
        }
        // Without a breaker the origin is asked.
        let home = TemporaryDirectory()
        let file = try home.write("upstream.circuit-breaker = false\n", to: "respite.toml")
        let other = try DaemonProcess(["--config", file], home: home)
        let gone = try unusedPort()
        for number in 0..<8 {
            let answer = try other.get("http://127.0.0.1:\(gone)/\(number)")
            #expect(answer["Proxy-Status"]?.contains("error=connection_refused") == true)
        }
    }

    @Test("modes are changed while the daemon runs: offline never asks, 504 tells why, auto asks again (C-25.2)")
    func switched() throws {
        let origin = try Self.origin("held")
        let daemon = try DaemonProcess()
        #expect(try daemon.get(origin.url("/a")).text == "held")
        #expect(try daemon.tool("mode").output.contains("auto"))
        for mode in ["offline", "replay"] {
            #expect(try daemon.tool("mode", mode).status == 0)
            #expect(try daemon.tool("status").output.contains(mode))
            let connections = origin.connections
            let held = try daemon.get(origin.url("/a"))
            #expect(held.text == "held" && held["Cache-Status"]?.contains("detail=\(mode)") == true)
            let refused = try daemon.get(origin.url("/\(mode)"))
            #expect(refused.status == 504 && refused["Content-Type"]?.hasPrefix("application/problem+json") == true)
            #expect(refused.text.contains("mode \(mode)"))
            #expect(refused["Cache-Status"]?.contains("detail=\(mode)") == true)
            #expect(try daemon.fetch("POST", origin.url("/a"), content: Array("x".utf8)).status == 504)
            #expect(try daemon.get("http://no-such-name.invalid/").status == 504)
            #expect(try daemon.tool("refresh", origin.url("/a")).status != 0)
            #expect(origin.connections == connections)
            #expect(try daemon.tool("explain", origin.url("/a")).output.contains("mode: \(mode)"))
        }
        #expect(try daemon.tool("mode", "auto").status == 0)
        #expect(try daemon.get(origin.url("/offline")).text == "held")
        #expect(try daemon.tool("mode", "sideways").status == 2)
        #expect(try daemon.tool("mode", "nobody", "offline").status == 3)
        let wrong = try daemon.admin("PUT", "/v1/mode", json: "{\"mode\":\"sideways\"}")
        #expect(wrong.status == 400 && wrong.text.contains("$.mode"))
    }

    @Test("a service has a mode of its own, by its settings, by command and by reload (C-25.2)")
    func services() throws {
        let origin = try Self.origin("x")
        let home = TemporaryDirectory()
        func settings(_ mode: String, _ service: String) -> String {
            """
            mode = "\(mode)"
            [service.api]
            base = "\(origin.url("/v1"))"
            \(service)
            """
        }
        let file = try home.write(settings("auto", "mode = \"offline\""), to: "respite.toml")
        let daemon = try DaemonProcess(["--config", file], home: home)
        func statuses() throws -> [Int] {
            try [daemon.get(origin.url("/v1/a")).status, daemon.get(origin.url("/b")).status]
        }
        #expect(try statuses() == [504, 200])
        #expect(try daemon.tool("mode", "api", "online").status == 0)
        #expect(try statuses() == [200, 200])
        let shown = try daemon.admin("GET", "/v1/mode").text
        #expect(shown.contains("{\"name\":\"api\",\"mode\":\"online\",\"own\":true}"))
        // A reload that finds the same modes changes none,
        _ = try home.write(settings("auto", "mode = \"offline\"\ninject = \"all\""), to: "respite.toml")
        #expect(try daemon.tool("reload").status == 0)
        #expect(try statuses() == [200, 200])
        // and one that finds another puts that in force.
        _ = try home.write(settings("auto", "mode = \"replay\""), to: "respite.toml")
        #expect(try daemon.tool("reload").status == 0)
        #expect(try daemon.get(origin.url("/v1/c"))["Cache-Status"]?.contains("replay") == true)
        #expect(try daemon.tool("status").output.contains("replay"))
    }

    @Test(
        "a POST whose response is the resource's representation: later GET and HEAD are hits, another POST is not (C-9.1)"
    )
    func posted() throws {
        let origin = try ScriptedOrigin { exchange in
            _ = try exchange.content()
            guard exchange.request.method == "POST" else { return try exchange.reply(body: "from GET") }
            try exchange.reply(
                "200 OK",
                [
                    "Cache-Control: max-age=600", "Content-Location: \(exchange.target)",
                    "ETag: \"p\(exchange.ordinal)\"",
                ],
                body: "post \(exchange.ordinal)"
            )
        }
        let daemon = try DaemonProcess()
        let first = try daemon.fetch("POST", origin.url("/r"), content: Array("x".utf8))
        #expect(first.text == "post 1" && first["Cache-Status"]?.contains("stored") == true)
        let got = try daemon.get(origin.url("/r"))
        #expect(got.isHit && got.text == "post 1" && got["ETag"] == "\"p1\"")
        #expect(try daemon.fetch("HEAD", origin.url("/r")).isHit)
        let second = try daemon.fetch("POST", origin.url("/r"), content: Array("x".utf8))
        #expect(second.text == "post 2")
        #expect(try daemon.get(origin.url("/r")).text == "post 2")
        #expect(origin.requests(for: "/r").count == 2)
    }
}
