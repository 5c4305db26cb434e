import Testing
import TestSupport

/// Tags, over a daemon with a store and the command (C-24.3).
struct TagTests {
    /// An origin whose pages have the tags that their path names, and whose POST invalidates the group of its path.
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            let name = String(exchange.target.dropFirst())
            if exchange.request.method == "POST" {
                _ = try exchange.content()
                return try exchange.reply("204 No Content", ["Cache-Group-Invalidation: \"\(name)\""])
            }
            let tags = name.split(separator: "-").joined(separator: " ")
            let fields = ["Cache-Control: max-age=600", "Surrogate-Key: \(tags)", "Cache-Groups: \"group\""]
            try exchange.reply("200 OK", fields, body: "page \(exchange.ordinal)")
        }
    }

    private static func fill(_ daemon: DaemonProcess, _ urls: [String]) throws {
        for url in urls where try !daemon.get(url).isHit { #expect(try daemon.get(url).isHit) }
    }

    @Test("respite purge --tag removes what has the tag, also after a restart; --dry-run only lists it (C-24.3)")
    func command() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let urls = ["/news-front", "/news-sport", "/other"].map { origin.url($0) }
        var daemon: DaemonProcess? = try DaemonProcess(home: home)
        if let daemon {
            try Self.fill(daemon, urls)
            #expect(try daemon.tool("show", urls[0]).output.contains("tags      group, news, front"))
            #expect(try daemon.tool("explain", urls[0]).output.contains("tags: group, news, front"))
            #expect(try daemon.stop() == 0)
        }
        daemon = nil
        let again = try DaemonProcess(home: home)
        let dry = try again.tool("purge", "--dry-run", "--tag", "news")
        #expect(dry.status == 0 && dry.output.contains(urls[0]) && dry.output.contains(urls[1]))
        #expect(!dry.output.contains(urls[2]))
        #expect(try again.tool("purge", "--dry-run", "--json", "--tag", "news").output.contains(#""resources":2"#))
        #expect(try again.get(urls[0]).isHit)
        let purged = try again.tool("purge", "--tag", "news", "--tag", "front")
        #expect(purged.output.hasPrefix("2") && purged.output.contains("news"))
        // Nothing is left for the second tag.
        #expect(purged.status == 3)
        #expect(try !again.get(urls[0]).isHit && !again.get(urls[1]).isHit && again.get(urls[2]).isHit)
        #expect(try again.tool("purge", "--tag", "group", "--json").output.contains(#"{"tag":"group","purged":3}"#))
        #expect(try !again.get(urls[2]).isHit)
    }

    @Test("a tag and a URL together, and neither of both, are a wrong command line; so is a tag that is none (C-24.3)")
    func wrong() throws {
        let daemon = try DaemonProcess()
        #expect(try daemon.tool("purge", "--tag", "news", "http://h.example/").status == 2)
        #expect(try daemon.tool("purge").status == 2)
        #expect(try daemon.tool("purge", "--tag", "").status == 1)
        #expect(try daemon.tool("purge", "--tag", "nothing").status == 3)
        #expect(try daemon.tool("purge", "--dry-run", "--tag", "nothing").status == 3)
    }

    @Test("a group is gone once the response to the unsafe request has come, and after a kill, too (C-24.3, C-15.1)")
    func group() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let url = origin.url("/page")
        var daemon: DaemonProcess? = try DaemonProcess(home: home)
        if let daemon {
            try Self.fill(daemon, [url])
            #expect(try daemon.fetch("POST", origin.url("/none"), content: Array("x".utf8)).status == 204)
            #expect(try daemon.get(url).isHit)
            #expect(try daemon.fetch("POST", origin.url("/group"), content: Array("x".utf8)).status == 204)
            _ = try daemon.stop(signal: 9)
        }
        daemon = nil
        let again = try DaemonProcess(home: home)
        #expect(try !again.get(url).isHit)
    }
}
