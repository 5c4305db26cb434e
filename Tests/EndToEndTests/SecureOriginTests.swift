import TestSupport
import Testing

/// Origins that speak TLS, behind the built daemon.
struct SecureOriginTests {
    private static func trusting(_ site: TestSite, _ more: [String] = []) throws -> DaemonProcess {
        try DaemonProcess(["--set", "tls.ca-files=[\"\(site.authority.certificateFile)\"]"] + more)
    }

    @Test("an https URL is verified, stored, and one resource by prefix and absolute-form")
    func https() throws {
        let site = try TestSite()
        let origin = try ScriptedOrigin(site: site) {
            try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: "secret")
        }
        let daemon = try Self.trusting(site)
        let first = try daemon.get(origin.url("/a"), by: .prefix)
        #expect(first.status == 200 && first.text == "secret" && !first.isHit)
        #expect(try daemon.get(origin.url("/a"), by: .forward).isHit)
        #expect(origin.requests.count == 1)
        #expect(origin.requests[0]["Host"] == origin.authority)
    }

    @Test("an origin that is not trusted is refused with a sentence and its error type, and nothing is stored")
    func untrusted() throws {
        let site = try TestSite()
        let origin = try ScriptedOrigin(site: site) {
            try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: "secret")
        }
        let daemon = try DaemonProcess()
        for _ in 0..<2 {
            let response = try daemon.get(origin.url("/a"), by: .prefix)
            #expect(response.status == 502 && response.text.contains("tls.ca-files"), "\(response.text)")
            #expect(response["Content-Type"]?.hasPrefix("application/problem+json") == true)
            #expect(response["Proxy-Status"]?.contains("error=tls_certificate_error") == true)
        }
        #expect(origin.requests.isEmpty)
    }

    @Test("a reverse proxy stands before an https origin: one resource by path and absolute-form")
    func gateway() throws {
        let site = try TestSite()
        let origin = try ScriptedOrigin(site: site) {
            try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: "secret")
        }
        let daemon = try Self.trusting(site, ["--gateway", "https://\(origin.authority)"])
        let any = ["Host: shop.localhost"]
        let first = try daemon.client().exchange("GET", "/a", any)
        #expect(first.status == 200 && first.text == "secret" && !first.isHit)
        #expect(try daemon.client().exchange("GET", "/a", any).isHit)
        #expect(try daemon.get(origin.url("/a"), by: .forward).isHit)
        #expect(origin.requests.count == 1 && origin.requests[0]["Host"] == origin.authority)
        // The prefix form is no route of a reverse proxy: it is a path of the origin.
        #expect(try daemon.get(origin.url("/a"), by: .prefix).text == "secret")
        #expect(origin.requests.count == 2 && origin.requests[1].target == "/" + origin.url("/a"))
        let refused = try DaemonProcess(["--gateway", "https://\(origin.authority)"])
        let response = try refused.client().exchange("GET", "/a", any)
        #expect(response.status == 502 && response.text.contains("tls.ca-files"))
        #expect(origin.requests.count == 2)
    }

    @Test("a named service speaks TLS to its base and puts its credential on")
    func service() throws {
        let site = try TestSite()
        let origin = try ScriptedOrigin(site: site) {
            try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: $0.request["X-Team-Token"] ?? "nobody")
        }
        let home = TemporaryDirectory()
        let file = try home.write(
            """
            [tls]
            ca-files = ["\(site.authority.certificateFile)"]
            [service.api]
            base = "\(origin.url("/v1"))"
            headers = { X-Team-Token = "planted" }
            """,
            to: "respite.toml"
        )
        let daemon = try DaemonProcess(["--config", file], home: home)
        let own = ["Host: 127.0.0.1:\(daemon.port)"]
        #expect(try daemon.client().exchange("GET", "/api/a", own).text == "planted")
        #expect(try daemon.client().exchange("GET", "/api/a", own).isHit)
        #expect(try daemon.get(origin.url("/v1/a")).text == "nobody")
        #expect(origin.requests.count == 2)
    }

    @Test("uploads and large content pass through TLS whole, both ways")
    func largeContent() throws {
        let site = try TestSite()
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 9) }
        let origin = try ScriptedOrigin(site: site) { try $0.reply(content: try $0.content()) }
        let daemon = try Self.trusting(site)
        let response = try daemon.fetch("PUT", origin.url("/large"), content: bytes)
        #expect(response.status == 200 && response.content == bytes)
    }

    @Test("a file of authorities that cannot be read is told with its place, and the daemon does not start")
    func badFile() throws {
        let home = TemporaryDirectory()
        let file = try home.write("[tls]\nca-files = [\"missing.pem\"]\n", to: "respite.toml")
        let command = try Command(
            [DaemonProcess.executable, "serve", "--config", file],
            environment: DaemonProcess.environment(home)
        )
        let outcome = try command.wait()
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("respite.toml:2") && outcome.errors.contains("missing.pem"))
    }
}
