import HTTPCore
import Testing

@testable import Observability

/// Spans as OTLP in JSON.
@Suite struct TraceDocumentTests {
    private static let field = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private static let context = TraceContext(field: Array(field.utf8))

    private static func span(_ kind: TracedSpan.Kind, _ method: Method, _ target: String) throws -> TracedSpan {
        TracedSpan(
            kind,
            try #require(context),
            parent: 0xAB,
            start: MonotonicTime(nanoseconds: 1000),
            end: MonotonicTime(nanoseconds: 3000),
            method: method,
            target: Array(target.utf8)
        )
    }

    private static func text(_ spans: TracedSpan...) -> String {
        let document = TraceDocument(secrets: SecretParameters(["token"]), version: "9.9")
        return String(decoding: document.bytes(spans, wallOffset: 1_000_000_000), as: UTF8.self)
    }

    @Test("a span has its identifiers, its times and the attributes of OpenTelemetry's conventions")
    func span() throws {
        var span = try Self.span(.server, .get, "http://a.example:8080/x?q=1")
        span.status = 200
        span.server = TracedSpan.ServerFacts(
            outcome: "hit",
            notes: AccessLogNotes(reason: "uri-miss", rule: "rule 1", service: "here", user: "alice"),
            version: .http11,
            client: .v4(0x7F00_0001),
            requestBytes: 0,
            contentBytes: 12
        )
        let text = Self.text(span)
        for part in [
            #""resource":{"attributes":[{"key":"service.name","value":{"stringValue":"respite"}},{"key":"service.version","value":{"stringValue":"9.9"}}]}"#,
            #""traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7","parentSpanId":"00000000000000ab","name":"GET","kind":2,"startTimeUnixNano":"1000001000","endTimeUnixNano":"1000003000""#,
            #"{"key":"http.request.method","value":{"stringValue":"GET"}}"#,
            #"{"key":"url.full","value":{"stringValue":"http://a.example:8080/x?q=1"}}"#,
            #"{"key":"url.path","value":{"stringValue":"/x"}}"#, #"{"key":"url.query","value":{"stringValue":"q=1"}}"#,
            #"{"key":"server.address","value":{"stringValue":"a.example"}}"#,
            #"{"key":"server.port","value":{"intValue":"8080"}}"#,
            #"{"key":"http.response.status_code","value":{"intValue":"200"}}"#,
            #"{"key":"network.peer.address","value":{"stringValue":"127.0.0.1"}}"#,
            #"{"key":"respite.cache","value":{"stringValue":"hit"}}"#,
            #"{"key":"respite.reason","value":{"stringValue":"uri-miss"}}"#, #""status":{}"#,
        ] { #expect(text.contains(part), "\(part) in \(text)") }
        #expect(!text.contains("alice") && !text.contains("links") && !text.contains("error.type"))
    }

    @Test("no value of a secret parameter and no user information is in a span (H-158)")
    func secrets() throws {
        let targets = [
            "http://a.example/x?token=geheim&b=1", "http://u:geheim@a.example/x", "/x;token=geheim?token=geheim",
            "http://a.example/x;token=geheim?u=http%3A%2F%2Fb%2F%3Ftoken%3Dgeheim",
        ]
        for target in targets {
            let text = Self.text(try Self.span(.server, .get, target), try Self.span(.client, .get, target))
            #expect(!text.contains("geheim") && text.contains("url.full"), "\(target): \(text)")
        }
    }

    @Test("a failed request is an error: for a client from 400 on, for a server from 500 on")
    func errors() throws {
        for (kind, status, isError) in [
            (.server, 404, false), (.server, 500, true), (.client, 404, true), (.client, 399, false),
        ] as [(TracedSpan.Kind, UInt16, Bool)] {
            var span = try Self.span(kind, .get, "http://a.example/")
            span.status = status
            let text = Self.text(span)
            #expect(text.contains(#""status":{"code":2}"#) == isError)
            #expect(text.contains(#"{"key":"error.type","value":{"stringValue":"\#(status)"}}"#) == isError)
        }
        var span = try Self.span(.client, .get, "http://a.example/")
        span.failure = "connection_refused"
        #expect(Self.text(span).contains(#""error.type","value":{"stringValue":"connection_refused"}"#))
    }

    @Test("a CONNECT has the address of its far end, and an unknown method is told apart")
    func others() throws {
        let connect = Self.text(try Self.span(.server, .connect, "a.example:443"))
        #expect(connect.contains(#""server.address","value":{"stringValue":"a.example"}"#))
        #expect(connect.contains(#""server.port","value":{"intValue":"443"}"#) && !connect.contains("url.full"))
        let other = Self.text(try Self.span(.server, Method("BREW"), "http://a.example/"))
        #expect(other.contains(#""name":"HTTP""#))
        #expect(other.contains(#""http.request.method","value":{"stringValue":"_OTHER"}"#))
        #expect(other.contains(#""http.request.method_original","value":{"stringValue":"BREW"}"#))
    }

    @Test("bytes of a client end no text of the document")
    func injection() throws {
        var span = try Self.span(.server, .get, "/\"}],\"evil\":1,\u{7F}\n")
        span.state = Array("a=\"b\"".utf8)
        let text = Self.text(span)
        #expect(!text.contains(#","evil""#) && !text.contains("\n") && text.contains(#""traceState":"a=\"b\"""#))
    }
}
