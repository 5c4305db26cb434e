import Settings
import Testing
import TestSupport

/// Cases of the model that the daemon shows: one Resource per URL, its state, its events.
struct AcceptanceTests {
    private static func daemon(_ arguments: [String] = [], home: TemporaryDirectory? = nil) throws -> DaemonProcess {
        try DaemonProcess(arguments, home: home)
    }

    /// The name of an event and where its data came from: `newData network`.
    private static func name(_ event: String) -> String {
        let lines = event.split(separator: "\n")
        let word = lines.first { $0.hasPrefix("event: ") }.map { String($0.dropFirst(7)) } ?? "?"
        guard let mark = event.ranges(of: "\"source\":\"").first else { return word }
        return "\(word) \(event[mark.upperBound...].prefix { $0 != "\"" })"
    }

    @Test("after an override and a restart nothing of before is found (T-264, S-192, S-194)")
    func overrideAndRestart() throws {
        let origin = try ScriptedOrigin { exchange in
            let body = exchange.ordinal == 1 ? "before" : "after"
            try exchange.reply("200 OK", ["Cache-Control: max-age=600", "ETag: \"\(exchange.ordinal)\""], body: body)
        }
        let home = TemporaryDirectory()
        let before = try Self.daemon(home: home)
        #expect(try before.get(origin.url("/")).text == "before")
        let put = try before.put(origin.url("/"), "ours", type: "text/plain")
        #expect(put.status == 200)
        let served = try before.get(origin.url("/"))
        #expect(served.text == "ours" && served.isHit && served["ETag"] == nil)
        try before.stop(signal: 9)
        let after = try Self.daemon(home: home)
        #expect(try after.get(origin.url("/")).text == "after")
    }

    @Test("a wipe drops what is in memory; the store's copy answers, with its age, and no request (S-193, S-017)")
    func wipe() throws {
        let origin = try ScriptedOrigin { exchange in
            try exchange.reply("200 OK", ["Cache-Control: max-age=600", "Age: 50"], body: "kept \(exchange.ordinal)")
        }
        let daemon = try Self.daemon()
        let url = origin.url("/")
        let events = try EventStream(daemon)
        #expect(try daemon.get(url).text == "kept 1")
        _ = try events.next("durable") { $0.contains("event: durable") }
        #expect(try daemon.tool("wipe", url, "--json").output.contains("\"wiped\":1"))
        let hit = try daemon.get(url)
        #expect(hit.isHit && hit.text == "kept 1" && hit["Age"].flatMap { Int($0) } ?? 0 >= 50)
        #expect(try daemon.tool("wipe", "http://127.0.0.1:*/**", "--json").output.contains("\"wiped\":1"))
        #expect(try daemon.get(url).text == "kept 1" && origin.requests.count == 1)
        #expect(try daemon.tool("wipe", origin.url("/nothing")).status == 3)
        #expect(try daemon.tool("purge", url).status == 0)
        #expect(try daemon.get(url).text == "kept 2")
    }

    @Test("an override that is to last is there after kill -9, for its time")
    func durableOverride() throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "origin") }
        let home = TemporaryDirectory()
        let before = try Self.daemon(home: home)
        let put = try before.put(origin.url("/"), "ours", type: "text/plain", query: "&durable=true&ttl=600&status=203")
        #expect(put.json["durable"] == .boolean(true))
        try before.stop(signal: 9)
        let after = try Self.daemon(home: home)
        let served = try after.get(origin.url("/"), by: .prefix)
        #expect(served.text == "ours" && served.status == 203 && served["Content-Type"] == "text/plain")
        #expect(origin.requests.isEmpty)
    }

    @Test("a forced load that fails leaves fresh data in use (T-265, S-250)")
    func failedRefresh() throws {
        let origin = try ScriptedOrigin { exchange in
            guard exchange.ordinal == 1 else { return exchange.reset() }
            try exchange.reply("200 OK", ["Cache-Control: max-age=60"], body: "data")
        }
        let daemon = try Self.daemon()
        #expect(try daemon.get(origin.url("/")).text == "data")
        let refresh = try daemon.tool("refresh", origin.url("/"))
        #expect(refresh.status == 1 && refresh.errors.contains("could not be loaded"))
        let asked = origin.requests.count
        let served = try daemon.get(origin.url("/"))
        #expect(served.isHit && served.text == "data" && origin.requests.count == asked)
    }

    @Test("a refresh loads what is fresh: conditionally where it can, and says what came of it")
    func refresh() throws {
        let origin = try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=60", "ETag: \"\(exchange.ordinal / 2)\""]
            if exchange.request["If-None-Match"] == "\"\(exchange.ordinal / 2)\"" {
                return try exchange.reply("304 Not Modified", fields)
            }
            try exchange.reply("200 OK", fields, body: "\(exchange.ordinal)")
        }
        let daemon = try Self.daemon()
        #expect(try daemon.get(origin.url("/")).text == "1")
        #expect(try daemon.tool("refresh", origin.url("/")).output == "loaded  \(origin.url("/"))\n")
        #expect(try daemon.get(origin.url("/")).text == "2")
        #expect(try daemon.tool("refresh", origin.url("/")).output == "not modified  \(origin.url("/"))\n")
        let hit = try daemon.get(origin.url("/"))
        #expect(hit.isHit && hit.text == "2" && origin.requests.count == 3)
    }

    @Test(
        "the order of parameters and empty ones make resources of their own, sent byte for byte (T-266, S-060, S-034)"
    )
    func queries() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=60"], body: $0.target) }
        let daemon = try Self.daemon()
        let targets = ["/x?k=1&k=2", "/x?k=2&k=1", "/x?k="]
        for route in Route.allCases {
            for target in targets { #expect(try daemon.get(origin.url(target), by: route).text == target) }
        }
        #expect(origin.requests.map(\.target) == targets)
        #expect(try daemon.resources().uris.count == 3)
    }

    @Test("50 identical GETs while the first is held back are one request and 50 answers (T-267, S-087, S-091)")
    func fifty() throws {
        let hold = Gate()
        let origin = try ScriptedOrigin { exchange in
            try hold.wait("all clients to have asked")
            try exchange.reply("200 OK", ["Cache-Control: max-age=60", "X-Number: \(exchange.ordinal)"], body: "same")
        }
        let daemon = try Self.daemon()
        let crowd = try Crowd(50, of: daemon)
        for client in crowd.clients { try client.send("GET", origin.url("/"), ["Host: \(origin.authority)"]) }
        try crowd.awaitRead()
        hold.open()
        let answers = try crowd.clients.map { try $0.readResponse() }
        #expect(answers.allSatisfy { $0.text == "same" && $0["X-Number"] == "1" })
        #expect(origin.requests.count == 1)
    }

    @Test("forward, prefix and service route over two loops, 100 clients each on one cold URL: one request (S-087)")
    func threeRoutes() throws {
        let hold = Gate()
        let origin = try ScriptedOrigin { exchange in
            try hold.wait("all clients to have asked")
            try exchange.reply("200 OK", ["Cache-Control: max-age=60"], body: "same")
        }
        let daemon = try Self.daemon([
            "--set", "limits.max-connections-per-peer=2000", "--set", "service.api.base=\(origin.url("/v1"))",
        ])
        let crowd = try Crowd(300, of: daemon)
        let own = ["Host: 127.0.0.1:\(daemon.port)"]
        for (index, client) in crowd.clients.enumerated() {
            switch index % 3 {
            case 0: try client.send("GET", origin.url("/v1/cold"), ["Host: \(origin.authority)"])
            case 1: try client.send("GET", "/" + origin.url("/v1/cold"), own)
            default: try client.send("GET", "/api/cold", own)
            }
        }
        try crowd.awaitRead()
        hold.open()
        #expect(try crowd.clients.allSatisfy { try $0.readResponse().text == "same" })
        #expect(origin.requests.count == 1)
    }

    @Test("a stale copy stands in for an origin that is gone, asked once per retry time (T-268, S-099, S-070)")
    func staleIfError() throws {
        let origin = try ScriptedOrigin { exchange in
            guard exchange.ordinal == 1 else { return exchange.reset() }
            let fields = ["Cache-Control: max-age=60, stale-if-error=600", "Age: 100", "Connection: close"]
            try exchange.reply("200 OK", fields, body: "old")
            exchange.close()
        }
        let daemon = try Self.daemon(["--set", "upstream.retry-time=30s", "--set", "upstream.retry-time-max=30s"])
        #expect(try daemon.get(origin.url("/")).text == "old")
        for _ in 0..<5 {
            let response = try daemon.get(origin.url("/"))
            #expect(response.status == 200 && response.text == "old")
            #expect(response.cacheStatus.contains("stale-if-error"))
        }
        #expect(origin.requests.count == 2 && origin.connections == 2)
    }

    @Test("an origin that refuses connections leaves the stale copy in use, marked as such (T-268, S-099, S-070)")
    func refusedConnections() throws {
        let origin = try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=60, stale-if-error=600", "Age: 100", "Connection: close"]
            try exchange.reply("200 OK", fields, body: "old")
            exchange.close()
        }
        let daemon = try Self.daemon(["--set", "upstream.retry-time=30s", "--set", "upstream.retry-time-max=30s"])
        let (stale, other) = (origin.url("/"), origin.url("/other"))
        #expect(try daemon.get(stale).text == "old")
        origin.stop()
        let first = try daemon.get(stale)
        #expect(first.status == 200 && first.text == "old")
        #expect(first.cacheStatus.contains("fwd=stale") && first.cacheStatus.contains("stale-if-error"))
        for _ in 0..<4 {
            let response = try daemon.get(stale)
            #expect(response.status == 200 && response.text == "old" && !response.cacheStatus.contains("fwd="))
            #expect(response.cacheStatus.contains("stale-if-error") && response["Age"].flatMap { Int($0) } ?? 0 >= 100)
        }
        // Without a copy there is nothing but the failure.
        #expect(try daemon.get(other).status == 502)
        #expect(try daemon.get(other).text.contains("remembered"))
    }

    @Test(
        "a 503 with nothing stored is asked for once per retry time, and the second is said to be remembered (T-269, S-041, S-156)"
    )
    func rememberedFailure() throws {
        let origin = try ScriptedOrigin { try $0.reply("503 Service Unavailable", body: "down") }
        let daemon = try Self.daemon(["--set", "upstream.retry-time=30s", "--set", "upstream.retry-time-max=30s"])
        let first = try daemon.get(origin.url("/"))
        #expect(first.status == 503 && first.text == "down")
        let second = try daemon.get(origin.url("/"))
        #expect(second.status == 503 && second.text.contains("remembered"))
        #expect(second["Content-Type"] == "application/problem+json")
        #expect(origin.requests.count == 1)
    }

    @Test("after a soft purge the next GET validates; on 304 the old content has a new age (T-270, S-201)")
    func softPurge() throws {
        let origin = try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=600", "ETag: \"a\""]
            if exchange.ordinal == 1 { return try exchange.reply("200 OK", fields + ["Age: 50"], body: "body") }
            try exchange.reply(exchange.request["If-None-Match"] == "\"a\"" ? "304 Not Modified" : "500 Wrong", fields)
        }
        let daemon = try Self.daemon()
        #expect(try daemon.get(origin.url("/"))["Age"] == "50")
        #expect(try daemon.tool("invalidate", origin.url("/")).status == 0)
        let validated = try daemon.get(origin.url("/"))
        #expect(validated.text == "body" && validated.status == 200)
        #expect(validated["Age"].flatMap { Int($0) }.map { $0 < 50 } == true)
        let hit = try daemon.get(origin.url("/"))
        #expect(hit.isHit && hit.text == "body" && origin.requests.count == 2)
    }

    @Test("the events of a URL: a snapshot, then what happens, in order and numbered (T-271, S-207, S-208)")
    func events() throws {
        let origin = try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=600", "ETag: \"a\""]
            let isValid = exchange.request["If-None-Match"] == "\"a\""
            try isValid
                ? exchange.reply("304 Not Modified", fields) : exchange.reply("200 OK", fields, body: "body")
        }
        let daemon = try Self.daemon(["--set", "access.command-clients=[\"127.0.0.0/8\"]"])
        let url = origin.url("/watched")
        let events = try EventStream(daemon, query: "?uri=\(url)")
        #expect(Self.name(try events.next("snapshot")) == "snapshot")
        var numbers: [Int] = []
        func next() throws -> String {
            let event = try events.next("event") { !$0.contains("event: durable") }
            #expect(event.contains("\"uri\":\"\(url)\""))
            let id = event.split(separator: "\n").first { $0.hasPrefix("id: ") }
            numbers.append(id.flatMap { $0.split(separator: "-").last }.flatMap { Int($0) } ?? -1)
            return Self.name(event)
        }
        _ = try daemon.get(origin.url("/other"))
        #expect(try !daemon.get(url).isHit)
        #expect(try [next(), next()] == ["requested", "newData network"])
        // Neither a hit nor a soft purge is an event.
        #expect(try daemon.get(url).isHit)
        _ = try daemon.admin("POST", "/v1/invalidate", json: "{\"uri\":\"\(url)\"}")
        _ = try daemon.get(url)
        #expect(try [next(), next()] == ["requested", "notModified"])
        #expect(try daemon.fetch("PURGE", url).status == 200)
        #expect(try next() == "newData wipe")
        // Both ways of purging are one.
        #expect(try !daemon.get(url).isHit)
        let afterPurge = try [next(), next()]
        #expect(afterPurge == ["requested", "newData network"])
        _ = try daemon.admin("POST", "/v1/purge", json: "{\"uri\":\"\(url)\"}")
        #expect(try next() == "newData wipe")
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count && numbers[0] > 0)
    }

    @Test("the progress of a load grows, and ends with 1 before its data (T-272, S-219, S-221)")
    func progress() throws {
        let pieces = Tally()
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        let origin = try ScriptedOrigin { exchange in
            try exchange.sendHead("200 OK", ["Cache-Control: max-age=60", "Content-Length: \(10 << 20)"])
            for number in 1...10 {
                try exchange.socket.send(piece)
                if number < 10 { try pieces.wait(for: number, "progress to be told") }
            }
        }
        let daemon = try Self.daemon()
        let url = origin.url("/large")
        let events = try EventStream(daemon, query: "?uri=\(url)")
        let client = Pending { try daemon.get(url).content.count }
        var values: [Double] = []
        func progress(_ event: String) -> Double? {
            guard event.contains("event: progress"), let mark = event.ranges(of: "\"progress\":").first else {
                return nil
            }
            return Double(event[mark.upperBound...].prefix { !",}".contains($0) })
        }
        for number in 1...9 {
            let event = try events.next("progress \(number)") {
                progress($0).map { $0 > Double(number) / 10 - 0.01 } ?? false
            }
            values.append(progress(event) ?? 0)
            pieces.add()
        }
        var last = ""
        let data = try events.next("newData") { event in
            if event.contains("event: newData") { return true }
            last = event.contains("event: durable") ? last : event
            return false
        }
        #expect(data.contains("network"))
        #expect(progress(last) == 1)
        #expect(values == values.sorted() && Set(values).count == 9)
        #expect(try client.result() == 10 << 20)
    }

    @Test("`respite put` takes a file, keeps the type of what is held, and bad input changes nothing")
    func put() throws {
        let origin = try ScriptedOrigin {
            try $0.reply("200 OK", ["Cache-Control: max-age=600", "Content-Type: text/css"], body: "origin")
        }
        let daemon = try Self.daemon()
        let url = origin.url("/style")
        _ = try daemon.get(url)
        for query in ["&status=99", "&ttl=-1", "&durable=maybe", "&what=1"] {
            #expect(try daemon.put(url, "x", type: "text/plain", query: query).status == 400, "\(query)")
        }
        #expect(try daemon.admin("PUT", "/v1/resources?uri=nonsense", json: "{}").status == 400)
        #expect(try daemon.get(url).text == "origin")
        let file = try daemon.home.write("ours", to: "ours.css")
        let done = try daemon.tool("put", url, file)
        #expect(done.status == 0 && done.output.contains("4 B of your own"))
        let served = try daemon.get(url)
        #expect(served.text == "ours" && served["Content-Type"] == "text/css")
        #expect(try daemon.tool("put", url, "/nowhere").status == 1)
        #expect(try daemon.tool("put", url).status == 2)
        // A load puts the origin's data back.
        #expect(try daemon.tool("refresh", url).status == 0)
        #expect(try daemon.get(url).text == "origin")
    }
}

extension DaemonProcess {
    /// Puts content of our own in the place of a URL's.
    func put(_ url: String, _ content: String, type: String, query: String = "") throws -> Response {
        let client = try WireClient(port: adminPort)
        let bytes = Array(content.utf8)
        let fields = [
            "Host: 127.0.0.1:\(adminPort)", "Authorization: Bearer \(try token)", "Connection: close",
            "Content-Type: \(type)", "Content-Length: \(bytes.count)",
        ]
        return try client.exchange("PUT", "/v1/resources?uri=\(url)\(query)", fields, content: bytes)
    }
}
