import Testing

@testable import Cassettes

/// What differs between requests, and which of those recorded is the nearest.
struct RequestDifferenceTests {
    private static let form = "application/x-www-form-urlencoded"

    private static func differences(
        _ recorded: CassetteRequest,
        _ asked: CassetteRequest,
        _ rules: MatchRules = .standard
    ) -> [String] {
        RequestDifference.all(between: ComparedRequest(recorded), and: ComparedRequest(asked), rules).map(\.text)
    }

    @Test(
        "each part that counts is compared, with both values",
        arguments: [
            ("method", [#"method: recorded "GET", asked "PUT""#]),
            ("host", [#"host: recorded "http://a.example", asked "http://b.example""#]),
            ("path", [#"path: recorded "/x", asked "/y""#]),
            ("query", [#"query parameter p: recorded "1", asked "2""#, #"query parameter q: not recorded, asked """#]),
            ("content", [#"content from byte 0: recorded "old", asked "new""#]),
            ("field:x-a", [#"field x-a: recorded "1", not asked"#]), ("field:x-b", []),
            (
                "method,path",
                [#"method: recorded "GET", asked "PUT""#, #"path: recorded "/x", asked "/y""#]
            ),
        ]
    )
    func parts(rules: String, expected: [String]) throws {
        let recorded = CassetteRequest.sample(
            "GET",
            "http://a.example/x?p=1",
            "old",
            type: "text/plain",
            fields: [CassetteField("X-A", "1")]
        )
        let asked = CassetteRequest.sample("PUT", "http://b.example/y?p=2&q", "new", type: "text/plain")
        #expect(Self.differences(recorded, asked, try MatchRules(rules)) == expected)
        #expect(Self.differences(recorded, recorded, try MatchRules(rules)).isEmpty)
    }

    @Test(
        "parameters are compared by name and place; if only their order differs, that is said",
        arguments: [
            ("a=1&b=2", "b=2&a=1", ["the order of each query parameter"]),
            ("a=1&a=2", "a=1&a=3", [#"query parameter a: recorded "2", asked "3""#]),
            ("a=1&a=2", "a=1", [#"query parameter a: recorded "2", not asked"#]),
            ("a=1", "a=1&a=2", [#"query parameter a: not recorded, asked "2""#]),
            ("a%20b=1", "a%20b=%32", [#"query parameter a b: recorded "1", asked "2""#]),
            ("a=1&b=2", "b=3&a=1", [#"query parameter b: recorded "2", asked "3""#]),
        ]
    )
    func parameters(recorded: String, asked: String, expected: [String]) {
        let requests = [recorded, asked].map { CassetteRequest.sample("GET", "http://a.example/?\($0)") }
        #expect(Self.differences(requests[0], requests[1]) == expected)
        let forms = [recorded, asked].map { CassetteRequest.sample("GET", "http://a.example/", $0, type: Self.form) }
        let texts = expected.map { $0.replacing("query parameter", with: "form parameter") }
        #expect(Self.differences(forms[0], forms[1]) == texts)
    }

    @Test(
        "of other content the first byte that differs is told, with eight bytes before it and sixty in all",
        arguments: [
            ("0123456789x", "0123456789y", 10, "23456789x", "23456789y"), ("x", "y", 0, "x", "y"),
            ("01234567x", "01234567y", 8, "01234567x", "01234567y"), ("abc", "abcd", 3, "abc", "abcd"),
            (String(repeating: "a", count: 70) + "x", "b", 0, String(repeating: "a", count: 60), "b"),
        ]
    )
    func bytes(recorded: String, asked: String, place: Int, old: String, new: String) {
        let requests = [recorded, asked].map {
            CassetteRequest.sample("POST", "http://a.example/", $0, type: "text/plain")
        }
        let text = "content from byte \(place): recorded \"\(old)\", asked \"\(new)\""
        #expect(Self.differences(requests[0], requests[1]) == [text])
    }

    @Test("content of different kinds is shown as a whole")
    func kinds() {
        let json = CassetteRequest.sample("POST", "http://a.example/", #"{"a":1}"#)
        let text = CassetteRequest.sample("POST", "http://a.example/", "abc", type: "text/plain")
        let none = CassetteRequest.sample("POST", "http://a.example/")
        #expect(Self.differences(json, text) == [#"content: recorded {"a":1}, asked "abc""#])
        #expect(Self.differences(text, none) == [#"content: recorded "abc", not asked"#])
        #expect(Self.differences(none, json) == [#"content: not recorded, asked {"a":1}"#])
    }

    @Test("long values are shortened to 120 characters, and of many differences eight are told")
    func length() {
        let long = String(repeating: "p", count: 500)
        let text = Self.differences(.sample("GET", "http://a.example/"), .sample("GET", "http://a.example/\(long)"))[0]
        let shown = "/" + String(repeating: "p", count: 58) + "…" + String(repeating: "p", count: 60)
        #expect(text == "path: recorded \"/\", asked \"\(shown)\"")
        func summary(_ count: Int) -> String {
            let differences = (0..<count).map { RequestDifference("\($0)", recorded: nil, asked: nil) }
            return CassetteMiss(request: "", reason: .differs(nearest: "", differences)).summary
        }
        #expect(summary(0) == "" && summary(8) == "0; 1; 2; 3; 4; 5; 6; 7")
        #expect(summary(9) == "0; 1; 2; 3; 4; 5; 6; 7; and 1 more")
        #expect(summary(12) == "0; 1; 2; 3; 4; 5; 6; 7; and 4 more")
    }

    @Test(
        "the nearest request has the same path, then the same method, then the same host, then the fewest differences",
        arguments: [
            (["GET http://a.example/other", "POST http://b.example/path"], 1),
            (["PUT http://a.example/path", "GET http://b.example/path"], 1),
            (["PUT http://b.example/path", "PUT http://a.example/path"], 1),
            (["GET http://a.example/path?x=1&y=2&z=3", "GET http://a.example/path?x=1"], 1),
            (["GET http://a.example/past", "GET http://a.example/pathe", "GET http://a.example/pat"], 1),
        ]
    )
    func nearest(recorded: [String], index: Int) {
        let entries = recorded.map { text -> CassetteEntry in
            let words = text.split(separator: " ").map(String.init)
            return .sample(words[0], words[1])
        }
        for entries in [entries, entries.reversed()] {
            var player = CassettePlayer(Cassette(entries: entries))
            guard case .miss(let miss) = player.answer(.sample("GET", "http://a.example/path")) else {
                return #expect(Bool(false), "it matches")
            }
            #expect(miss.nearest == recorded[index])
        }
    }

    @Test("neither many differences nor a long common beginning count more than path, method and host")
    func nearestLimits() {
        func nearest(_ recorded: [String], _ asked: String) -> String? {
            let entries = recorded.map { text -> CassetteEntry in
                let words = text.split(separator: " ").map(String.init)
                return .sample(words[0], words[1])
            }
            var player = CassettePlayer(Cassette(entries: entries))
            guard case .miss(let miss) = player.answer(.sample("GET", asked)) else { return nil }
            return miss.nearest
        }
        let query = (0..<450).map { "p\($0)=1" }.joined(separator: "&")
        let path = ["GET http://a.example/path?\(query)", "GET http://a.example/pat"]
        #expect(
            nearest(path, "http://a.example/path") == path[0]
                && nearest(path.reversed(), "http://a.example/path") == path[0]
        )
        let long = "http://b.example/" + String(repeating: "x", count: 400)
        let host = [
            "GET http://b.example/other", "PUT \(long.replacing("http://b.example", with: "http://c.example"))2",
        ]
        #expect(nearest(host, "\(long)1") == host[0] && nearest(host.reversed(), "\(long)1") == host[0])
    }

    @Test("what was asked is used, the rest is not; in strict order each comes once")
    func usage() {
        let cassette = Cassette(entries: [
            .sample("GET", "http://a.example/1"), .sample("GET", "http://a.example/1"),
            .sample("GET", "http://a.example/2"),
        ])
        for isStrict in [false, true] {
            var player = CassettePlayer(cassette, isStrict: isStrict)
            let used = (0..<3).map { _ in
                if case .response = player.answer(.sample("GET", "http://a.example/1")) { true } else { false }
            }
            #expect(used == [true, true, !isStrict] && player.unused == [cassette.entries[2]])
        }
    }

    // MARK: Rules

    @Test(
        "parts are named one by one, or added to the usual ones and taken from them",
        arguments: [
            ("method", [.method]), ("host, path", [.host, .path]), ("url", [.host, .path, .query]), ("query", [.query]),
            ("content", [.content]), ("field:Accept", [.field("accept")]), ("field:a", [.field("a")]),
            ("-url", [.method, .content]), ("+field:X, -content", [.method, .host, .path, .query, .field("x")]),
            ("+method", [.method, .host, .path, .query, .content]),
        ] as [(String, Set<MatchRules.Part>)]
    )
    func rules(text: String, parts: Set<MatchRules.Part>) throws { #expect(try MatchRules(text).parts == parts) }

    @Test(
        "a field has a name, and something is compared",
        arguments: ["field:", "-url,-method,-content", ",", "path,-url"]
    )
    func wrongRules(text: String) { #expect(throws: CassetteError.self) { try MatchRules(text) } }

    @Test(
        "what is wrong with rules is told with all parts that there are",
        arguments: [
            ("body", "does not know `body`; \(hint)"), ("field:", "does not know `field:`; \(hint)"),
            ("", "names no part; \(hint)"), ("-url,-method,-content", "names no part; \(hint)"),
            ("-url,path", "has words with and without a sign; write all of them alike"),
        ]
    )
    func hints(text: String, message: String) {
        let error = #expect(throws: CassetteError.self) { try MatchRules(text) }
        #expect(error?.place == "`--match`" && error?.userMessage == message)
    }

    private static let hint = "the parts are method, url, host, path, query, content and field:NAME"
}
