import HTTPCore
import Testing

@testable import Proxying

/// The origin of a reverse proxy, and what names it.
@Suite struct GatewayBaseTests {
    private static func base(_ text: String) throws -> GatewayBase { GatewayBase(try TargetURI(parsing: text)) }

    @Test(
        "a request names the origin by its host in any case and its port, if that is not the usual one",
        arguments: [
            ("a.example", true), ("A.Example", true), ("a.example:80", true), ("a.example:81", false),
            ("b.example", false), ("a.exampl", false), ("a.examplf", false), ("x.a.example", false),
            ("aa.example", false),
        ]
    )
    func named(host: String, isNamed: Bool) throws {
        let request = try head("GET / HTTP/1.1", "Host: \(host)")
        #expect(try Self.base("http://a.example/x").isNamed(in: request) == isNamed)
        let secure = try Self.base("https://a.example:81/")
        #expect(secure.isNamed(in: request) == (host == "a.example:81"))
    }

    @Test("another authority is told as it was sent, in small letters; the origin's own is none")
    func foreign() throws {
        let base = try Self.base("http://a.example/")
        func foreign(_ fields: String...) throws -> String? {
            try base.foreignAuthority(of: head("GET / HTTP/1.\(fields.isEmpty ? 0 : 1)", fields))
                .map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(try foreign("Host: B.example") == "b.example" && foreign("Host: b.example:8080") == "b.example:8080")
        #expect(try foreign("Host: a.example:81") == "a.example:81")
        #expect(try foreign("Host: a.example") == nil && foreign("Host: A.example:80") == nil && foreign() == nil)
    }

    @Test("an absolute target is the origin's if scheme, host and port are")
    func targets() throws {
        let base = try Self.base("http://a.example:8080/")
        for (target, isTarget) in [
            ("http://a.example:8080/x", true), ("https://a.example:8080/x", false), ("http://a.example/x", false),
            ("http://b.example:8080/x", false),
        ] {
            #expect(try base.isTarget(of: head("GET \(target) HTTP/1.1", "Host: a")) == isTarget, "\(target)")
        }
    }

    @Test("what stands below the base is what follows its path, from the slash on")
    func rest() throws {
        let base = try Self.base("http://a.example/app")
        func rest(_ text: String) throws -> String? {
            base.rest(of: try TargetURI(parsing: text)).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(base.base.text == "http://a.example/app/")
        #expect(try rest("http://a.example/app/x?y") == "/x?y" && rest("http://a.example/app/") == "/")
        #expect(try rest("http://a.example/app") == nil && rest("http://a.example/apply") == nil)
        #expect(try rest("http://b.example/app/x") == nil && rest("https://a.example/app/x") == nil)
        let (whole, slashed) = (try Self.base("http://a.example"), try Self.base("http://a.example/"))
        #expect(whole.rest(of: try TargetURI(parsing: "http://a.example/x")).map { Array($0) } == Array("/x".utf8))
        #expect(whole == slashed)
    }

    @Test(
        "Host and target name one authority if host and port are the same",
        arguments: [
            ("http://a.example/", "a.example", false), ("http://a.example/", "A.EXAMPLE:80", false),
            ("http://a.example:80/", "a.example", false), ("http://a.example/", "a.example:81", true),
            ("http://a.example:81/", "a.example:81", false), ("http://a.example:81/", "a.example", true),
            ("https://a.example/", "a.example:443", false), ("https://a.example/", "a.example:80", true),
            ("http://a.example/", "b.example", true), ("http://a.example/", "a.exampld", true),
            ("http://a.example/", "a.exampl", true), ("http://a.example/", "aa.example", true),
            ("/x", "b.example", false),
        ]
    )
    func otherHost(target: String, host: String, differs: Bool) throws {
        #expect(try head("GET \(target) HTTP/1.1", "Host: \(host)").hasOtherHostThanTarget == differs)
    }
}
