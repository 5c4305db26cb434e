import Testing

@testable import HTTPCore

@Suite("Kinds of content")
struct ContentTypeTests {
    @Test(
        "text, JSON, XML and JavaScript are texts; HTML is told apart",
        arguments: [
            ("text/plain", "text"), ("text/html; charset=x", "text html"), ("application/xhtml+xml", "text xml html"),
            ("application/json", "text json"), ("application/problem+json", "text json"), ("text/json", "text json"),
            ("application/x-ndjson", "text json"), ("application/jsonl", "text json"), ("application/xjson", ""),
            ("application/json-seq", ""), ("application/xml", "text xml"), ("text/xml", "text xml"),
            ("image/svg+xml", "text xml"), ("application/javascript", "text"), ("application/x-javascript", "text"),
            ("application/ecmascript", "text"), ("application/x-ecmascript", "text"), ("image/png", ""),
            ("application/octet-stream", ""), ("texts/plain", ""),
        ]
    )
    func kinds(value: String, expected: String) throws {
        let type = try #require(MediaType(latin(value)))
        let kinds = [
            TextualTypes.isText(type) ? "text" : nil, TextualTypes.isJSON(type) ? "json" : nil,
            TextualTypes.isXML(type) ? "xml" : nil, TextualTypes.isHTML(type) ? "html" : nil,
        ]
        #expect(kinds.compactMap { $0 }.joined(separator: " ") == expected)
        #expect(TextualTypes.type(of: fields(("Content-Type", value))) == (expected.isEmpty ? nil : type))
        #expect(TextualTypes.type(of: fields(("X", value))) == nil)
    }

    @Test("parameters have a token as name, and a token or a quoted string as value; others are left out")
    func parameters() throws {
        let value = "A/B;x=1;Y=\"a;b\\\";c\";z;=1;q=\"a;d=e"
        let type = try #require(MediaType(latin(value)))
        #expect(type.parameters.map { text($0.name) + "=" + text($0.value) } == ["x=1", "y=a;b\";c"])
        let spaced = try #require(MediaType(latin(" a/b ; x = 1; y=2 ;z=")))
        #expect(text(spaced.essence) == "a/b" && spaced.parameters.map { text($0.name) } == ["y"])
        #expect(spaced.parameter("Y") == latin("2") && spaced.parameter("x") == nil)
    }

    @Test("a Cache-Status member has a time below zero, and a detail that is a token or a string (RFC 9211)")
    func cacheStatus() {
        #expect(CacheStatus(.hit, ttl: -5).text == "respite; hit; ttl=-5")
        #expect(CacheStatus(.hit, ttl: 0).text == "respite; hit; ttl=0")
        #expect(CacheStatus(.forwarded(.stale), ttl: .min).text == "respite; fwd=stale; ttl=-9223372036854775808")
        for (detail, isToken) in [
            ("a", true), ("Z9", true), ("*a", true), ("a/b:c", true), ("z-.~", true), ("", false), ("1a", false),
            ("a b", false), ("@", false), ("[a", false), ("`a", false), ("{a", false), ("a,b", false), ("-a", false),
        ] {
            let expected = isToken ? detail : "\"\(detail)\""
            #expect(CacheStatus(.none, detail: detail).text == "respite; detail=\(expected)")
        }
    }

    @Test("a Proxy-Status member names a TLS alert by number and name (RFC 9209 §2.3)")
    func proxyStatus() {
        let alert = ProxyStatus.Alert(id: 40, name: "handshake_failure")
        #expect(
            ProxyStatus(error: .tlsAlertReceived, alert: alert).text
                == "respite; error=tls_alert_received; alert-id=40; alert-message=handshake_failure"
        )
        #expect(ProxyStatus().text == "respite" && ProxyStatus(details: "a\"").text == "respite; details=\"a\\\"\"")
    }
}
