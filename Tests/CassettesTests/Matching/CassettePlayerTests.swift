import Testing

@testable import Cassettes

/// Which recorded response a request gets.
struct CassettePlayerTests {
    private static func text(_ answer: CassettePlayer.Outcome) -> String {
        switch answer {
        case .response(let response): String(decoding: response.content, as: UTF8.self)
        case .miss(let miss): miss.userMessage
        }
    }

    @Test("the same request asked several times gets its responses in order, then the last")
    func order() {
        let cassette = Cassette(entries: [
            .sample(response: "1"), .sample("GET", response: "x"), .sample(response: "2"),
        ])
        var player = CassettePlayer(cassette)
        #expect((0..<3).map { _ in Self.text(player.answer(.sample())) } == ["1", "2", "2"])
        #expect(player.unused.map(\.request.method) == ["GET"])
    }

    @Test("JSON matches whatever the order of members and white space")
    func canonical() {
        var player = CassettePlayer(
            Cassette(entries: [.sample("POST", "http://a.example/", #"{"a": {"x": 1, "y": [1, 2]}, "b": 2}"#)])
        )
        #expect(
            Self.text(player.answer(.sample("POST", "http://a.example/", #"{"b":2,"a":{"y":[1,2],"x":1}}"#))) == "{}"
        )
        let other = player.answer(.sample("POST", "http://a.example/", #"{"b":2,"a":{"y":[2,1],"x":1}}"#))
        #expect(Self.text(other).contains("$.a.y[0]: recorded 1, asked 2"))
    }

    @Test(
        "JSON nested 128 deep matches whatever the order of members; deeper, it matches byte by byte",
        arguments: [(128, true), (129, false)]
    )
    func depth(levels: Int, isCanonical: Bool) {
        func request(_ inner: String) -> CassetteRequest {
            let lists = levels - 1
            let text = String(repeating: "[", count: lists) + inner + String(repeating: "]", count: lists)
            return .sample("POST", "http://a.example/", text)
        }
        var entry = CassetteEntry.sample()
        entry.request = request(#"{"a":1,"b":2}"#)
        var player = CassettePlayer(Cassette(entries: [entry]))
        #expect((Self.text(player.answer(request(#"{"b":2,"a":1}"#))) == "{}") == isCanonical)
        #expect(Self.text(player.answer(request(#"{"a":1,"b":2}"#))) == "{}")
    }

    @Test("multipart content matches whatever its boundary")
    func multipart() {
        func request(_ boundary: String) -> CassetteRequest {
            .sample(
                "POST",
                "http://a.example/",
                "--\(boundary)\r\n\r\nx\r\n--\(boundary)--",
                type: "multipart/form-data; boundary=\"\(boundary)\""
            )
        }
        var entry = CassetteEntry.sample()
        entry.request = request("aaaa1")
        var player = CassettePlayer(Cassette(entries: [entry]))
        #expect(Self.text(player.answer(request("bbbb22"))) == "{}")
    }

    @Test(
        "a miss names the nearest request and what differs",
        arguments: [
            (
                CassetteRequest.sample("POST", "http://a.example/chat", #"{"a":2,"b":[]}"#),
                "no recorded request matches; nearest is POST http://a.example/chat, and differs in $.a: recorded 1, asked 2"
            ),
            (
                .sample("PUT", "http://a.example/chat", #"{"a":1,"b":[]}"#),
                #"nearest is POST http://a.example/chat, and differs in method: recorded "POST", asked "PUT""#
            ),
            (
                .sample("GET", "http://a.example/list?page=2&q=a%20c"),
                #"nearest is GET http://a.example/list?page=1&q=a%20b, and differs in query parameter page: recorded "1", "#
                    + #"asked "2"; query parameter q: recorded "a b", asked "a c""#
            ),
            (
                .sample("GET", "http://a.example/list?page=1"),
                #"query parameter q: recorded "a b", not asked"#
            ),
            (
                .sample("GET", "http://b.example/list?page=1&q=a%20b"),
                #"host: recorded "http://a.example", asked "http://b.example""#
            ),
            (
                .sample("POST", "http://a.example/form", "user=eve&x=1", type: "application/x-www-form-urlencoded"),
                #"form parameter user: recorded "adam", asked "eve""#
            ),
            (
                .sample("POST", "http://a.example/text", "some plain words", type: "text/plain"),
                #"content from byte 5: recorded "some text", asked "some plain words""#
            ),
            (.sample("POST", "http://a.example/chat"), #"content: recorded {"a":1,"b":[]}, not asked"#),
        ]
    )
    func nearest(request: CassetteRequest, message: String) {
        let cassette = Cassette(entries: [
            .sample("GET", "http://a.example/list?page=1&q=a%20b"),
            .sample("POST", "http://a.example/chat", #"{"a":1,"b":[]}"#),
            .sample("POST", "http://a.example/form", "user=adam&x=1", type: "application/x-www-form-urlencoded"),
            .sample("POST", "http://a.example/text", "some text", type: "text/plain"),
        ])
        var player = CassettePlayer(cassette)
        let text = Self.text(player.answer(request))
        #expect(text.contains(message), "\(text)")
    }

    @Test("an empty cassette says so")
    func empty() {
        var player = CassettePlayer(Cassette())
        #expect(Self.text(player.answer(.sample())) == "the cassette has no requests; record it")
    }

    @Test("in strict order another request than the next is a miss, and one behind the last")
    func strict() {
        let cassette = Cassette(entries: [.sample("GET", "http://a.example/1"), .sample("GET", "http://a.example/2")])
        var player = CassettePlayer(cassette, isStrict: true)
        let early = Self.text(player.answer(.sample("GET", "http://a.example/2")))
        #expect(
            early
                == #"GET http://a.example/1 comes next, and differs in path: recorded "/1", asked "/2"; this request is recorded for another moment"#
        )
        #expect(Self.text(player.answer(.sample("GET", "http://a.example/1"))) == "{}")
        #expect(Self.text(player.answer(.sample("GET", "http://a.example/2"))) == "{}")
        #expect(
            Self.text(player.answer(.sample("GET", "http://a.example/2")))
                == "all recorded requests have been asked; this one is too many"
        )
    }

    @Test(
        "`--match` says which parts are compared",
        arguments: [
            ("method,path", CassetteRequest.sample("POST", "https://other.example/v1/chat?x", "y"), true),
            ("-content", .sample("POST", "http://api.example/v1/chat", "other"), true),
            ("-content", .sample("GET", "http://api.example/v1/chat", "other"), false),
            ("+field:accept", .sample(fields: [CassetteField("ACCEPT", "text/html")]), false),
            ("url", .sample("PUT", "http://api.example/v1/chat", "other"), true),
        ]
    )
    func rules(text: String, request: CassetteRequest, matches: Bool) throws {
        var player = CassettePlayer(Cassette(entries: [.sample()]), try MatchRules(text))
        #expect((Self.text(player.answer(request)) == "{}") == matches)
    }

    @Test(
        "a wrong `--match` says what is right",
        arguments: [
            ("", "names no part"), ("body", "does not know `body`; the parts are method,"),
            ("url,+path", "with and without"),
        ]
    )
    func wrongRules(text: String, message: String) {
        let error = #expect(throws: CassetteError.self) { try MatchRules(text) }
        #expect(error?.userMessage.contains(message) == true)
    }

    @Test("in strict order a request that is recorded nowhere is told what comes next, and that still comes")
    func strictUnknown() {
        var player = CassettePlayer(Cassette(entries: [.sample("GET", "http://a.example/1")]), isStrict: true)
        let miss = Self.text(player.answer(.sample("GET", "http://a.example/9")))
        #expect(miss == #"GET http://a.example/1 comes next, and differs in path: recorded "/1", asked "/9""#)
        #expect(player.unused.count == 1)
        #expect(Self.text(player.answer(.sample("GET", "http://a.example/1"))) == "{}" && player.unused.isEmpty)
    }

    @Test("each reason of a miss has its sentence, and the request that is nearest or next if there is one")
    func reasons() {
        let differences = [RequestDifference("method", recorded: "a", asked: "b")]
        let reasons: [(CassetteMiss.Reason, String?, Int, String)] = [
            (.empty, nil, 0, "the cassette has no requests; record it"),
            (
                .differs(nearest: "N", differences), "N", 1,
                "no recorded request matches; nearest is N, and differs in method: recorded a, asked b"
            ),
            (.outOfOrder(next: "N", [], isRecorded: false), "N", 0, "N comes next"),
            (
                .outOfOrder(next: "N", [], isRecorded: true), "N", 0,
                "N comes next; this request is recorded for another moment"
            ),
            (
                .outOfOrder(next: "N", differences, isRecorded: false), "N", 1,
                "N comes next, and differs in method: recorded a, asked b"
            ),
            (.behindTheEnd, nil, 0, "all recorded requests have been asked; this one is too many"),
            (.unrecordable("Tunnels"), nil, 0, "Tunnels are not recorded"),
        ]
        for (reason, nearest, count, message) in reasons {
            let miss = CassetteMiss(request: "GET http://a.example/", reason: reason)
            #expect(miss.nearest == nearest && miss.differences.count == count && miss.userMessage == message)
        }
    }
}
