import HTTPCore
import Testing

@testable import HTTPServer

/// What a connection inside another one leads to, and what names it.
@Suite struct ConnectionOriginTests {
    private static func head(_ line: String, host: String?) throws -> RequestHead {
        let bytes = Array("\(line)\r\n\(host.map { "Host: \($0)\r\n" } ?? "")\r\n".utf8)
        var parser = RequestParser()
        var head = RequestHead()
        try #require(parser.parse(bytes.span, into: &head) == .complete(consumed: bytes.count))
        return head
    }

    private static func origin(
        _ host: String = "Inner.Example",
        port: UInt16 = 8443,
        acceptsNames: Bool = false
    )
        -> ConnectionOrigin
    {
        ConnectionOrigin(scheme: .https, host: Array(host.utf8), port: port, acceptsNames: acceptsNames)
    }

    @Test(
        "a request names the origin by the same scheme, host and port, and by no host at all",
        arguments: [
            ("GET / HTTP/1.1", "inner.example:8443", true), ("GET / HTTP/1.1", "INNER.example:8443", true),
            ("GET / HTTP/1.0", nil, true), ("GET https://inner.example:8443/ HTTP/1.1", "inner.example:8443", true),
            ("GET / HTTP/1.1", "inner.example", false), ("GET / HTTP/1.1", "inner.example:443", false),
            ("GET / HTTP/1.1", "inner.example:8444", false), ("GET / HTTP/1.1", "inner.exampl:8443", false),
            ("GET / HTTP/1.1", "inner.examples:8443", false), ("GET / HTTP/1.1", "jnner.example:8443", false),
            ("GET / HTTP/1.1", "inner.exampld:8443", false), ("GET / HTTP/1.1", "outer.example:8443", false),
            ("GET http://inner.example:8443/ HTTP/1.1", "inner.example:8443", false),
        ] as [(String, String?, Bool)]
    )
    func names(line: String, host: String?, isNamed: Bool) throws {
        let head = try Self.head(line, host: host)
        let origin = Self.origin()
        #expect(origin.isNamed(in: head) == isNamed)
        #expect(origin.named(in: head) == (isNamed ? origin : nil))
    }

    @Test("without a port that of the scheme is meant")
    func defaultPort() throws {
        let origin = Self.origin(port: 443)
        for (host, isNamed) in [("inner.example", true), ("inner.example:443", true), ("inner.example:80", false)] {
            #expect(try origin.isNamed(in: Self.head("GET / HTTP/1.1", host: host)) == isNamed, "\(host)")
        }
        let plain = ConnectionOrigin(scheme: .http, host: Array("a.example".utf8), port: 80)
        #expect(try plain.isNamed(in: Self.head("GET / HTTP/1.1", host: "a.example")))
        #expect(try plain.isNamed(in: Self.head("GET https://a.example:80/ HTTP/1.1", host: "a.example:80")) == false)
    }

    @Test("behind an address a request chooses the name, and nothing else")
    func chosenName() throws {
        let origin = Self.origin("192.0.2.1", acceptsNames: true)
        for (line, host, name) in [
            ("GET / HTTP/1.1", "Far.example:8443", "far.example"),
            ("GET https://far.example:8443/ HTTP/1.1", "far.example:8443", "far.example"),
            ("GET / HTTP/1.1", "far.example", nil), ("GET / HTTP/1.1", "far.example:443", nil),
            ("GET http://far.example:8443/ HTTP/1.1", "far.example:8443", nil),
        ] as [(String, String, String?)] {
            let named = try origin.named(in: Self.head(line, host: host))
            #expect(named == name.map { Self.origin($0) }, "\(line) \(host)")
            #expect(named?.acceptsNames != true)
        }
        #expect(try origin.named(in: Self.head("GET / HTTP/1.1", host: "192.0.2.1:8443")) == origin)
        #expect(try origin.named(in: Self.head("GET / HTTP/1.0", host: nil)) == origin)
    }

    @Test("an origin is written as the beginning of its URIs")
    func text() {
        let origin = Self.origin()
        #expect(String(decoding: origin.prefix, as: UTF8.self) == "https://inner.example:8443")
        #expect(String(decoding: origin.host, as: UTF8.self) == "inner.example" && origin.port == 8443)
        let uri = origin.uri(path: Array("/a?b".utf8))
        #expect(String(decoding: uri.bytes, as: UTF8.self) == "https://inner.example:8443/a?b")
        #expect(String(decoding: Self.origin(port: 443).prefix, as: UTF8.self) == "https://inner.example")
    }

    @Test("a login is proven by the very bytes that proved it first")
    func login() {
        final class Source: Sendable {}
        let login = ConnectionLogin(user: "me", proof: Array("Basic bWU6eA==".utf8), source: Source())
        for (text, isProven) in [
            ("Basic bWU6eA==", true), ("Basic bWU6eQ==", false), ("Basic bWU6eA=", false), ("basic bWU6eA==", false),
            ("", false), ("Basic bWU6eA== ", false),
        ] {
            let bytes = Array(text.utf8)
            let result = login.isProven(by: bytes.span)
            #expect(result == isProven, "\(text)")
        }
    }
}
