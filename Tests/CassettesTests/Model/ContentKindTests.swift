import Testing

@testable import Cassettes

/// What requests are about, and of which kind their content is.
struct ContentKindTests {
    @Test(
        "the kind of content is that of its type; what looks like JSON is JSON, unless the type says something else",
        arguments: [
            ("application/json", "", .none), (nil, "", .none), ("application/json; charset=x", "x", .json),
            ("text/JSON", "x", .json), ("application/problem+json", "x", .json), ("application/jsonp", "x", .other),
            ("application/x-ndjson", "{}", .jsonLines), ("application/jsonl", "x", .jsonLines),
            ("application/ndjson", "x", .jsonLines), ("application/json-lines", "x", .jsonLines),
            ("application/x-jsonlines", "x", .jsonLines), ("application/stream+json", "x", .jsonLines),
            ("Text/Event-Stream ; a=b", "{}", .eventStream),
            ("multipart/mixed; boundary=\"a1\"", "{}", .multipart("a1")),
            ("multipart/mixed; x=1; Boundary = b", "x", .multipart("b")), ("multipart/mixed", "{}", .other),
            ("multipart/mixed; boundary=", "x", .other), ("multipart/mixed; boundary=\"\"", "x", .other),
            ("multipart/mixed; boundary=a=b", "x", .multipart("a=b")),
            ("application/x-www-form-urlencoded", "a=1", .form), ("application/x-www-form-urlencoded", " {}", .json),
            ("application/x-www-form-urlencoded", "\n[1]", .json), ("text/plain", "{", .json),
            ("text/plain", "a{", .other),
            (nil, "[", .json), (nil, "a", .other),
        ] as [(String?, String, Expected)]
    )
    func kinds(type: String?, content: String, expected: Expected) {
        let fields = type.map { [CassetteField("CONTENT-type", $0)] } ?? []
        #expect(ContentKind(fields, Array(content.utf8)) == expected.kind)
    }

    /// A kind, as tests name it.
    enum Expected: Sendable {
        case none, json, jsonLines, eventStream, form, other
        case multipart(String)

        var kind: ContentKind {
            switch self {
            case .none: .none
            case .json: .json
            case .jsonLines: .jsonLines
            case .eventStream: .eventStream
            case .form: .form
            case .other: .other
            case .multipart(let boundary): .multipart(boundary: boundary)
            }
        }
    }

    @Test(
        "a URL has an origin, a path and a query",
        arguments: [
            ("http://a.example:81/p/q?x=1&y", "http://a.example:81", "/p/q", "x=1&y"),
            ("http://a.example", "http://a.example", "", nil),
            ("http://a.example?x", "http://a.example", "", "x"), ("http://a.example/?", "http://a.example", "/", ""),
            ("/p?a?b", "", "/p", "a?b"),
            ("mailto:x/y", "mailto:x", "/y", nil), ("", "", "", nil),
            ("http://a.example#f", "http://a.example", "#f", nil),
        ] as [(String, String, String, String?)]
    )
    func locations(url: String, host: String, path: String, query: String?) {
        let location = RequestLocation(url)
        #expect(location.host == host && location.path == path && location.query == query)
    }

    @Test("parameters are pairs around the first equals sign; a name alone has an empty value")
    func parameters() {
        let pairs = FormText.parameters("a=1&b&=c&&d=e=f&g=").map { "\($0.name)|\($0.value)" }
        #expect(pairs == ["a|1", "b|", "|c", "d|e=f", "g|"])
        #expect(RequestLocation("http://a.example/?x=%20").parameters.map(\.value) == ["%20"])
        #expect(RequestLocation("http://a.example/").parameters.isEmpty)
    }

    @Test("names of fields have no case, and the first of a name counts")
    func fields() {
        let fields = [CassetteField("X-A", "1"), CassetteField("x-a", "2"), CassetteField("X-Ab", "3")]
        #expect(fields.value(of: "x-a") == "1" && fields.value(of: "x-ab") == "3" && fields.value(of: "x-b") == nil)
    }
}
