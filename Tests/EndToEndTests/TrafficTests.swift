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
        let world = try RuledDaemon { RuledDaemon.rule($0.url("/slow"), "delay = \"300ms\"") }
        let (daemon, origin) = (world.daemon, world.origin)
        for isHit in [false, true] {
            let start = ContinuousClock.now
            #expect(try daemon.get(origin.url("/slow")).isHit == isHit)
            #expect(ContinuousClock.now - start >= .milliseconds(290))
        }
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
}
