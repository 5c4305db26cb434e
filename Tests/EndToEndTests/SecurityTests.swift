import Glibc
import TestSupport
import Testing

/// What can be wrong with an origin's TLS, and what it may ask for, behind the built daemon.
struct SecurityTests {
    private static func trusting(_ site: TestSite, _ more: [String] = []) throws -> DaemonProcess {
        try DaemonProcess(
            [
                "--set", "tls.ca-files=[\"\(site.authority.certificateFile)\"]", "--set",
                "upstream.circuit-breaker=false",
            ]
                + ["--set", "upstream.retry-time=0"] + more
        )
    }

    /// A certificate that is not in order, and what the refusal says.
    enum Fault: String, CaseIterable, Sendable {
        case wrongName = "is for other.example, not for this host"
        case expired = "expired on 20"
        case notYetValid = "is not valid before 20"
        case selfSigned = "is signed by itself and not trusted here"
        case wrongAuthority = "that is not trusted here; if it is genuine, add that authority"
        case nameConstraint = "may not vouch for this name (name constraints)"

        /// A site with that fault; `root` is trusted.
        func site(_ root: IssuedCertificate) throws -> TestSite {
            var contents = CertificateContents("site", names: ["DNS:localhost", "IP:127.0.0.1"])
            var issuer: IssuedCertificate? = root
            switch self {
            case .wrongName: contents.names = ["DNS:other.example"]
            case .expired: (contents.begins, contents.ends) = (-7200, -3600)
            case .notYetValid: contents.begins = 86_400 / 2
            case .selfSigned: issuer = nil
            case .wrongAuthority: issuer = IssuedCertificate(Self.authority("Strange Root"))
            case .nameConstraint:
                var between = Self.authority("Bound Authority")
                between.nameConstraints = "permitted;DNS:test.example"
                issuer = IssuedCertificate(between, issuer: root)
            }
            return try TestSite(authority: root, certificate: IssuedCertificate(contents, issuer: issuer))
        }

        static func authority(_ name: String) -> CertificateContents {
            var contents = CertificateContents(name)
            contents.isAuthority = true
            return contents
        }
    }

    @Test(
        "a certificate that is not in order is refused with its reason; nothing is stored, and a mended one loads again",
        arguments: Fault.allCases
    )
    func faults(_ fault: Fault) throws {
        let root = IssuedCertificate(Fault.authority("Test Root"))
        let reply: ScriptedOrigin.Script = { try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: "secret") }
        var origin = try ScriptedOrigin(site: try fault.site(root), reply)
        let port = origin.port
        let good = try TestSite(
            authority: root,
            certificate: IssuedCertificate(
                CertificateContents("site", names: ["DNS:localhost", "IP:127.0.0.1"]),
                issuer: root
            )
        )
        let daemon = try Self.trusting(good)
        let url = "https://localhost:\(port)/a"
        for route in Route.allCases {
            let response = try daemon.get(url, by: route)
            #expect(response.status == 502 && response.text.contains(fault.rawValue), "\(response.text)")
            #expect(response["Proxy-Status"]?.contains("error=tls_certificate_error") == true)
        }
        #expect(origin.requests.isEmpty)
        #expect(try daemon.tool("cat", url).status == 3)
        origin.stop()
        origin = try ScriptedOrigin(port: port, site: good, reply)
        let mended = try daemon.get(url)
        #expect(mended.status == 200 && mended.text == "secret" && !mended.isHit)
        #expect(try daemon.get(url, by: .prefix).isHit)
    }

    @Test("an authority that is added later, by a reload, makes an origin load that was refused before")
    func authorityAdded() throws {
        let site = try TestSite()
        let origin = try ScriptedOrigin(site: site) {
            try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: "secret")
        }
        let home = TemporaryDirectory()
        let settings = "upstream.retry-time = \"0s\"\n"
        let file = try home.write(settings, to: "respite.toml")
        let daemon = try DaemonProcess(["--config", file], home: home)
        #expect(try daemon.get(origin.url("/a"), by: .prefix).status == 502)
        _ = try home.write(
            settings + "tls.ca-files = [\"\(site.authority.certificateFile)\"]\n",
            to: "respite.toml"
        )
        #expect(try daemon.tool("reload").status == 0)
        #expect(try daemon.get(origin.url("/a"), by: .prefix).text == "secret")
        #expect(try daemon.get(origin.url("/a")).isHit)
    }

    @Test("verify = \"off\" takes any certificate for the service's URLs alone, and says so in log, status and check")
    func unverified() throws {
        let site = try TestSite(names: ["DNS:other.example"])
        let origin = try ScriptedOrigin(site: site) { try $0.reply(body: "anybody") }
        let home = TemporaryDirectory()
        let file = try home.write(
            "[service.lab]\nbase = \"\(origin.url("/lab"))\"\nverify = \"off\"\n",
            to: "respite.toml"
        )
        let daemon = try DaemonProcess(["--config", file, "--set", "upstream.circuit-breaker=false"], home: home)
        #expect(try daemon.get(origin.url("/lab/a"), by: .prefix).text == "anybody")
        #expect(try daemon.client().exchange("GET", "/lab/a", ["Host: 127.0.0.1:\(daemon.port)"]).text == "anybody")
        #expect(try daemon.get(origin.url("/other"), by: .prefix).status == 502)
        let words = "service lab: certificates are not verified"
        #expect(daemon.command.standardError.contains(words))
        #expect(try daemon.admin("GET", "/v1/status").text.contains(words))
        let check = try Command.run(
            [DaemonProcess.executable, "config", "check", "--config", file],
            environment: DaemonProcess.environment(home)
        )
        #expect(check.status == 0 && check.errors.contains(words))
    }

    @Test("an origin that wants a certificate gets the service's by its own routes; without one its alert is told")
    func clientCertificate() throws {
        let site = try TestSite(asksClients: true)
        let me = IssuedCertificate(CertificateContents("me"), issuer: site.authority)
        let origin = try ScriptedOrigin(site: site) { try $0.reply(body: "welcome") }
        let home = TemporaryDirectory()
        let file = try home.write(
            """
            upstream.retry-time = "0s"
            tls.ca-files = ["\(site.authority.certificateFile)"]
            [service.own]
            base = "\(origin.url("/v1"))"
            client-certificate = { certificate-file = "\(me.certificateFile)", key-file = "\(me.keyFile)" }
            """,
            to: "respite.toml"
        )
        let daemon = try DaemonProcess(["--config", file], home: home)
        let own = try daemon.client().exchange("GET", "/own/a", ["Host: 127.0.0.1:\(daemon.port)"])
        #expect(own.status == 200 && own.text == "welcome")
        let other = try daemon.get(origin.url("/v1/a"), by: .prefix)
        #expect(other.status == 502 && other.text.contains("client-certificate"), "\(other.text)")
        let status = other["Proxy-Status"] ?? ""
        #expect(
            status.contains("error=tls_alert_received; alert-id=116; alert-message=certificate_required"),
            "\(status)"
        )
    }

    @Test("TLS 1.2 is spoken with who knows no other, and sessions are resumed, as the origin sees it")
    func versions() throws {
        let site = try TestSite()
        let daemon = try Self.trusting(site, ["--set", "upstream.keep-alive-timeout=0"])
        for (words, name) in [(["-tls1_2"], "TLSv1.2"), (["-tls1_3"], "TLSv1.3")] {
            let server = try TLSServer(site, words)
            let first = try daemon.get(server.url("/1"))
            #expect(first.status == 200 && first.text.contains("New, \(name)"), "\(first.text.prefix(300))")
            let second = try daemon.get(server.url("/2"))
            #expect(second.status == 200 && second.text.contains("Reused, \(name)"), "\(second.text.prefix(300))")
        }
    }

    @Test("no version or cipher in common is told as such, with the alert")
    func nothingInCommon() throws {
        let site = try TestSite()
        let daemon = try Self.trusting(site)
        let old = try TLSServer(site, ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
        let version = try daemon.get(old.url("/"))
        #expect(
            version.status == 502 && version.text.contains("refused the TLS versions 1.2 and 1.3"),
            "\(version.text)"
        )
        #expect(version["Proxy-Status"]?.contains("alert-id=70; alert-message=protocol_version") == true)
        let weak = try TLSServer(site, ["-tls1_2", "-cipher", "ECDHE-ECDSA-NULL-SHA:@SECLEVEL=0"])
        let cipher = try daemon.get(weak.url("/"))
        #expect(cipher.status == 502 && cipher.text.contains("no cipher or key in common"), "\(cipher.text)")
        #expect(cipher["Proxy-Status"]?.contains("alert-id=40; alert-message=handshake_failure") == true)
    }

    @Test("a certificate of more than 100 KiB is refused, and the daemon goes on")
    func oversizedCertificate() throws {
        let names = (0..<5000).map { "DNS:host-number-\($0).example.example" } + ["IP:127.0.0.1"]
        let large = try TestSite(names: names)
        #expect(try readFile(large.certificate.certificateFile).count > 150_000)
        let origin = try ScriptedOrigin(site: large) { try $0.reply(body: "never") }
        let daemon = try Self.trusting(large)
        let response = try daemon.get(origin.url("/"))
        #expect(response.status == 502 && response["Proxy-Status"]?.contains("error=tls_protocol_error") == true)
        #expect(response.text.contains("TLS handshake failed"), "\(response.text)")
        #expect(origin.requests.isEmpty)
    }

    @Test(
        "a handshake that is cut, garbage, or plain HTTP is told by its kind, and the next one is not disturbed",
        arguments: [
            ("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "tls_protocol_error", "speaks plain HTTP"),
            (
                "\u{16}\u{3}\u{3}\u{0}\u{7F}\u{2}", "tls_protocol_error",
                "closed the connection within the TLS handshake"
            ),
            ("SSH-2.0-OpenSSH\r\n", "tls_protocol_error", "does not speak TLS"),
            (
                "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{50}",
                "tls_alert_received; alert-id=80; alert-message=internal_error", "internal_error"
            ),
            ("", "tls_protocol_error", "closed the connection within the TLS handshake"),
        ]
    )
    func handshakes(answer: String, type: String, words: String) throws {
        let server = try TestParent { reader in
            _ = try reader.bytes(exactly: 5)
            try reader.socket.send(answer)
        }
        let site = try TestSite()
        let origin = try ScriptedOrigin(site: site) { try $0.reply(body: "good") }
        let daemon = try Self.trusting(site)
        for route in Route.allCases {
            let response = try daemon.get("https://\(server.authority)/", by: route)
            #expect(
                response.status == 502 && response["Proxy-Status"]?.contains("error=\(type);") == true,
                "\(response["Proxy-Status"] ?? "")"
            )
            #expect(response.text.contains(words), "\(response.text)")
            #expect(try daemon.get(origin.url("/")).text == "good")
        }
    }

    @Test("a handshake that does not end is 504 within connect-timeout")
    func silentHandshake() throws {
        let silent = try TestParent { _ = try $0.bytes(exactly: 1 << 20) }
        let daemon = try DaemonProcess(["--set", "upstream.connect-timeout=300ms"])
        let response = try daemon.get("https://\(silent.authority)/", by: .prefix)
        #expect(response.status == 504 && response.text.contains("TLS handshake did not end"))
        #expect(response["Proxy-Status"]?.contains("error=connection_timeout") == true)
    }

    @Test("plain HTTP to a port that speaks TLS is an error of the protocol")
    func plainToSecure() throws {
        let site = try TestSite()
        let origin = try ScriptedOrigin(site: site) { try $0.reply(body: "never") }
        let daemon = try Self.trusting(site)
        let response = try daemon.get("http://\(origin.authority)/")
        #expect(response.status == 502 && origin.requests.isEmpty)
    }

    @Test("content that ends with the connection but without close_notify is cut for the client and not stored (H-102)")
    func truncation() throws {
        let site = try TestSite()
        let origin = try ScriptedOrigin(site: site) { exchange in
            try exchange.sendHead("200 OK", ["Cache-Control: max-age=600"])
            try exchange.socket.send("half of it")
            if exchange.target == "/cut" { exchange.socket.interrupt() }
            exchange.close()
        }
        let daemon = try Self.trusting(site)
        #expect(try daemon.get(origin.url("/whole")).text == "half of it")
        #expect(try daemon.get(origin.url("/whole")).isHit)
        #expect(throws: HarnessError.self) { try daemon.get(origin.url("/cut")) }
        #expect(throws: HarnessError.self) { try daemon.get(origin.url("/cut")) }
        #expect(origin.requests(for: "/cut").count == 2)
    }

    @Test("content over TLS that goes to a file of the store comes whole, for the first client and the next")
    func storedFiles() throws {
        let site = try TestSite()
        let bytes = (0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
        let origin = try ScriptedOrigin(site: site) {
            try $0.reply("200 OK", ["Cache-Control: max-age=600"], content: bytes)
        }
        let daemon = try Self.trusting(site)
        #expect(try daemon.get(origin.url("/large")).content == bytes)
        let again = try daemon.get(origin.url("/large"), by: .prefix)
        #expect(again.isHit && again.content == bytes)
        let part = try daemon.get(origin.url("/large"), ["Range: bytes=5000000-5000099"])
        #expect(part.status == 206 && part.content == Array(bytes[5_000_000..<5_000_100]))
        #expect(origin.requests.count == 1)
    }

    @Test("500 clients by prefix, a named service and absolute-form are one request at a TLS origin (C-23.1)")
    func oneLoad() throws {
        let asked = Gate()
        let site = try TestSite()
        let origin = try ScriptedOrigin(site: site) { exchange in
            try asked.wait("all clients to have asked")
            try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: "once")
        }
        let daemon = try Self.trusting(
            site,
            ["--set", "limits.max-connections-per-peer=2000", "--set", "service.api.base=\(origin.url("/v1"))"]
        )
        let crowd = try Crowd(500, of: daemon)
        for (index, client) in crowd.clients.enumerated() {
            let head: (target: String, fields: [String]) =
                switch index % 3 {
                case 0: ("/api/cold", ["Host: 127.0.0.1:\(daemon.port)"])
                case 1: daemon.target(origin.url("/v1/cold"), by: .prefix)
                default: daemon.target(origin.url("/v1/cold"), by: .forward)
                }
            try client.send("GET", head.target, head.fields)
        }
        try crowd.awaitRead()
        asked.open()
        for client in crowd.clients { #expect(try client.readResponse().text == "once") }
        #expect(origin.requests.count == 1)
    }
}
