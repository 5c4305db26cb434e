import HTTPCore
import Testing

@testable import Observability

/// The attributes of a span.
@Suite struct SpanAttributeTests {
    private static func span(_ method: Method, _ target: String) -> TracedSpan {
        TracedSpan(
            .server,
            TraceContext(traceHigh: 1, traceLow: 2, span: 3, flags: 1),
            parent: nil,
            start: MonotonicTime(nanoseconds: 0),
            end: MonotonicTime(nanoseconds: 1),
            method: method,
            target: Array(target.utf8)
        )
    }

    /// `name=value` of each.
    private static func texts(_ span: TracedSpan) -> [String] {
        span.attributes(SecretParameters(["token"])).map { attribute in
            switch attribute.value {
            case .text(let text): "\(attribute.name)=\(String(decoding: text, as: UTF8.self))"
            case .number(let number): "\(attribute.name)=\(number)"
            case .flag(let flag): "\(attribute.name)=\(flag)"
            }
        }
    }

    @Test("a URL has its parts, and a query only if it has one")
    func parts() {
        let expected = [
            "http.request.method=GET", "url.full=http://a.example:81/x", "url.scheme=http", "url.path=/x",
            "server.address=a.example", "server.port=81",
        ]
        #expect(Self.texts(Self.span(.get, "http://a.example:81/x")) == expected)
        let query = Self.texts(Self.span(.get, "https://a.example/x?a?b=c"))
        #expect(query.suffix(1) == ["url.query=a?b=c"] && query.contains("url.path=/x"))
        #expect(query.contains("url.scheme=https") && query.contains("server.port=443"))
        #expect(Self.texts(Self.span(.get, "http://a.example/?")).last == "url.query=")
    }

    @Test("only a CONNECT is to an address, and only to one with a port")
    func tunnels() {
        #expect(
            Self.texts(Self.span(.connect, "[::1]:443")).dropFirst() == ["server.address=[::1]", "server.port=443"]
        )
        for (method, target) in [(.connect, "a.example"), (.connect, "a:b"), (.get, "a.example:443"), (.get, "*")]
            as [(Method, String)]
        {
            #expect(Self.texts(Self.span(method, target)).dropFirst() == ["url.full=\(target)"], "\(target)")
        }
    }

    @Test("a status is there if there was a response, and what failed has its kind")
    func statuses() {
        var span = Self.span(.get, "*")
        #expect(span.errorType == nil && Self.texts(span).count == 2)
        span.status = 1
        #expect(Self.texts(span).last == "http.response.status_code=1")
        span.status = 499
        #expect(span.errorType == nil)
        span.status = 500
        #expect(Self.texts(span).suffix(2) == ["http.response.status_code=500", "error.type=500"])
        span.failure = "dns_error"
        #expect(span.errorType == "dns_error")
    }

    @Test("an unknown method has 64 bytes, and a URL 2048")
    func limits() {
        let name = String(repeating: "M", count: 65)
        #expect(
            Self.texts(Self.span(Method(name), "*"))
                == ["http.request.method=_OTHER", "http.request.method_original=\(name.dropLast())", "url.full=*"]
        )
        let long = "*" + String(repeating: "a", count: 2_048)
        #expect(Self.texts(Self.span(.get, long)).last == "url.full=\(long.dropLast())")
    }

    @Test("what a server knows is told, each where it is known")
    func facts() {
        var span = Self.span(.get, "*")
        span.server = TracedSpan.ServerFacts(
            outcome: "miss",
            notes: AccessLogNotes(),
            version: .http10,
            client: nil,
            requestBytes: 3,
            contentBytes: 4
        )
        let common = [
            "respite.cache=miss", "network.protocol.version=1.0", "http.request.body.size=3",
            "http.response.body.size=4",
        ]
        #expect(Self.texts(span).dropFirst(2) == (common + ["network.transport=unix"])[...])
        span.server?.notes = AccessLogNotes(reason: "a", rule: "b", service: "c")
        span.server?.client = .v4(0x7F00_0001)
        span.server?.version = .http11
        let known = ["network.peer.address=127.0.0.1", "respite.reason=a", "respite.rule=b", "respite.service=c"]
        #expect(Self.texts(span).suffix(4) == known[...] && Self.texts(span).contains("network.protocol.version=1.1"))
    }

    @Test("identifiers have all their digits")
    func digits() {
        let context = TraceContext(
            traceHigh: 0xF000_0000_0000_0001,
            traceLow: 2,
            span: 0x8000_0000_0000_00FF,
            flags: 0x13
        )
        #expect(String(decoding: context.traceText, as: UTF8.self) == "f0000000000000010000000000000002")
        #expect(
            String(decoding: context.field, as: UTF8.self)
                == "00-f0000000000000010000000000000002-80000000000000ff-13"
        )
        #expect(String(decoding: context.spanText, as: UTF8.self) == "80000000000000ff" && context.isSampled)
        #expect(!TraceContext(traceHigh: 1, traceLow: 2, span: 3, flags: 2).isSampled)
    }

    @Test("a trace and a span may have any digits but zeros alone, and the version any but ff")
    func zeros() {
        func isContext(_ text: String) -> Bool { TraceContext(field: Array(text.utf8)) != nil }
        let (zeros, one) = (String(repeating: "0", count: 16), "000000000000000\(1)")
        #expect(isContext("00-\(one)\(zeros)-\(one)-00") && isContext("00-\(zeros)\(one)-\(one)-00"))
        #expect(!isContext("00-\(zeros)\(zeros)-\(one)-00") && !isContext("00-\(zeros)\(one)-\(zeros)-00"))
        #expect(isContext("fe-\(zeros)\(one)-\(one)-00") && !isContext("ff-\(zeros)\(one)-\(one)-00"))
        #expect(!isContext("00-\(zeros)\(one)-\(one)-0") && !isContext("00-\(zeros)\(one)-\(one)-000"))
    }
}
