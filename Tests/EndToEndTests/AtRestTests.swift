import Settings
import Testing
import TestSupport

/// What the files of a store tell of its clients.
struct AtRestTests {
    private static func holds(_ daemon: DaemonProcess, _ text: String) throws -> Bool {
        try Command.run(["/bin/grep", "-r", "-q", "-a", text, daemon.storePath]).status == 0
    }

    @Test("values of request fields that Vary names are at rest as keyed hashes, and select after a restart as before")
    func selections() throws {
        let origin = try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=600", "Vary: X-Tenant, Accept-Language"]
            try exchange.reply("200 OK", fields, body: exchange.request["X-Tenant"] == "two" ? "2" : "1")
        }
        var daemon = try DaemonProcess()
        let one = ["X-Tenant: planted-one", "Accept-Language: de"]
        for _ in 0..<2 {
            #expect(try daemon.get(origin.url("/"), one).text == "1")
            #expect(try daemon.get(origin.url("/"), ["X-Tenant: two", "Accept-Language: de"]).text == "2")
        }
        let three = ["-H", "X-Tenant: three", "-H", "Accept-Language: de"]
        let explained = try daemon.tool("explain", origin.url("/"), three[0], three[1], three[2], three[3])
        #expect(explained.output.lowercased().contains("x-tenant"), "\(explained.output)\(explained.errors)")
        #expect(try daemon.stop() == 0)
        #expect(try !Self.holds(daemon, "planted-one"))
        daemon = try DaemonProcess(home: daemon.home)
        #expect(try daemon.get(origin.url("/"), one).isHit)
        #expect(origin.requests.count == 2)
    }

    @Test("storage.keep-private: on disk private answers survive a restart; in memory nothing of them is in a file")
    func keepPrivate() throws {
        let origin = try ScriptedOrigin { exchange in
            let control = exchange.target.hasPrefix("/all") ? "max-age=600" : "private, max-age=600"
            let body = String(repeating: "planted-answer ", count: exchange.target.hasSuffix("large") ? 20_000 : 1)
            try exchange.reply("200 OK", ["Cache-Control: \(control)"], body: body)
        }
        let token = ["Authorization: Bearer one"]
        var daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/small"), token)
        _ = try daemon.get(origin.url("/large"), token)
        #expect(try daemon.stop() == 0)
        daemon = try DaemonProcess(home: daemon.home)
        #expect(try daemon.get(origin.url("/small"), token).isHit && daemon.get(origin.url("/large"), token).isHit)
        #expect(try daemon.stop() == 0)
        #expect(try Self.holds(daemon, "planted-answer"))
        // Other settings: they are not used any more, and go.
        let inMemory = ["--set", "storage.keep-private=memory"]
        daemon = try DaemonProcess(inMemory, home: daemon.home)
        #expect(try !daemon.get(origin.url("/small"), token).isHit)
        #expect(try daemon.get(origin.url("/small"), token).isHit)
        #expect(try !daemon.get(origin.url("/large"), token).isHit)
        _ = try daemon.command.waitForError("the end of the review") { $0.contains("was stored earlier") ? true : nil }
        #expect(try daemon.stop() == 0)
        #expect(try !Self.holds(daemon, "planted-answer"))
        daemon = try DaemonProcess(inMemory, home: daemon.home)
        #expect(try !daemon.get(origin.url("/small"), token).isHit)
        _ = try daemon.get(origin.url("/all"))
        #expect(try daemon.stop() == 0)
        daemon = try DaemonProcess(inMemory, home: daemon.home)
        #expect(try daemon.get(origin.url("/all")).isHit)
    }

    @Test("storage.compress: text is compressed at rest and comes back byte for byte, whatever the setting is later")
    func compress() throws {
        let page = String(repeating: "<li>planted-entry of a list that many pages have</li>", count: 500)
        let origin = try ScriptedOrigin { exchange in
            try exchange.reply("200 OK", ["Cache-Control: max-age=600", "Content-Type: text/html"], body: page)
        }
        var daemon = try DaemonProcess(["--set", "storage.compress=off"])
        #expect(try daemon.get(origin.url("/plain")).text == page)
        #expect(try daemon.stop() == 0)
        #expect(try Self.holds(daemon, "planted-entry of a list that many pages have</li><li>planted-entry"))
        daemon = try DaemonProcess(home: daemon.home)
        #expect(try daemon.get(origin.url("/auto")).text == page)
        #expect(try daemon.stop() == 0)
        daemon = try DaemonProcess(home: daemon.home)
        for path in ["/plain", "/auto"] {
            let found = try daemon.get(origin.url(path))
            #expect(found.isHit && found.text == page)
        }
        let status = try daemon.tool("status").output
        #expect(status.contains("compressed") && status.contains("(1 response)"), "\(status)")
        #expect(try daemon.stop() == 0)
    }

    @Test("the same large body under several URLs is at rest once; each URL has it whole after a restart")
    func shared() throws {
        let content = String(repeating: "0123456789abcdef", count: 20_000)
        let origin = try ScriptedOrigin { exchange in
            try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: content)
        }
        var daemon = try DaemonProcess()
        for path in ["/one", "/two"] { #expect(try daemon.get(origin.url(path)).text == content) }
        // Bodies are compared after their rows are committed, and only while the daemon runs.
        var attempts = 0
        while try !daemon.tool("status").output.contains("(1 body file)"), attempts < 1000 { attempts += 1 }
        #expect(try daemon.stop() == 0)
        daemon = try DaemonProcess(home: daemon.home)
        for path in ["/one", "/two"] {
            let found = try daemon.get(origin.url(path))
            #expect(found.isHit && found.text == content)
        }
        #expect(filesBelow(daemon.storePath + "/bodies").count == 2)
        let status = try daemon.tool("status").output
        #expect(status.contains("(1 body file)"), "\(status)")
        #expect(try daemon.stop() == 0)
    }
}
