import Administration
import HTTPCore
import JSON
import Locking
import Observability
import Settings
import TestSupport
import Testing

/// `/v1/requests`, `/v1/requests/{id}` and `/v1/requests/stream`.
@Suite struct RequestTests {
    /// A request as a loop would have recorded it.
    private static func record(
        _ number: UInt64,
        _ target: String = "http://a.example/x",
        status: UInt16 = 200,
        outcome: String = "hit",
        method: Method = .get,
        _ change: (inout RequestRecord) -> Void = { _ in }
    ) -> RequestRecord {
        var record = RequestRecord(
            id: RequestID(number: number),
            milliseconds: 1_700_000_000_123,
            client: .v4(0xC000_0201),
            method: method,
            target: Array(target.utf8),
            status: status,
            outcome: outcome,
            contentBytes: 5,
            duration: 1_234_567
        )
        change(&record)
        return record
    }

    /// What the loops of a daemon would have.
    private final class Kept: Sendable {
        private let recent: Lock<RecentRecords>
        private let asked = Lock<[RequestID]>([])
        /// Whether there are too many readers.
        let isBusy = Lock(false)

        let capacity: Int

        init(_ records: [RequestRecord], capacity: Int = 10) {
            self.capacity = capacity
            var recent = RecentRecords()
            recent.records = records
            recent.horizon = records.last?.id ?? .none
            recent.capacity = capacity
            self.recent = Lock(recent)
        }

        var source: RequestSource {
            RequestSource { [self] id, completion in
                asked.withLock { $0.append(id) }
                if isBusy.withLock({ $0 }) { return completion(nil) }
                var copy = recent.withLock { $0 }
                copy.records.removeAll { $0.id <= id }
                completion(copy)
            }
        }

        var questions: Int { asked.withLock { $0.count } }

        func add(_ records: [RequestRecord], dropping id: RequestID = .none) {
            recent.withLock { recent in
                recent.records += records
                recent.records.removeAll { $0.id <= id }
                recent.lastDropped = id
                recent.horizon = records.last?.id ?? recent.horizon
            }
        }
    }

    private static func admin(
        _ kept: Kept,
        secrets: [String] = ["token"],
        _ change: @Sendable (inout AdminOptions) -> Void = { _ in }
    ) throws -> TestAdmin {
        try TestAdmin { source, options in
            source.requests = kept.source
            options.secrets = SecretParameters(secrets)
            options.recentRequests = kept.capacity
            options.progressInterval = .milliseconds(5)
            options.readToken = Array("reader".utf8)
            change(&options)
        }
    }

    private static func ids(_ admin: TestAdmin, _ query: String) throws -> [String] {
        let answer = try admin.get("/v1/requests?\(query)")
        try #require(answer.status == 200, "\(answer.text)")
        let requests = try #require(try JSONReader.parse(answer.content)["requests"])
        return requests.elements.compactMap { $0["id"]?.text }
    }

    private static var upstream: UpstreamTimings {
        var times = UpstreamTimings()
        (times.queue, times.name, times.connect, times.handshake) = (100_000, 200_000, 100_000, 300_000)
        times.firstByte = 250_000
        return times
    }

    // MARK: Lists

    @Test("a request is listed with all that is known of it")
    func document() throws {
        let record = Self.record(36, "http://a.example/x?token=s3cret&b=1", outcome: "miss") { record in
            record.cacheStatus = CacheStatus(.forwarded(.uriMiss), isStored: true)
            record.rule = "rule 1"
            record.route = "service"
            record.service = "here"
            record.user = "alice"
            record.requestBytes = 3
            record.headDuration = 1_000_000
            record.upstream.firstByte = 900_000
        }
        let admin = try Self.admin(Kept([record]))
        #expect(
            try admin.get("/v1/requests").text == """
                {"requests":[{"id":"10","time":"2023-11-14T22:13:20.123Z","client":"192.0.2.1","user":"alice",\
                "method":"GET","url":"http://a.example/x?token=…&b=1","status":200,"cache":"miss",\
                "cacheStatus":"respite; fwd=uri-miss; stored","rule":"rule 1","route":"service","service":"here",\
                "requestBytes":3,"bytes":5,"durationMicroseconds":1234,"headMicroseconds":1000,"firstByteMicroseconds":900,\
                "isComplete":true}],\
                "kept":10}

                """
        )
    }

    @Test("requests are listed from the newest, page by page, each once, also while newer ones come")
    func pages() throws {
        let kept = Kept((1...7).map { Self.record($0) })
        let admin = try Self.admin(kept)
        var path = "/v1/requests?limit=3"
        var pages: [[String]] = []
        for _ in 0..<4 {
            let page = try admin.json(path)
            pages.append(page["requests"]?.elements.compactMap { $0["id"]?.text } ?? [])
            kept.add([Self.record(8 + UInt64(pages.count))])
            guard let next = page["next"]?.text else { break }
            path = "/v1/requests?limit=3&cursor=\(next)"
        }
        #expect(pages == [["7", "6", "5"], ["4", "3", "2"], ["1"]])
        for query in ["limit=0", "limit=1001", "cursor=-", "cursor=A", "other=1"] {
            #expect(try admin.get("/v1/requests?\(query)").status == 400, "\(query)")
        }
        #expect(try admin.post("/v1/requests", "{}").status == 405)
    }

    @Test(
        "a filter selects by status, method, outcome, client, service, time, part and pattern; all terms must match",
        arguments: [
            ("", "4321"), ("status=404", "2"), ("status=4xx,5xx", "32"), ("status:5xx", "3"), ("method=post", "4"),
            ("cache=hit", "21"), ("cache=miss,error", "43"), ("client=192.0.2.1", "4321"), ("client=192.0.2.2", ""),
            ("service=here", "4"), ("slower=1ms", "4321"), ("slower=2s", "3"), ("b.example", "32"),
            ("http://b.example/**", "32"), ("http://*/y cache=hit", "2"), ("cache=hit status=5xx", ""),
            ("?q=1", "4"), ("token=", "none"), ("…", "1"),
        ]
    )
    func filters(filter: String, expected: String) throws {
        let records = [
            Self.record(1, "http://a.example/x?token=s3cret"),
            Self.record(2, "http://b.example/y", status: 404),
            Self.record(3, "http://b.example/z", status: 502, outcome: "error") { $0.duration = 3_000_000_000 },
            Self.record(4, "http://a.example/w?q=1", outcome: "miss", method: .post) { $0.service = "here" },
        ]
        let admin = try Self.admin(Kept(records))
        let query = "filter=" + filter.utf8.map { "%\($0 < 16 ? "0" : "")\(String($0, radix: 16))" }.joined()
        guard expected != "none" else {
            #expect(try admin.get("/v1/requests?\(query)").status == 400)
            return
        }
        #expect(try Self.ids(admin, query).joined() == expected)
    }

    @Test(
        "a filter that is wrong is 400 with the position and what was expected",
        arguments: [
            ("cache=hit status=9xx", 18, "expected a status such as 404, or a class such as 4xx"),
            ("cache=warm", 7, "expected one of own, hit, stale, "), ("method=", 8, "expected a method such as GET"),
            ("client=a.example", 8, "expected an address"), ("slower=5", 8, "expected a time such as 250ms or 2s"),
            ("slower=5m", 8, "expected a time"), ("service=", 9, "expected the name of a service"),
            ("statsu=404", 1, "`statsu=` is unknown; expected status=, method=, cache=, client=, service=, slower=, "),
            ("a http://a.example/{b", 20, "the pattern `http://a.example/{b` is wrong: "),
        ]
    )
    func wrongFilters(filter: String, position: Int, sentence: String) throws {
        let admin = try Self.admin(Kept([]))
        for path in ["/v1/requests", "/v1/requests/stream"] {
            let query = "filter=" + filter.utf8.map { "%\($0 < 16 ? "0" : "")\(String($0, radix: 16))" }.joined()
            let answer = try admin.get("\(path)?\(query)")
            #expect(answer.status == 400)
            let detail = try JSONReader.parse(answer.content)["detail"]?.text ?? ""
            #expect(detail.hasPrefix("the filter is wrong at character \(position): \(sentence)"), "\(detail)")
        }
    }

    @Test("a filter has at most 16 terms, however many blanks are between them")
    func manyTerms() throws {
        let admin = try Self.admin(Kept([Self.record(1)]))
        let most = Array(repeating: "a", count: 16).joined(separator: "%20%20")
        #expect(try Self.ids(admin, "filter=\(most)") == ["1"])
        let answer = try admin.get("/v1/requests?filter=\(most)%20a")
        #expect(answer.status == 400 && answer.text.contains("the filter has more than 16 terms"))
    }

    @Test("a secret is in no response, and no filter finds it (H-158)")
    func secrets() throws {
        let record = Self.record(1, "http://user:pa55@a.example/x;token=s3cret?TOKEN=s3cret&a%5Btoken%5D=s3cret")
        let admin = try Self.admin(Kept([record]))
        for path in ["/v1/requests", "/v1/requests/1", "/v1/requests.har"] {
            let text = try admin.get(path).text
            #expect(text.contains("a.example/x;token=…") && !text.contains("s3cret") && !text.contains("pa55"))
        }
        for filter in ["s3cret", "s3", "http://**s3**", "http://a.example/x;token=s*"] {
            #expect(try Self.ids(admin, "filter=\(filter)").isEmpty, "\(filter)")
        }
        let event = try Self.stream(admin, "?last=1").next()
        #expect(event.contains("token=…") && !event.contains("s3cret"))
    }

    @Test("the read token reads requests; without a token, and from another site, they are refused")
    func access() throws {
        let admin = try Self.admin(Kept([Self.record(1)]))
        for path in ["/v1/requests", "/v1/requests/1", "/v1/requests.har"] {
            #expect(try admin.send("GET", path, [admin.host, "Authorization: Bearer reader"]).status == 200)
        }
        for path in ["/v1/requests", "/v1/requests/1", "/v1/requests.har", "/v1/requests/stream"] {
            #expect(try admin.send("GET", path, [admin.host]).status == 401)
            let foreign = [admin.host, TestAdmin.bearer, "Origin: http://evil.example"]
            #expect(try admin.send("GET", path, foreign).status == 403)
        }
    }

    @Test("the archive has the requests that match, the oldest first, in the format HAR 1.2")
    func archive() throws {
        let records = [
            Self.record(1, "http://a.example/x?b=1&token=s3cret&c", outcome: "miss") { record in
                record.cacheStatus = CacheStatus(.forwarded(.uriMiss), isStored: true)
                record.headDuration = 1_000_000
                record.upstream = Self.upstream
                record.user = "alice"
            },
            Self.record(2, status: 404), Self.record(3),
        ]
        let admin = try Self.admin(Kept(records))
        let text = try admin.get("/v1/requests.har?filter=status=200").text
        #expect(
            text == """
                {"log":{"version":"1.2","creator":{"name":"respite","version":"1.2.3"},"entries":[\
                {"startedDateTime":"2023-11-14T22:13:20.123Z","time":1.234,"request":{"method":"GET",\
                "url":"http://a.example/x?b=1&token=…&c","httpVersion":"HTTP/1.1","cookies":[],"headers":[],\
                "headersSize":-1,"bodySize":0,"queryString":[{"name":"b","value":"1"},{"name":"token","value":"…"},\
                {"name":"c","value":""}]},"response":{"status":200,"statusText":"","httpVersion":"HTTP/1.1",\
                "cookies":[],"headers":[{"name":"Cache-Status","value":"respite; fwd=uri-miss; stored"}],\
                "headersSize":-1,"bodySize":5,"content":{"size":5,"mimeType":""},"redirectURL":""},"cache":{},\
                "timings":{"blocked":0.1,"dns":0.2,"connect":0.4,"ssl":0.3,"send":0.0,"wait":0.3,"receive":0.234},"_id":"1","_client":"192.0.2.1","_user":"alice",\
                "_cache":"miss","_isComplete":true},\
                {"startedDateTime":"2023-11-14T22:13:20.123Z","time":1.234,"request":{"method":"GET",\
                "url":"http://a.example/x","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"headersSize":-1,\
                "bodySize":0,"queryString":[]},"response":{"status":200,"statusText":"","httpVersion":"HTTP/1.1",\
                "cookies":[],"headers":[],"headersSize":-1,"bodySize":5,"content":{"size":5,"mimeType":""},\
                "redirectURL":""},"cache":{},"timings":{"send":0.0,"wait":1.234,"receive":0.0},"_id":"3",\
                "_client":"192.0.2.1","_cache":"hit","_isComplete":true}]}}

                """
        )
        #expect(try admin.get("/v1/requests.har?filter=cache=hot").status == 400)
    }

    // MARK: One

    @Test("one request is explained in words; one that is gone is 404 and says how many are kept")
    func one() throws {
        let kept = Kept([], capacity: 2)
        let admin = try Self.admin(kept)
        let records = [5, 6].map { number in
            Self.record(number, outcome: "miss") { record in
                record.cacheStatus = CacheStatus(.forwarded(.uriMiss), detail: "no-store")
                record.upstream = Self.upstream
            }
        }
        kept.add(records, dropping: RequestID(number: 4))
        let answer = try admin.json("/v1/requests/6")
        #expect(answer["reasons"]?.elements.compactMap { $0["word"]?.text } == ["uri-miss", "no-store"])
        let text = answer["text"]?.elements.compactMap(\.text) ?? []
        #expect(text.first == "GET http://a.example/x")
        #expect(text.contains("outcome: miss, status 200 (Cache-Status: respite; fwd=uri-miss; detail=no-store)"))
        let times = [
            "waited for a connection 0.100 ms", "look-up of the name 0.200 ms", "connect 0.100 ms", "TLS 0.300 ms",
            "first byte 0.250 ms",
        ]
        #expect(text.contains("origin: \(times.joined(separator: ", "))"))
        #expect(text.contains { $0.hasPrefix("  uri-miss: nothing was stored for this URI") })
        #expect(text.contains { $0.hasPrefix("  no-store: the response was not stored: ") })
        let gone = try admin.get("/v1/requests/4")
        #expect(gone.status == 404)
        #expect(gone.text.contains("newer ones took its place; the last 2 are kept"))
        #expect(try admin.get("/v1/requests/7").text.contains("the daemon has started since, or the id is wrong"))
        #expect(try admin.get("/v1/requests/0").text.contains("the id is wrong"))
        #expect(try admin.get("/v1/requests/-").status == 404)
    }

    @Test("while no requests are kept, list, request and stream are 404 with the setting's name")
    func off() throws {
        let admin = try Self.admin(Kept([], capacity: 0))
        for path in ["/v1/requests", "/v1/requests/1", "/v1/requests.har", "/v1/requests/stream"] {
            let answer = try admin.get(path)
            #expect(answer.status == 404 && answer.text.contains("`admin-recent-requests` is 0"), "\(path)")
        }
    }

    @Test("while too many readers are under way, list and request are 503, and a stream goes on afterwards")
    func busy() throws {
        let kept = Kept([Self.record(1)])
        let admin = try Self.admin(kept)
        let stream = try Self.stream(admin, "?last=1")
        #expect(Self.id(try stream.next()) == "1")
        kept.isBusy.withLock { $0 = true }
        for path in ["/v1/requests", "/v1/requests/1"] {
            let answer = try admin.get(path)
            #expect(answer.status == 503 && answer.text.contains("too many listings are in progress"))
        }
        kept.add([Self.record(2)])
        kept.isBusy.withLock { $0 = false }
        #expect(Self.id(try stream.next()) == "2")
    }

    @Test("a reload masks further parameters for streams that run and for new ones, and 0 ends them with the reason")
    func reload() throws {
        let kept = Kept([Self.record(1, "http://a.example/?key=s3cret")])
        let admin = try Self.admin(kept, secrets: ["token"])
        let stream = try Self.stream(admin, "?last=1")
        #expect(try stream.next().contains("key=s3cret"))
        admin.reload { $0.secrets = SecretParameters(["key"]) }
        kept.add([Self.record(2, "http://a.example/?key=s3cret")])
        let second = try Self.stream(admin, "?last=2")
        for event in [try stream.next(), try second.next(), try second.next()] {
            #expect(event.contains("key=…") && !event.contains("s3cret"))
        }
        admin.reload { $0.recentRequests = 0 }
        for event in [try stream.next(), try second.next()] {
            #expect(event.hasPrefix("event: end\ndata: {\"detail\":\"no requests are kept: "), "\(event)")
        }
    }

    // MARK: The stream

    private static func stream(
        _ admin: TestAdmin,
        _ query: String = "",
        last: String? = nil,
        receiveBuffer: Int32? = nil
    ) throws -> EventTests.Listener {
        try EventTests.Listener(admin, "/v1/requests/stream", query: query, last: last, receiveBuffer: receiveBuffer)
    }

    private static func id(_ event: String) -> String { EventTests.Listener.value("id", event) }

    private static let gap = "event: gap\ndata: {}"

    @Test("a stream begins with the last requests that match, and goes on with new ones, each once")
    func follow() throws {
        let kept = Kept((1...5).map { Self.record($0, status: $0 % 2 == 0 ? 404 : 200) })
        let admin = try Self.admin(kept)
        let stream = try Self.stream(admin, "?last=2&filter=status=200")
        let event = try stream.next()
        #expect(Self.id(event) == "3" && EventTests.Listener.value("event", event) == "request")
        #expect(EventTests.Listener.value("data", event).hasPrefix("{\"id\":\"3\",\"time\":\"2023-11-14T"))
        #expect(Self.id(try stream.next()) == "5")
        kept.add([Self.record(6, status: 404), Self.record(7)])
        #expect(Self.id(try stream.next()) == "7")
        #expect(try admin.get("/v1/requests/stream?last=1001").status == 400)
        #expect(try admin.send("HEAD", "/v1/requests/stream", [admin.host, TestAdmin.bearer]).status == 200)
    }

    @Test("a returning listener gets what it missed, and a mark if some of it is gone or its last request is unknown")
    func resume() throws {
        let kept = Kept((1...5).map { Self.record($0) })
        let admin = try Self.admin(kept)
        let first = try Self.stream(admin, last: "3")
        #expect(try [Self.id(first.next()), Self.id(first.next())] == ["4", "5"])
        kept.add([Self.record(9)], dropping: RequestID(number: 4))
        let late = try Self.stream(admin, last: "3")
        #expect(try late.next() == Self.gap)
        #expect(try [Self.id(late.next()), Self.id(late.next())] == ["5", "9"])
        for (number, id) in [(20, "zz"), (30, "-")] as [(UInt64, String)] {
            let lost = try Self.stream(admin, last: id)
            #expect(try lost.next() == Self.gap)
            kept.add([Self.record(number)])
            #expect(Self.id(try lost.next()) == RequestID(number: number).text)
        }
    }

    @Test("a listener that never reads holds up no other one, and gets a mark in place of what is gone")
    func slowListener() throws {
        let kept = Kept([])
        let admin = try Self.admin(kept)
        let idle = try Self.stream(admin, receiveBuffer: 4096)
        let active = try Self.stream(admin)
        let long = String(repeating: "x", count: 20_000)
        var count: UInt64 = 0
        // 5 MB: more than the sockets' buffers and what is kept for one client take.
        for _ in 0..<25 {
            let records = (count..<count + 10).map { number in Self.record(number + 1) { $0.rule = long } }
            kept.add(records, dropping: RequestID(number: count))
            count += 10
            let last = RequestID(number: count).text
            while Self.id(try active.next()) != last {}
        }
        var received: UInt64 = 0
        while try idle.next() != Self.gap { received += 1 }
        #expect(received < count)
    }

    @Test("a stream of requests ends with the session that began it, one of a token goes on (H-163)")
    func endOfSession() throws {
        let kept = Kept([Self.record(1)])
        let admin = try Self.admin(kept)
        var browser = TestBrowser(admin)
        try browser.logIn()
        #expect(try browser.get("/v1/requests").status == 200)
        let ending = Self.stream(admin, browser.fields)
        let lasting = Self.stream(admin, browser.fields + [TestAdmin.bearer])
        #expect(try browser.post("/logout").status == 200)
        #expect(ending.receiveAll().text == "event: end\ndata: {\"detail\":\"the session has ended\"}\n\n")
        kept.add([Self.record(2)])
        #expect(lasting.receive { $0.hasSuffix("\n\n") }.contains("id: 2\n"))
        #expect(try browser.get("/v1/requests").status == 401)
    }

    /// A stream that has begun, of a client with these fields.
    private static func stream(_ admin: TestAdmin, _ fields: [String]) -> RawClient {
        let client = RawClient(port: admin.port)
        // Without chunks, so that what comes are the events alone.
        client.send((["GET /v1/requests/stream HTTP/1.0"] + fields + ["", ""]).joined(separator: "\r\n"))
        _ = client.receive { $0.hasSuffix("retry: 1000\n\n") }
        return client
    }

    @Test("while nobody listens, no loop is asked")
    func idle() throws {
        let kept = Kept([Self.record(1)])
        let admin = try Self.admin(kept) { $0.heartbeat = .milliseconds(5) }
        #expect(kept.questions == 0)
        var stream: EventTests.Listener? = try Self.stream(admin, "?last=1")
        #expect(try Self.id(stream?.next() ?? "") == "1" && kept.questions > 0)
        stream = nil
        // The end of the client shows when the next comment is sent. A stream's timer is due ten times.
        admin.awaitTimer(after: .milliseconds(50))
        let questions = kept.questions
        admin.awaitTimer(after: .milliseconds(50))
        #expect(kept.questions == questions)
    }
}
