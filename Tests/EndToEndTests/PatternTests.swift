import JSON
import Settings
import TestSupport
import Testing

/// Patterns on the command line and in the settings of a daemon.
struct PatternTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            guard exchange.target != "/gone" || exchange.ordinal < 2 else {
                return try exchange.reply("500 Internal Server Error", [], body: "gone")
            }
            try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: "content of \(exchange.target)")
        }
    }

    private static func match(_ words: String...) throws -> Command.Outcome {
        try Command.run([DaemonProcess.executable, "match"] + words, environment: [])
    }

    @Test("match tells which URLs fit, with the exit status of grep, and asks no daemon")
    func match() throws {
        let some = try Self.match("https://*.site.example/**", "https://a.site.example/x", "https://site.example/x")
        #expect(some.status == 0 && some.errors.isEmpty)
        #expect(some.output == "fits\thttps://a.site.example/x\ndoes not fit\thttps://site.example/x\n")
        #expect(try Self.match("**.deb", "http://h.example/a", "http://h.example/b").status == 1)
        let json = try Self.match("--json", "https://h.example", "https://h.example/a")
        #expect(json.status == 1)
        let value = try JSONReader.parse(Array(json.output.utf8))
        #expect(value["pattern"]?.text == "https://h.example" && value["urls"]?.elements.count == 1)
        #expect(json.output.contains("{\"url\":\"https://h.example/a\",\"fits\":false}"))
        #expect(value["warning"]?.text?.contains("`https://h.example/**`") == true)
        let hosts = try Self.match("--host", "*.site.example:*", "https://a.site.example:8443/x")
        #expect(hosts.status == 0)
        #expect(try Self.match("--host", "a/b", "https://a.example/").status == 2)
    }

    @Test("a pattern that does not parse is told with a mark below the place; one that fits nothing, with another")
    func mistakes() throws {
        let broken = try Self.match("https://{a,b/**", "https://a.example/")
        #expect(broken.status == 2 && broken.output.isEmpty)
        #expect(broken.errors.hasSuffix("    https://{a,b/**\n            ^\n"), "\(broken.errors)")
        let useless = try Self.match(".site.example", "https://site.example/")
        #expect(useless.status == 1 && useless.errors.hasPrefix("respite: warning: `.site.example` fits no URL"))
        for words in [["https://h.example/**", "h/x"], ["https://h.example/**"], []] {
            let outcome = try Command.run([DaemonProcess.executable, "match"] + words, environment: [])
            #expect(outcome.status == 2 && outcome.output.isEmpty && !outcome.errors.isEmpty, "\(words)")
        }
    }

    @Test("ls, refresh, invalidate, wipe and purge take one pattern language; refresh loads what is stored and fits")
    func commands() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        for path in ["/a/1", "/a/2?q=1", "/b/1"] { _ = try daemon.get(origin.url(path)) }
        let pattern = origin.url("/{a,c}/**")
        let listed = try daemon.tool("ls", pattern)
        #expect(listed.output.split(separator: "\n").count == 2 && !listed.output.contains("/b/1"), "\(listed)")
        #expect(try daemon.tool("ls", "http://*/**").output.split(separator: "\n").count == 3)

        let before = origin.requests.count
        let refreshed = try daemon.tool("refresh", pattern)
        #expect(refreshed.status == 0, "\(refreshed)")
        #expect(
            refreshed.output.split(separator: "\n").sorted() == [
                "loaded  \(origin.url("/a/1"))", "loaded  \(origin.url("/a/2?q=1"))",
            ]
        )
        #expect(origin.requests.count == before + 2)
        let none = try daemon.tool("refresh", origin.url("/c*"))
        #expect(none.status == 3 && none.errors.contains("nothing is stored for"))

        for (command, count) in [("invalidate", 2), ("wipe", 2), ("purge", 2)] {
            let outcome = try daemon.tool(command, pattern)
            #expect(outcome.status == 0 && outcome.output.hasPrefix("\(count)"), "\(command): \(outcome)")
        }
        #expect(try daemon.tool("ls").output.contains("/b/1"))
        for command in ["ls", "refresh", "purge", "wipe", "invalidate"] {
            let wrong = try daemon.tool(command, "http://h.example:0/**")
            #expect(
                wrong.status == 2 && wrong.errors.hasSuffix("    http://h.example:0/**\n                     ^\n"),
                "\(command): \(wrong)"
            )
            let useless = try daemon.tool(command, "*.example")
            #expect(useless.errors.contains("warning: `*.example` fits no URL"), "\(command): \(useless)")
        }
    }

    @Test("refresh by pattern goes on past a failure, and tells how many failed")
    func failingRefresh() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        for path in ["/gone", "/a", "/b"] { _ = try daemon.get(origin.url(path)) }
        let outcome = try daemon.tool("refresh", origin.url("/*"))
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.output.split(separator: "\n").count == 2)
        #expect(outcome.errors.contains("/gone could not be loaded") && outcome.errors.contains("1 of 3 URLs"))
    }

    @Test("config check and reload warn of patterns that fit nothing; the settings stay valid")
    func settings() throws {
        let daemon = try DaemonProcess(["--set", "rule=[{ match = \"https://h.example/a/../b\", ttl = \"1m\" }]"])
        let reloaded = try daemon.tool("reload")
        #expect(
            reloaded.status == 0 && reloaded.errors.contains("`rule.match`: `https://h.example/a/../b` fits nothing")
        )
        #expect(reloaded.errors.contains("write `https://h.example/b`"), "\(reloaded)")
        let directory = TemporaryDirectory()
        let file = try directory.write(
            """
            access.private-names = ["app.example", "*.b.example", "c.example", "**.c.example"]
            [[rule]]
            match = "https://.site.example/**"
            ttl = "1m"
            [[rule]]
            match = "https://*/x"
            ttl = "1m"
            [[rule]]
            match = "https://h.example:*/x"
            ttl = "1m"
            """,
            to: "respite.toml"
        )
        let checked = try Command.run(
            [DaemonProcess.executable, "config", "check", file, "--store", directory.path("store")],
            environment: DaemonProcess.environment(directory)
        )
        #expect(checked.status == 0 && checked.output == "the settings are valid\n", "\(checked)")
        let lines = checked.errors.split(separator: "\n").map(String.init)
        #expect(
            lines.contains {
                $0.hasPrefix("respite: warning: \(file):3:") && $0.hasSuffix("write `https://**.site.example/**`")
            }
        )
        #expect(
            lines.filter { $0.contains("note: \(file):6:") && $0.contains("the host `*` is every host") }.count == 1
        )
        #expect(
            lines.filter { $0.contains("note: \(file):9:") && $0.contains("the port `*` is every port") }.count == 1
        )
        #expect(lines.filter { $0.contains("private-names`: `app.example` names that host alone") }.count == 1)
        #expect(lines.filter { $0.contains("private-names`: `*.b.example` names one label") }.count == 1)
        #expect(!checked.errors.contains("`c.example` names"))
    }
}
