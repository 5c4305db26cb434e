import Testing
import TestSupport

/// Features of the companions of RFC 9111, over the running daemon.
struct FeatureTests {
    @Test("102 and 103 come one by one, without what Connection nominates, and a hit has none (C-19.1)")
    func interim() throws {
        let seen = Tally()
        let origin = try ScriptedOrigin { exchange in
            try exchange.sendRaw("HTTP/1.1 102 Processing\r\nX-Step: 1\r\n\r\n")
            try seen.wait(for: 1, "the client to see 102")
            let lines = "Link: </a>; rel=preload\r\nConnection: X-Hop\r\nX-Hop: 1\r\n"
            try exchange.sendRaw("HTTP/1.1 103 Early Hints\r\n\(lines)\r\n")
            try seen.wait(for: 2, "the client to see 103")
            try exchange.reply("200 OK", ["Cache-Control: max-age=60"], body: "x")
        }
        let daemon = try DaemonProcess()
        let client = try daemon.client()
        try client.send("GET", origin.url("/"), ["Host: \(origin.authority)"])
        let processing = try #require(try client.reader.head())
        #expect(processing.words[1] == "102" && processing.fields["X-Step"] == "1")
        seen.add()
        let hints = try #require(try client.reader.head())
        #expect(hints.words[1] == "103" && hints.fields["Link"] == "</a>; rel=preload")
        #expect(hints.fields["X-Hop"] == nil && hints.fields["Connection"] == nil)
        seen.add()
        let final = try client.readResponse()
        #expect(final.text == "x" && final["X-Step"] == nil && final["Link"] == nil)
        let hit = try daemon.get(origin.url("/"))
        #expect(hit.isHit && hit.interim.isEmpty)
    }

    @Test("an incremental response reaches the client part by part, shared with nobody, and is stored whole (C-24.5)")
    func incremental() throws {
        let seen = Tally()
        let origin = try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=60", "Incremental: ?1", "Transfer-Encoding: chunked"]
            try exchange.sendHead("200 OK", fields)
            for number in 1...3 {
                try exchange.sendChunk(Array("\(exchange.ordinal)\(number)".utf8))
                if exchange.ordinal == 1 { try seen.wait(for: number, "the client to see part \(number)") }
            }
            try exchange.endChunks()
        }
        let daemon = try DaemonProcess()
        let client = try daemon.client()
        try client.send("GET", origin.url("/"), ["Host: \(origin.authority)"])
        #expect(try client.readHead()["Incremental"] == "?1")
        #expect(try client.reader.content(exactly: 2) == Array("11".utf8))
        let other = try daemon.get(origin.url("/"))
        #expect(other.text == "212223" && !other.isHit && !other.cacheStatus.contains("collapsed"))
        for number in 2...3 {
            seen.add()
            #expect(try client.reader.content(exactly: 2) == Array("1\(number)".utf8))
        }
        seen.add()
        #expect(try client.reader.allContent().isEmpty)
        #expect(try daemon.get(origin.url("/")).isHit)
        #expect(origin.requests.count == 2)
    }

    @Test("a missing Date is supplied, at once and from store; to a method that is passed on, too (C-0.4)")
    func date() throws {
        let origin = try ScriptedOrigin { exchange in
            try exchange.sendRaw("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 1\r\n\r\nx")
        }
        let daemon = try DaemonProcess()
        let miss = try daemon.get(origin.url("/"))
        let hit = try daemon.get(origin.url("/"))
        let passed = try daemon.fetch("OPTIONS", origin.url("/"))
        #expect(miss["Date"] != nil && miss["Date"] == hit["Date"] && hit.isHit)
        #expect(passed["Date"] != nil)
    }

    @Test(
        "Cache-Status tells the key to who asks, fresh from store or not, and collapsed to who shared a load (C-24.1)"
    )
    func cacheStatus() throws {
        let hold = Gate()
        let origin = try ScriptedOrigin { exchange in
            if exchange.target == "/slow" { try hold.wait("both clients") }
            try exchange.reply("200 OK", ["Cache-Control: max-age=60", "Cache-Status: above; hit"], body: "x")
        }
        let daemon = try DaemonProcess()
        let url = origin.url("/a?b=%20")
        let asking = ["Cache-Status: respite; key"]
        let miss = try daemon.get(url, asking)
        #expect(miss.cacheStatus == " respite; fwd=uri-miss; fwd-status=200; stored; key=\"\(url)\"")
        #expect(miss.head.fields.all("Cache-Status").first == "above; hit")
        #expect(try daemon.get(url, asking).cacheStatus.contains("; hit; ttl="))
        #expect(try daemon.get(url, asking).cacheStatus.hasSuffix("; key=\"\(url)\""))
        #expect(try !daemon.get(url).cacheStatus.contains("key"))

        let crowd = try Crowd(2, of: daemon)
        for client in crowd.clients { try client.send("GET", origin.url("/slow"), ["Host: \(origin.authority)"]) }
        try crowd.awaitRead()
        hold.open()
        let answers = try crowd.clients.map { try $0.readResponse().cacheStatus }
        #expect(
            answers.sorted() == [
                " respite; fwd=uri-miss; fwd-status=200; stored",
                " respite; fwd=uri-miss; fwd-status=200; stored; collapsed",
            ]
        )
    }

    @Test("an answer of our own tells in Cache-Status why there is no other (C-24.1)")
    func ownAnswers() throws {
        let origin = try ScriptedOrigin { $0.reset() }
        let daemon = try DaemonProcess(["--set", "upstream.retry-time=30s"])
        let held = try daemon.get(origin.url("/"), ["Cache-Control: only-if-cached"])
        #expect(held.status == 504 && held.cacheStatus == "respite; detail=only-if-cached")
        let failed = try daemon.get(origin.url("/"))
        #expect(failed.status == 502 && failed.cacheStatus.hasPrefix("respite; fwd=miss; detail="))
        let remembered = try daemon.get(origin.url("/"))
        #expect(remembered.status == 502 && remembered.cacheStatus == "respite; detail=remembered-failure")
        let passed = try daemon.fetch("POST", origin.url("/"), content: [0x61])
        #expect(passed.status == 502 && passed.cacheStatus.hasPrefix("respite; fwd=method; detail="))

        let offline = try DaemonProcess(["--mode", "offline"])
        #expect(try offline.get(origin.url("/")).cacheStatus == "respite; detail=offline")
        #expect(try offline.fetch("POST", origin.url("/"), content: [0x61]).cacheStatus == "respite; detail=offline")
    }

    @Test(
        "targeted control counts for a gateway and its own service, elsewhere only where the setting says so (C-18.6)"
    )
    func targetedControl() throws {
        let origin = try ScriptedOrigin { exchange in
            let name = exchange.target.contains("own") ? "Respite-Cache-Control" : "CDN-Cache-Control"
            try exchange.reply("200 OK", ["Cache-Control: no-store", "\(name): max-age=60"], body: "x")
        }
        func isReused(_ arguments: [String], _ ask: (DaemonProcess) throws -> Response) throws -> Bool {
            let daemon = try DaemonProcess(arguments)
            let first = try ask(daemon)
            #expect(first["CDN-Cache-Control"] != nil || first["Respite-Cache-Control"] != nil)
            return try ask(daemon).isHit
        }
        let plain: (DaemonProcess) throws -> Response = { try $0.get(origin.url("/x")) }
        #expect(try !isReused([], plain))
        #expect(try isReused(["--set", "cache.targeted-control=all"], plain))
        #expect(try isReused([]) { try $0.get(origin.url("/own")) })
        let own: (DaemonProcess) throws -> Response = { daemon in
            try daemon.client().exchange("GET", "/x", ["Host: 127.0.0.1:\(daemon.port)"])
        }
        #expect(try isReused(["--gateway", origin.url("")], own))
        #expect(try !isReused(["--gateway", origin.url(""), "--set", "cache.targeted-control=off"], own))
        #expect(try isReused(["--set", "service.api.base=\(origin.url("/v1"))"]) { try $0.get(origin.url("/v1/x")) })
    }

    @Test("the tags of all variants go out in one If-None-Match, and the 304's selects the answer (C-21.6)")
    func severalTags() throws {
        let origin = try ScriptedOrigin { exchange in
            let kind = exchange.request["X-Kind"] ?? ""
            let fields = ["Cache-Control: max-age=60", "Vary: X-Kind"]
            if exchange.request["If-None-Match"] != nil {
                return try exchange.reply("304 Not Modified", fields + ["ETag: \"2\"", "X-Late: yes"])
            }
            try exchange.reply("200 OK", fields + ["ETag: \"\(kind)\""], body: kind)
        }
        let daemon = try DaemonProcess()
        for kind in 1...3 { _ = try daemon.get(origin.url("/"), ["X-Kind: \(kind)"]) }
        let answer = try daemon.get(origin.url("/"), ["X-Kind: 1", "Cache-Control: no-cache"])
        #expect(answer.text == "2" && answer["ETag"] == "\"2\"" && answer["X-Late"] == "yes")
        #expect(origin.requests.last?["If-None-Match"] == "\"1\", \"2\", \"3\"")
    }

    @Test("immutable, min-fresh, max-stale and must-understand on the wire (C-24.6, C-21.4, C-10.3)")
    func directives() throws {
        let origin = try ScriptedOrigin { exchange in
            switch exchange.target {
            case "/immutable": try exchange.reply("200 OK", ["Cache-Control: max-age=600, immutable"], body: "x")
            case "/plain": try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: "x")
            case "/stale":
                try exchange.reply("200 OK", ["Cache-Control: max-age=60", "Age: 100", "ETag: \"a\""], body: "x")
            default:
                let status = exchange.target.dropFirst()
                try exchange.reply("\(status) X", ["Cache-Control: max-age=60, must-understand, no-store"], body: "x")
            }
        }
        let daemon = try DaemonProcess()
        func isHit(_ path: String, _ control: String) throws -> Bool {
            try daemon.get(origin.url(path), ["Cache-Control: \(control)"]).isHit
        }
        for path in ["/immutable", "/plain", "/stale", "/200", "/299"] { _ = try daemon.get(origin.url(path)) }
        #expect(try isHit("/immutable", "max-age=0") && !isHit("/plain", "max-age=0"))
        #expect(try isHit("/plain", "min-fresh=500") && !isHit("/plain", "min-fresh=700"))
        #expect(try isHit("/stale", "max-stale=3600") && isHit("/stale", "max-stale"))
        #expect(try !isHit("/stale", "max-stale=5"))
        #expect(try isHit("/200", "max-age=60") && !isHit("/299", "max-age=60"))
    }
}
