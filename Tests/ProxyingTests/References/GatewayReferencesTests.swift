import HTTPCore
import Testing
import TestSupport

@testable import Proxying

/// References in responses of a reverse proxy, whose origin is asked by its own name and not by the client's.
@Suite struct GatewayReferencesTests {
    private static func rewritten(_ field: KnownField, _ value: String, base: String) throws -> String? {
        let base = GatewayBase(try TargetURI(parsing: base))
        let request = try head("GET /dir/page?query HTTP/1.1", "Host: Site.example:8080")
        var fields = Fields()
        fields.append(field, value)
        GatewayReferences.rewrite(
            &fields,
            of: base.target(of: request),
            below: base,
            for: GatewayClient(before: request, isSecure: true)
        )
        return fields.text(of: field)
    }

    @Test(
        "what names the origin becomes a path; what is relative or leads elsewhere stays byte for byte",
        arguments: [
            ("http://127.0.0.1:8000/login?a=b#c", "/login?a=b#c"), ("HTTP://127.0.0.1:8000", "/"),
            ("//127.0.0.1:8000/a", "/a"), ("http://127.0.0.1:8000//a", "/.//a"), ("/a/../b#c", "/a/../b#c"), ("a", "a"),
            ("?a", "?a"), ("", ""), ("#a", "#a"), ("http://127.0.0.1:8001/a", "http://127.0.0.1:8001/a"),
            ("https://127.0.0.1:8000/a", "https://127.0.0.1:8000/a"),
            ("http://other.example/", "http://other.example/"),
            ("mailto:a@b.example", "mailto:a@b.example"),
        ]
    )
    func references(value: String, expected: String) throws {
        for field in [KnownField.location, .contentLocation] {
            #expect(try Self.rewritten(field, value, base: "http://127.0.0.1:8000") == expected)
        }
    }

    @Test(
        "a base with a path is taken off, and what leads out of it is told in full",
        arguments: [
            ("http://a.example/app/login", "/login"), ("/app/login", "/login"), ("next", "/dir/next"),
            ("/other#b", "http://a.example/other#b"), ("http://a.example/apply", "http://a.example/apply"),
        ]
    )
    func base(value: String, expected: String) throws {
        #expect(try Self.rewritten(.location, value, base: "http://a.example/app") == expected)
    }

    @Test("a token service of the origin is named as the client names us; Alt-Svc goes")
    func otherFields() throws {
        let challenge = #"Bearer realm="http://127.0.0.1:8000/token?x",service="r""#
        let expected = #"Bearer realm="https://site.example:8080/token?x",service="r""#
        #expect(try Self.rewritten(.wwwAuthenticate, challenge, base: "http://127.0.0.1:8000") == expected)
        #expect(try Self.rewritten(.wwwAuthenticate, challenge, base: "http://127.0.0.1:8001") == challenge)
        #expect(try Self.rewritten(.altSvc, "h3=\":443\"", base: "http://127.0.0.1:8000") == nil)
    }

    @Test("a redirect of the origin to itself stays with the reverse proxy, loaded, stored and passed")
    func redirect() throws {
        let origin = TestOrigin.answering { exchange in
            let place = "Location: http://\(exchange["Host"].first ?? "")/login"
            return response("301 Moved Permanently", "Cache-Control: max-age=600", place, content: "x")
        }
        let base = GatewayBase(try TargetURI(parsing: origin.url("/")))
        let proxy = try TestProxy {
            $0.options.gateway = base
            $0.options.answersToEveryName = true
        }
        for _ in 0..<3 { #expect(proxy.ask("/a", "Host: site.example")?["Location"] == ["/login"]) }
        #expect(proxy.ask("/a", "Host: site.example", "Cache-Control: max-age=500")?["Location"] == ["/login"])
        let posted = proxy.reader().ask("POST /b HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0\r\n\r\n")
        #expect(posted?["Location"] == ["/login"])
        #expect(origin.requests.map(\.target) == ["/a", "/b"])
    }
}
