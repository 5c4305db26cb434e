import Glibc
import Testing
import TestSupport

/// `match-hosts-file` in a rule, over a daemon with a settings file and a list beside it.
struct HostListTests {
    private struct Listing {
        let home = TemporaryDirectory()
        let file: String
        let daemon: DaemonProcess

        init(_ list: String, settings: String = Self.settings) throws {
            try home.write(list, to: "ads.txt")
            file = try home.write(settings, to: "respite.toml")
            daemon = try DaemonProcess(["--config", file], home: home)
        }

        static let settings = "[[rule]]\nmatch-hosts-file = \"ads.txt\"\ndeny = \"listed\"\n"

        func isDenied(_ url: String) throws -> Bool {
            let response = try daemon.client().exchange("GET", url, ["Host: other.example"])
            return response.status == 403 && response.text.contains("listed")
        }

        func isTunnelDenied(_ target: String) throws -> Bool {
            let client = try daemon.client()
            try client.send("CONNECT", target, ["Host: \(target)"])
            return try client.readHead(toCONNECT: true).head.startLine == "HTTP/1.1 403 listed"
        }

        func reload(_ list: String) throws -> Response {
            try writeFile(home.path + "/ads.txt", Array(list.utf8))
            return try daemon.admin("POST", "/v1/reload")
        }
    }

    @Test(
        "hosts of a file are denied on every route and in tunnels, in every spelling; a reload reads the file again (H-161)"
    )
    func denied() throws {
        let world = try Listing("# ads\n.ads.example\n0.0.0.0 spy.example\n192.0.2.1\n")
        for url in [
            "http://ads.example/", "https://a.b.ADS.example.:8443/x", "http://spy.example:81/", "http://192.0.2.1/",
            "http://[::ffff:c000:201]/",
        ] {
            #expect(try world.isDenied(url), "\(url)")
            let prefixed = try world.daemon.client().exchange(
                "GET",
                "/\(url)",
                ["Host: 127.0.0.1:\(world.daemon.port)"]
            )
            #expect(prefixed.status == 403 && prefixed.text.contains("listed"), "\(prefixed)")
        }
        for target in ["ads.example:443", "a.ADS.example.:8443", "spy.example:443", "192.0.2.1:443"] {
            #expect(try world.isTunnelDenied(target), "\(target)")
        }
        for url in [
            "http://a.spy.example.invalid/", "http://a.spy.example/", "http://bads.example/", "http://192.0.2.2/",
        ] {
            #expect(try !world.isDenied(url), "\(url)")
        }
        #expect(try !world.isTunnelDenied("a.spy.example:443"))

        #expect(try world.reload("new.example\n").status == 200)
        #expect(try world.isDenied("http://new.example/") && !world.isDenied("http://ads.example/"))
    }

    @Test(
        "a list with a mistake is not put in force: reload and check name file, line and remedy, and the old one holds"
    )
    func mistakes() throws {
        let world = try Listing("ads.example\n")
        let path = world.home.path + "/ads.txt"
        let refused = try world.reload("new.example\nhttp://x.example/\n")
        #expect(refused.status / 100 == 4, "\(refused)")
        #expect(refused.text.contains("ads.txt:2: a list has hosts alone"), "\(refused.text)")
        #expect(try world.isDenied("http://ads.example/") && !world.isDenied("http://new.example/"))

        let check = try world.daemon.tool("config", "check", world.file)
        #expect(check.status != 0 && check.errors.contains("\(path):2: a list has hosts alone"), "\(check.errors)")
        #expect(check.errors.contains("    http://x.example/"))

        #expect(unlink(path) == 0)
        let missing = try world.daemon.admin("POST", "/v1/reload")
        #expect(missing.text.contains("ads.txt cannot be read: No such file"), "\(missing.text)")
        #expect(missing.text.contains("respite.toml:2:1"), "\(missing.text)")
        #expect(try world.isDenied("http://ads.example/"))
        let start = try Command.run(
            DaemonProcess.serveWords(store: world.home.path + "/other", loops: 1) + ["--config", world.file],
            environment: DaemonProcess.environment(world.home)
        )
        #expect(start.status != 0 && start.errors.contains("`rule.match-hosts-file`"), "\(start.errors)")
    }

    @Test("match and methods narrow a list, a later rule makes exceptions, and config show names the list")
    func conditions() throws {
        let world = try Listing(
            ".ads.example\n",
            settings: """
                [[rule]]
                match = "http://**"
                methods = ["GET"]
                match-hosts-file = "ads.txt"
                deny = "listed"
                [[rule]]
                match = "http://good.ads.example/**"
                deny = false
                """
        )
        #expect(try world.isDenied("http://x.ads.example/"))
        #expect(try !world.isDenied("https://x.ads.example/") && !world.isDenied("http://good.ads.example/"))
        #expect(try !world.isTunnelDenied("x.ads.example:443"))
        let posted = try world.daemon.client().exchange(
            "POST",
            "http://x.ads.example/",
            ["Host: x", "Content-Length: 0"]
        )
        #expect(posted.status != 403)
        for words in [["--live"], ["--config", world.file]] {
            let listed = try Command.run(
                [DaemonProcess.executable, "config", "show", "http://x.ads.example/"] + words
                    + ["--admin", "127.0.0.1:\(world.daemon.adminPort)", "--store", world.daemon.storePath],
                environment: DaemonProcess.environment(world.home)
            )
            #expect(
                listed.output.contains("deny = \"listed\"") && listed.output.contains("hosts of ads.txt"),
                "\(listed)"
            )
        }
        #expect(try !world.daemon.tool("config", "show", "http://x.example/", "--live").output.contains("deny"))
    }
}
