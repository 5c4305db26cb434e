import Glibc
import TestSupport
import Testing
import TransportSecurity

/// TLS of clients that ends in the built daemon.
struct InterceptionTests {
    @Test("the second access is a hit, of the resource of every route; requests follow on one connection")
    func hits() throws {
        let lab = try InterceptingDaemon { exchange in
            try exchange.reply(
                "200 OK",
                ["Cache-Control: max-age=600", "Alt-Svc: h3=\":443\"", "Strict-Transport-Security: max-age=1"],
                body: "secret"
            )
        }
        let own = ["Host: \(lab.authority)"]
        let client = try lab.client()
        let first = try client.exchange("GET", "/a?b", own)
        #expect(first.status == 200 && first.text == "secret" && !first.isHit)
        #expect(first["Alt-Svc"] == nil && first["Strict-Transport-Security"] == "max-age=1")
        for _ in 0..<50 {
            let next = try client.exchange("GET", "/a?b", own)
            #expect(next.isHit && next.text == "secret" && next["Alt-Svc"] == nil)
        }
        #expect(try lab.get("/a?b").isHit)
        #expect(try lab.daemon.get(lab.url("/a?b"), by: .prefix).isHit)
        #expect(try lab.daemon.get(lab.url("/a?b")).isHit)
        #expect(lab.origin.requests.map(\.target) == ["/a?b"] && lab.origin.requests[0]["Host"] == lab.authority)
    }

    @Test(
        "a host that is not named, or named for pass-through, gets a blind tunnel: the client sees the origin's certificate",
        arguments: [(["other.example", "*.localhost"], ""), (["**"], "pass-through = [\"localhost:*\"]")]
    )
    func blind(hosts: [String], settings: String) throws {
        let lab = try InterceptingDaemon(hosts: hosts, settings: settings)
        let client = try lab.client(trusting: lab.site.authority.certificateFile)
        #expect(try client.exchange("GET", "/a", ["Host: \(lab.authority)"])["Cache-Status"] == nil)
        let failure = #expect(throws: HandshakeFailure.self) { _ = try lab.client() }
        #expect(failure?.fault == .unknownAuthority)
        let note = try lab.daemon.tool("explain", lab.url("/a")).output
        #expect(note.contains("CONNECT makes a blind tunnel"), "\(note)")
    }

    @Test(
        "a CA made for hosts answers for these: names below them and addresses of a network, too",
        arguments: [("localhost", "localhost"), ("127.0.0.0/8", "127.0.0.1"), ("*.localhost", "a.b.localhost")]
    )
    func constrained(goodFor: String, host: String) throws {
        let lab = try InterceptingDaemon(hosts: ["**"], goodFor: [goodFor])
        let client = try lab.client(to: "\(host):\(lab.origin.port)", as: host)
        #expect(client.socket.descriptor >= 0)
        #expect(try lab.daemon.admin("GET", "/v1/status").text.contains("\"minted\":1"))
    }

    @Test(
        "a host that intercept.hosts names and the CA is not good for gets a blind tunnel, as status and explain tell"
    )
    func beyondConstraint() throws {
        let lab = try InterceptingDaemon(hosts: ["localhost:PORT"], goodFor: ["other.example"])
        let client = try lab.client(trusting: lab.site.authority.certificateFile)
        #expect(try client.exchange("GET", "/a", ["Host: \(lab.authority)"])["Cache-Status"] == nil)
        let note = try lab.daemon.tool("explain", lab.url("/a")).output
        #expect(note.contains("blind tunnel: our CA is good for other.example alone"), "\(note)")
        let status = try lab.daemon.admin("GET", "/v1/status").text
        #expect(status.contains("but the CA is good for other.example alone"), "\(status)")
    }

    @Test("who has the key of a CA made for a host cannot pass for another one: OpenSSL refuses what it signs")
    func stolenKey() throws {
        let home = TemporaryDirectory()
        try InterceptingDaemon.makeAuthority(home, goodFor: ["good.example"])
        func verdict(_ name: String) throws -> Command.Outcome {
            let script = """
                cd \(home.path) && printf 'subjectAltName=\(name)' > names &&
                openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k -subj / -out r 2>/dev/null &&
                openssl x509 -req -in r -CA ca/ca.pem -CAkey ca/ca.key -days 1 -extfile names -out l 2>/dev/null &&
                openssl verify -CAfile ca/ca.pem l
                """
            return try Command.run(["/bin/sh", "-c", script], environment: ["HOME=\(home.path)"])
        }
        #expect(try verdict("DNS:a.good.example").status == 0)
        for name in ["DNS:bank.example", "DNS:notgood.example", "IP:127.0.0.1", "IP:::1"] {
            let outcome = try verdict(name)
            #expect(
                outcome.status != 0 && (outcome.output + outcome.errors).contains("subtree violation"),
                "\(outcome)"
            )
        }
    }

    @Test("what is held is answered without the origin, and in mode offline; what is not says so")
    func offline() throws {
        let lab = try InterceptingDaemon()
        #expect(try lab.get("/a").status == 200)
        lab.origin.stop()
        #expect(try lab.daemon.tool("mode", "offline").status == 0)
        #expect(try lab.get("/a").isHit)
        #expect(try lab.get("/b").status == 504)
    }

    @Test("who opens a URL in a browser is told of a failure by a page, which holds nothing of the URL but text")
    func page() throws {
        let lab = try InterceptingDaemon()
        lab.origin.stop()
        for fields in [["Sec-Fetch-Dest: document"], ["Accept: text/html, */*;q=0.1"]] {
            let response = try lab.get("/%3Cscript%3Ealert('1')%3C/script%3E", fields)
            #expect(response.status >= 500 && response["Content-Type"] == "text/html; charset=utf-8")
            #expect(response["Cache-Control"] == "no-store" && response["Proxy-Status"] != nil)
            #expect(
                response.text.contains("<h1>\(response.status) ") && !response.text.contains("<script"),
                "\(response.text)"
            )
        }
        #expect(try lab.get("/a")["Content-Type"] == "application/problem+json")
    }

    // MARK: Origins that are not in order

    @Test(
        "an origin whose certificate is not in order is 502 with the reason, is asked nothing, and nothing is stored",
        arguments: [
            (["DNS:other.example"], 86_400, "is for other.example"), (["DNS:localhost"], -60, "expired on"),
            ([], 86_400, "names no host"),
        ]
    )
    func faults(names: [String], ends: Int, words: String) throws {
        let site = try TestSite(names: names) { $0.ends = ends }
        let lab = try InterceptingDaemon(site: site)
        for _ in 0..<2 {
            let response = try lab.get("/a")
            #expect(response.status == 502 && response.text.contains(words), "\(response.text)")
            #expect(response["Proxy-Status"]?.contains("error=tls_certificate_error") == true)
        }
        #expect(lab.origin.requests.isEmpty)
    }

    @Test("an origin of an authority that is not trusted is 502, until it is: then it is loaded")
    func untrusted() throws {
        let other = try TestSite()
        let lab = try InterceptingDaemon(
            trusted: other.authority.certificateFile,
            settings: "[upstream]\nretry-time = \"0s\""
        )
        let response = try lab.get("/a")
        #expect(response.status == 502 && response.text.contains("tls.ca-files"), "\(response.text)")
        #expect(lab.origin.requests.isEmpty)
        let file = lab.home.path + "/respite.toml"
        let text = String(decoding: try readFile(file), as: UTF8.self)
        let mended = text.replacing(other.authority.certificateFile, with: lab.site.authority.certificateFile)
        try writeFile(file, Array(mended.utf8))
        #expect(try lab.daemon.tool("reload").status == 0)
        #expect(try lab.get("/a").text == "secret")
    }

    // MARK: What clients send

    @Test("a hello may come byte by byte, or right behind the CONNECT")
    func pieces() throws {
        let lab = try InterceptingDaemon()
        let engine = try InterceptingDaemon.engine("localhost", trusting: lab.authorityFile)
        let client = try InterceptingDaemon.handshake(try lab.tunnel(), engine, inPiecesOf: 1)
        #expect(try client.exchange("GET", "/a", ["Host: \(lab.authority)"]).text == "secret")
        // All of it comes right behind the CONNECT, or its first bytes, and then exactly those that are missing.
        for first in [Int.max, 20] {
            let other = try InterceptingDaemon.engine("localhost", trusting: lab.authorityFile)
            other.begin()
            var hello: [UInt8] = []
            other.sendOutput { bytes in
                for index in bytes.indices { hello.append(bytes[index]) }
                return bytes.count
            }
            let eager = try lab.daemon.client()
            let head = ["Host: \(lab.authority)"]
            try eager.send("CONNECT", lab.authority, head, content: Array(hello.prefix(first)))
            #expect(try eager.readHead(toCONNECT: true).status == 200)
            try eager.socket.send(Array(hello.dropFirst(first)))
            #expect(try InterceptingDaemon.handshake(eager, other).exchange("GET", "/a", head).isHit)
        }
    }

    @Test(
        "what is no ClientHello, or a cut one, ends its connection and disturbs nobody",
        arguments: [
            Array("GARBAGE\r\n\r\n".utf8), [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3], [0x16, 3, 1, 0, 4, 2, 0, 0, 0],
            [0x16], [0x15, 3, 3, 0, 2, 2, 40], [0x16, 3, 1, 0, 4, 1, 0xFF, 0xFF, 0xFF],
        ] as [[UInt8]]
    )
    func garbage(bytes: [UInt8]) throws {
        let lab = try InterceptingDaemon()
        let client = try lab.tunnel()
        try client.socket.send(bytes)
        client.socket.finishSending()
        while let piece = try? client.reader.bytes(upTo: 65_536), !piece.isEmpty {}
        #expect(lab.origin.requests.isEmpty)
        #expect(try lab.get("/a").text == "secret")
    }

    @Test("a hello without end is given up at 16 KiB")
    func oversized() throws {
        let lab = try InterceptingDaemon()
        let client = try lab.tunnel()
        let record = [0x16, 3, 1, 0x40, 0] as [UInt8]
        let more = record + [UInt8](repeating: 0, count: 16_384)
        try client.socket.send(record + [1, 0, 0x3F, 0xFF] + [UInt8](repeating: 0, count: 16_380))
        for _ in 0..<8 { _ = try? client.socket.send(more) }
        // An alert, or a reset, and the end.
        while let piece = try? client.reader.bytes(upTo: 65_536), !piece.isEmpty { #expect(piece[0] == 0x15) }
        #expect(lab.origin.requests.isEmpty)
        #expect(try lab.get("/a").text == "secret")
    }

    @Test("a client that speaks other protocols only gets a blind tunnel")
    func otherProtocols() throws {
        let lab = try InterceptingDaemon()
        let site = lab.site.authority.certificateFile
        let client = try lab.client(trusting: site, protocols: ["h2"])
        #expect(try client.exchange("GET", "/a", ["Host: \(lab.authority)"])["Cache-Status"] == nil)
    }

    @Test("the name in the hello counts if it is named, too; else the tunnel is blind")
    func otherNames() throws {
        let lab = try InterceptingDaemon(hosts: ["127.0.0.1:PORT", "localhost:PORT"])
        let address = "127.0.0.1:\(lab.origin.port)"
        let named = try lab.client(to: address, as: "localhost")
        #expect(try named.exchange("GET", "/a", ["Host: \(lab.authority)"]).status == 200)
        #expect(try named.exchange("GET", "/a", ["Host: \(address)"]).status == 421)
        let literal = try lab.client(to: address, as: "127.0.0.1")
        #expect(try literal.exchange("GET", "/a", ["Host: \(address)"]).status == 200)
        let failure = #expect(throws: HandshakeFailure.self) { _ = try lab.client(to: address, as: "other.example") }
        #expect(failure?.fault == .unknownAuthority)
    }

    @Test("an address as the name in a hello is not answered for: no client sends one (RFC 6066 §3)")
    func addressInHello() throws {
        let lab = try InterceptingDaemon(hosts: ["127.0.0.1:PORT", "localhost:PORT"])
        let engine = try InterceptingDaemon.engine("localhost", trusting: lab.authorityFile)
        engine.begin()
        var hello: [UInt8] = []
        engine.sendOutput { bytes in
            for index in bytes.indices { hello.append(bytes[index]) }
            return bytes.count
        }
        let name = Array("localhost".utf8)
        let place = try #require(hello.indices.first { hello[$0...].starts(with: name) })
        hello.replaceSubrange(place..<place + name.count, with: Array("127.0.0.1".utf8))
        let tunnel = try lab.tunnel()
        try tunnel.socket.send(hello)
        #expect(try !tunnel.reader.bytes(upTo: 1).isEmpty)
        let tunnels = try lab.daemon.tool("tunnels").output
        #expect(tunnels.contains(lab.authority), "\(tunnels)")
    }

    @Test("large content passes both ways, whole")
    func largeContent() throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 9) }
        let lab = try InterceptingDaemon { try $0.reply(content: try $0.content()) }
        let fields = ["Host: \(lab.authority)", "Content-Length: \(bytes.count)"]
        let response = try lab.client().exchange("PUT", "/large", fields, content: bytes)
        #expect(response.status == 200 && response.content == bytes)
    }

    @Test("a WebSocket speaks both ways inside")
    func webSocket() throws {
        let lab = try InterceptingDaemon { exchange in
            try exchange.sendRaw(
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nready\n"
            )
            let said = try exchange.reader.line()
            try exchange.sendRaw("heard \(said)\n")
            exchange.close()
        }
        let client = try lab.client()
        let fields = [
            "Host: \(lab.authority)", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==",
            "Sec-WebSocket-Version: 13",
        ]
        try client.send("GET", "/chat", fields)
        #expect(try client.readHead().status == 101)
        #expect(try client.reader.line() == "ready")
        try client.socket.send("hello\n")
        #expect(try client.reader.line() == "heard hello")
    }

    @Test("clients of a TLS listener are intercepted, too: TLS within TLS, and blind tunnels besides")
    func secureListener() throws {
        let proxy = try TestSite()
        let port = try unusedPort()
        let files = proxy.certificate
        let large = String(repeating: "0123456789", count: 100_000)
        let lab = try InterceptingDaemon(
            arguments: [
                "--listen", "https://127.0.0.1:\(port)", "--set", "tls.certificate-file=\"\(files.certificateFile)\"",
                "--set",
                "tls.key-file=\"\(files.keyFile)\"",
            ]
        ) { try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: large) }
        func curl(trusting file: String, _ more: String...) throws -> Command.Outcome {
            try Command.run(
                [
                    "curl", "-sS", "--proxy", "https://127.0.0.1:\(port)", "--proxy-cacert",
                    proxy.authority.certificateFile,
                    "--cacert", file, "--noproxy", "", "-w", "%header{cache-status}", lab.url("/a"),
                ] + more
            )
        }
        let first = try curl(trusting: lab.authorityFile)
        #expect(
            first.status == 0 && first.output.hasPrefix(large) && first.output.contains("fwd=uri-miss"),
            "\(first.errors)"
        )
        let second = try curl(trusting: lab.authorityFile, "-o", "/dev/null")
        #expect(second.output.contains("hit"), "\(second)")
        for _ in 0..<2 { #expect(try curl(trusting: lab.site.authority.certificateFile).status != 0) }
        let blind = try curl(trusting: lab.site.authority.certificateFile)
        #expect(blind.status == 0 && blind.output == large, "\(blind.errors)")
        #expect(lab.origin.requests.count == 2)
    }

    // MARK: Users

    @Test("answers for one credential are not another's, and what a service adds is not added here")
    func credentials() throws {
        let lab = try InterceptingDaemon(
            settings: """
                [service.api]
                base = "https://localhost:PORT/v1"
                headers = { X-Team-Token = "planted" }
                inject = "all"
                """
        ) { exchange in
            let user = exchange.request["Authorization"] ?? "nobody"
            try exchange.reply(
                "200 OK",
                ["Cache-Control: max-age=600"],
                body: user + (exchange.request["X-Team-Token"] ?? "")
            )
        }
        for user in ["ann", "bob", "ann", "bob"] {
            #expect(try lab.get("/v1/a", ["Authorization: \(user)"]).text == user)
        }
        #expect(try lab.get("/v1/a").text == "nobody")
        #expect(lab.origin.requests.count == 3)
    }

    // MARK: Clients that refuse

    @Test("after two refusals the client gets a blind tunnel, which is told; a success in between begins anew")
    func passThrough() throws {
        let lab = try InterceptingDaemon()
        let site = lab.site.authority.certificateFile
        func isRefused() throws -> Bool {
            do { _ = try lab.client(trusting: site) } catch let failure as HandshakeFailure {
                #expect(failure.fault == .unknownAuthority)
                return true
            }
            return false
        }
        #expect(try isRefused())
        #expect(try lab.get("/a").status == 200)
        #expect(try isRefused())
        #expect(try isRefused())
        #expect(try !isRefused())
        let status = try lab.daemon.tool("status").output
        #expect(status.contains("not intercepted") && status.contains(lab.authority), "\(status)")
        #expect(try lab.daemon.tool("explain", lab.url("/a")).output.contains("blind tunnel for clients that refuse"))
        #expect(lab.daemon.command.standardError.contains("a client refuses our certificate"))
    }

    @Test("a client that four times closes when it has seen our certificate gets a blind tunnel")
    func silentRefusals() throws {
        let lab = try InterceptingDaemon()
        let site = lab.site.authority.certificateFile
        for _ in 0..<4 {
            let engine = try InterceptingDaemon.engine("localhost", trusting: site)
            let tunnel = try lab.tunnel()
            engine.begin()
            engine.sendOutput { bytes in
                bytes.withUnsafeBufferPointer { send(tunnel.socket.descriptor, $0.baseAddress, $0.count, 0) }
            }
            // It has seen what it was shown.
            #expect(try !tunnel.reader.bytes(upTo: 65_536).isEmpty)
            tunnel.socket.finishSending()
            // To its end, so that it is no reset.
            while let piece = try? tunnel.reader.bytes(upTo: 65_536), !piece.isEmpty {}
        }
        _ = try lab.client(trusting: site)
        #expect(try lab.daemon.tool("status").output.contains("not intercepted"))
    }

    @Test("refusals change nothing where the settings say so")
    func noPassThrough() throws {
        let lab = try InterceptingDaemon(settings: "pass-through-refused = false")
        for _ in 0..<4 {
            #expect(throws: HandshakeFailure.self) {
                _ = try lab.client(trusting: lab.site.authority.certificateFile)
            }
        }
        #expect(try lab.get("/a").text == "secret")
    }

    // MARK: One resource

    @Test("500 clients by prefix, absolute-form and interception make one load of one cold URL")
    func collapse() throws {
        let gate = SharedValue(false)
        let lab = try InterceptingDaemon { exchange in
            try gate.wait("the gate") { $0 ? () : nil }
            try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: "once")
        }
        var clients: [WireClient] = []
        for index in 0..<500 {
            switch index % 3 {
            case 0:
                let client = try lab.client()
                try client.send("GET", "/cold", ["Host: \(lab.authority)"])
                clients.append(client)
            case let kind:
                let client = try lab.daemon.client()
                let head = lab.daemon.target(lab.url("/cold"), by: kind == 1 ? .prefix : .forward)
                try client.send("GET", head.target, head.fields)
                clients.append(client)
            }
        }
        gate.update { $0 = true }
        for client in clients { #expect(try client.readResponse().text == "once") }
        #expect(lab.origin.requests.count == 1)
    }

    // MARK: Settings

    @Test("with hosts and without a CA, or with one that cannot be used, the daemon does not start and says what to do")
    func noAuthority() throws {
        let home = TemporaryDirectory()
        let words =
            DaemonProcess.serveWords(store: "none", loops: 1) + [
                "--set", "intercept.hosts=[\"a.example\"]", "--set", "intercept.ca-directory=\(home.path)/ca",
            ]
        let absent = try Command.run(words, environment: DaemonProcess.environment(home))
        #expect(absent.status == 2 && absent.errors.contains("respite ca create"), "\(absent.errors)")
        try InterceptingDaemon.makeAuthority(home)
        chmod(home.path + "/ca/ca.key", 0o644)
        let open = try Command.run(words, environment: DaemonProcess.environment(home))
        #expect(open.status == 2 && open.errors.contains("chmod 600"), "\(open.errors)")
    }

    @Test("a reload changes the hosts for connections that come then, and breaks none")
    func reload() throws {
        let lab = try InterceptingDaemon()
        let old = try lab.client()
        let own = ["Host: \(lab.authority)"]
        #expect(try old.exchange("GET", "/a", own).status == 200)
        let file = lab.home.path + "/respite.toml"
        let text = String(decoding: try readFile(file), as: UTF8.self)
        try writeFile(file, Array(text.replacing("hosts = [\"localhost:", with: "hosts = [\"other.example:").utf8))
        #expect(try lab.daemon.tool("reload").status == 0)
        #expect(try old.exchange("GET", "/a", own).isHit)
        _ = try lab.client(trusting: lab.site.authority.certificateFile)
        try writeFile(file, Array(text.utf8))
        #expect(try lab.daemon.tool("reload").status == 0)
        #expect(try lab.get("/a").isHit)
    }
}
