import HTTPCore
import Testing

@testable import Proxying

/// Cookies of one origin behind an authority that all origins share (RFC 6265).
@Suite struct CookieScopeTests {
    private static let mark = "respite-https-443-9-a.example-"

    private static func scope(
        _ uri: String = "https://a.example/dir/page?q=/x",
        base: String? = nil,
        marksAll: Bool = false,
        isSecure: Bool = false
    ) throws -> CookieScope {
        let service = try base.map { NamedService(ServiceRoute(name: "api", base: try TargetURI(parsing: $0))) }
        return CookieScope(of: try TargetURI(parsing: uri), service: service, marksAll: marksAll, isSecure: isSecure)
    }

    private static func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    /// The Cookie that reaches the origin.
    private static func own(_ scope: CookieScope, _ values: String...) -> [String] {
        var fields = Fields()
        for value in values { fields.append(.cookie, value) }
        scope.takeOwn(from: &fields)
        return fields.values(of: .cookie).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "Path is the origin's own on our side, Domain goes, and so does what is no good without Secure on a plain connection",
        arguments: [
            ("a=b", "a=b; Path=/https://a.example/dir"),
            ("a=b; Path=/", "a=b; Path=/https://a.example/"),
            ("a=b; path = /x/y ;HttpOnly", "a=b; Path=/https://a.example/x/y; HttpOnly"),
            ("a=b; Path=x", "a=b; Path=/https://a.example/dir"),
            ("a=b; Path=/one; Path=/two", "a=b; Path=/https://a.example/two"),
            ("a=b; Domain=.example; Path=/", "a=b; Path=/https://a.example/"),
            ("a=b; Secure; SameSite=None; Partitioned; Path=/", "a=b; Path=/https://a.example/"),
            ("a=b; SameSite=Strict; Path=/", "a=b; Path=/https://a.example/; SameSite=Strict"),
            (
                "a=\"b=c\"; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Max-Age=5; Priority=High; Path=/",
                "a=\"b=c\"; Path=/https://a.example/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Max-Age=5; Priority=High"
            ),
            ("  a = b ;;", "a=b; Path=/https://a.example/dir"), ("a=; Path=/", "a=; Path=/https://a.example/"),
            ("b", nil), ("=b", nil), ("; Path=/", nil), ("", nil),
        ] as [(String, String?)]
    )
    func attributes(value: String, expected: String?) throws {
        #expect(Self.text(try Self.scope().scoped(Array(value.utf8))) == expected)
    }

    @Test("over TLS Secure stays, and what goes with it")
    func overTLS() throws {
        let value = "a=b; Path=/; Secure; SameSite=None; Partitioned"
        let scoped = try Self.scope(isSecure: true).scoped(Array(value.utf8))
        #expect(Self.text(scoped) == "a=b; Path=/https://a.example/; Secure; SameSite=None; Partitioned")
    }

    @Test(
        "names that ask for another path or for Secure, and those that look like a mark of ours, get one",
        arguments: ["__Host-a", "__host-a", "__Secure-a", "__Http-a", "__Host-Http-a", "respite-http-80-1-b-a"]
    )
    func prefixes(name: String) throws {
        for isSecure in [true, false] {
            let scope = try Self.scope(isSecure: isSecure)
            #expect(
                Self.text(scope.scoped(Array("\(name)=1; Path=/".utf8)))
                    == "\(Self.mark)\(name)=1; Path=/https://a.example/"
            )
            #expect(Self.own(scope, "\(Self.mark)\(name)=1") == ["\(name)=1"])
        }
    }

    @Test(
        "of a service, Path is what the client calls it; a cookie for elsewhere is not for the client",
        arguments: [
            ("/", "/api/"), ("/v", nil), ("/v1", "/api/"), ("/v1/", "/api/"), ("/v1/x", "/api/x"), ("/v1x", nil),
            ("/other", nil), ("", "/api/dir"),
        ] as [(String, String?)]
    )
    func service(path: String, expected: String?) throws {
        let scope = try Self.scope("https://a.example/v1/dir/page", base: "https://a.example/v1/")
        let scoped = Self.text(scope.scoped(Array("a=b; Path=\(path)".utf8)))
        #expect(scoped == expected.map { "a=b; Path=\($0)" })
    }

    @Test("what may be a browser gets marked names, and only these go upstream, under their own")
    func browser() throws {
        let scope = try Self.scope(marksAll: true)
        #expect(Self.text(scope.scoped(Array("a=b; Path=/".utf8))) == "\(Self.mark)a=b; Path=/https://a.example/")
        #expect(Self.own(scope, "planted=1; \(Self.mark)a=b", "\(Self.mark)c=d; other=2") == ["a=b; c=d"])
        #expect(Self.own(scope, "planted=1") == [])
        // With a value that holds what is no end of it.
        #expect(Self.own(scope, "\(Self.mark)a=b=c, d") == ["a=b=c, d"])
    }

    @Test("a tool's own Cookie passes as it is; what has another origin's mark goes to nobody else")
    func tool() throws {
        let scope = try Self.scope()
        #expect(Self.own(scope, "a=b;c=d") == ["a=b;c=d"])
        #expect(Self.own(scope, "a=b", "c=d") == ["a=b", "c=d"])
        #expect(Self.own(scope, "a=b; respite-https-443-9-b.example-sid=1") == ["a=b"])
        #expect(Self.own(scope, "a=b; \(Self.mark)__Host-c=d") == ["a=b; __Host-c=d"])
    }

    @Test(
        "no origin can give a cookie that has another's mark",
        arguments: [
            "http://a.example/", "https://a.example:8443/", "https://b.example/", "https://a.example-x/",
            "https://a.example-sid/", "https://[::1]/", "https://9-a.example/",
        ]
    )
    func marks(uri: String) throws {
        let victim = try Self.scope(marksAll: true)
        for marksAll in [true, false] {
            let attacker = try Self.scope(uri, marksAll: marksAll)
            for name in ["sid", "\(Self.mark)sid", "443-9-a.example-sid"] {
                let given = try #require(Self.text(attacker.scoped(Array("\(name)=evil; Path=/".utf8))))
                let pair = String(given.prefix { $0 != ";" })
                #expect(Self.own(victim, pair) == [], "\(pair)")
            }
        }
    }
}
