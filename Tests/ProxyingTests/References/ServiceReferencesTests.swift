import HTTPCore
import Testing

@testable import Proxying

/// References in responses of services.
@Suite struct ServiceReferencesTests {
    /// What becomes of `Location` in an answer of `http://host.example/v1/dir/page`.
    private static func rewritten(
        _ value: String,
        base: String = "http://host.example/v1",
        mount: String,
        elsewhere: ServiceReferences.Elsewhere = .absolute
    ) throws -> String? {
        var fields = Fields()
        fields.append(.location, value)
        ServiceReferences.rewrite(
            &fields,
            of: try TargetURI(parsing: "http://host.example/v1/dir/page"),
            service: NamedService(ServiceRoute(name: "api", base: try TargetURI(parsing: base))),
            mount: Array(mount.utf8),
            elsewhere: elsewhere
        )
        return fields.text(of: .location)
    }

    @Test(
        "a reference that leads out of the base is given in full: as a path it would be another service's here",
        arguments: [
            ("/github/user", "http://host.example/github/user"),
            ("../../github/user#a", "http://host.example/github/user#a"),
            ("//other.example/x", "http://other.example/x"),
            ("HTTP://other.example", "http://other.example/"),
        ]
    )
    func outOfBase(value: String, expected: String) throws {
        #expect(try Self.rewritten(value, mount: "/api") == expected)
        #expect(try Self.rewritten(value, mount: "") == expected)
        #expect(try Self.rewritten(value, mount: "", elsewhere: .prefixed([0x2F])) == "/" + expected)
    }

    @Test("dots that only a client decodes lead nowhere else either")
    func encodedDots() throws {
        #expect(try Self.rewritten("/v1/a/%2e%2e/b", mount: "/api") == "/api/b")
        #expect(try Self.rewritten("/v1/%2e%2e/github/user", mount: "/api") == "/api/github/user")
        #expect(
            try Self.rewritten("/v1/..%2f..%2fgithub", mount: "/api") == "http://host.example/v1/..%2f..%2fgithub"
        )
    }

    @Test(
        "a backslash is a slash, as browsers read it",
        arguments: [
            ("/\\evil.example/x", "http://evil.example/x"), ("\\\\evil.example", "http://evil.example/"),
            ("\\/evil.example", "http://evil.example/"), ("http:\\\\evil.example/", "http://evil.example/"),
            ("/v1\\..\\github", "http://host.example/github"), ("/a?\\b", "http://host.example/a?\\b"),
            ("/a#\\b", "http://host.example/a#\\b"),
        ]
    )
    func backslash(value: String, expected: String) throws {
        #expect(try Self.rewritten(value, mount: "/api") == expected)
        #expect(try Self.rewritten(value, mount: "") == expected)
    }

    @Test("on a host of its own a path with two slashes at its start is still a path")
    func slashes() throws {
        #expect(try Self.rewritten("/v1/\\evil.example", mount: "") == "/.//evil.example")
        #expect(try Self.rewritten("/v1//evil.example", mount: "") == "/.//evil.example")
    }

    @Test(
        "what is no URI of http goes unless it has a scheme that never leads to us",
        arguments: [
            ("mailto:a@b", "mailto:a@b"), ("app+x://y", "app+x://y"), ("/\t/evil.example", nil), ("http:evil", nil),
            ("ht\ttp://a/", nil), ("/a b", nil), ("http://user@host.example/", nil), ("aZ09+-.:x", "aZ09+-.:x"),
            ("z:x y", "z:x y"), ("A:x y", "A:x y"), ("9a:x y", nil), ("+a:x y", nil), ("a`:x y", nil),
            ("a{:x y", nil), ("a@:x y", nil), ("a/:x y", nil), ("a;:x y", nil), ("a_:x y", nil), (":x y", nil),
            ("HTTPS:x y", nil),
        ] as [(String, String?)]
    )
    func others(value: String, expected: String?) throws {
        #expect(try Self.rewritten(value, mount: "/api") == expected)
    }

    @Test("the token service of a Bearer challenge is named in the prefix form, to clients that may use it")
    func challenge() throws {
        let uri = try TargetURI(parsing: "http://host.example/v1/dir/page")
        let service = NamedService(ServiceRoute(name: "api", base: try TargetURI(parsing: "http://host.example/v1")))
        let client = GatewayClient(try head("GET /api/dir/page HTTP/1.1", "Host: 127.0.0.1:1"))
        let cases: [(ServiceReferences.Elsewhere, String)] = [
            (.absolute, ""), (.prefixed(Array("http://localhost:1/".utf8)), "http://localhost:1/"),
            (.prefixed([0x2F]), "http://127.0.0.1:1/"),
        ]
        for (elsewhere, base) in cases {
            var fields = Fields()
            fields.append(.wwwAuthenticate, "Bearer realm=\"https://t.example/token\"")
            ServiceReferences.rewrite(&fields, of: uri, service: service, mount: [], elsewhere: elsewhere, for: client)
            #expect(fields.text(of: .wwwAuthenticate) == "Bearer realm=\"\(base)https://t.example/token\"")
        }
    }

    @Test("a redirect that leads out of a service's path shows a client with Authorization another host")
    func credentials() throws {
        let uri = try TargetURI(parsing: "http://host.example/v1/dir/page")
        let service = NamedService(ServiceRoute(name: "api", base: try TargetURI(parsing: "http://host.example/v1")))
        let request = try head("GET /api/dir/page HTTP/1.1", "Host: 127.0.0.1:1", "Authorization: Bearer x")
        for (reference, expected) in [
            ("http://b.example/y", "http://localhost:1/http://b.example/y"), ("/other", "/http://host.example/other"),
            ("/v1/x", "/api/x"),
        ] {
            var fields = Fields()
            fields.append(.location, reference)
            ServiceReferences.rewrite(
                &fields,
                of: uri,
                service: service,
                mount: Array("/api".utf8),
                elsewhere: .prefixed([0x2F]),
                for: GatewayClient(request)
            )
            #expect(fields.text(of: .location) == expected)
        }
    }
}
