import HTTPCore
import Testing

@testable import Proxying

/// References in responses of the prefix gateway.
@Suite struct PrefixReferencesTests {
    private static func rewritten(_ field: KnownField, _ value: String) throws -> String? {
        var fields = Fields()
        fields.append(field, value)
        PrefixReferences.rewrite(&fields, of: try TargetURI(parsing: "http://org.example/dir/page?query"))
        return fields.text(of: field)
    }

    @Test(
        "Location and Content-Location lead to the prefix form",
        arguments: [
            ("http://other.example/a?b", "/http://other.example/a?b"),
            ("HTTPS://Other.example:443", "/https://other.example/"),
            ("//other.example:81/a", "/http://other.example:81/a"),
            ("/a", "/http://org.example/a"),
            ("a/b", "/http://org.example/dir/a/b"),
            ("../up", "/http://org.example/up"),
            ("?other", "/http://org.example/dir/page?other"),
            ("", "/http://org.example/dir/page?query"),
            ("http://other.example/a#part", "/http://other.example/a#part"),
            ("#part", "/http://org.example/dir/page?query#part"),
            ("next#a#b", "/http://org.example/dir/next#a#b"),
        ]
    )
    func rewritten(value: String, expected: String) throws {
        #expect(try Self.rewritten(.location, value) == expected)
        #expect(try Self.rewritten(.contentLocation, value) == expected)
    }

    @Test(
        "what is no http or https reference stays as it is",
        arguments: [
            "mailto:a@example.example", "ftp://org.example/", "http://user@example.example/", "http://", "/a b",
        ]
    )
    func untouched(value: String) throws {
        #expect(try Self.rewritten(.location, value) == value)
    }

    @Test("Alt-Svc goes: it would lead clients around us; the rest stays in order")
    func otherFields() throws {
        var fields = Fields()
        fields.append(name: "X-First", value: "1")
        fields.append(.altSvc, "h3=\":443\"")
        fields.append(.location, "/a")
        fields.append(name: "X-Last", value: "http://org.example/untouched")
        PrefixReferences.rewrite(&fields, of: try TargetURI(parsing: "https://org.example/"))
        #expect(!fields.contains(.altSvc))
        #expect(fields.text(of: .location) == "/https://org.example/a")
        let names = fields.lines.map { line in
            fields.withName(line) { String(decoding: [UInt8](copying: $0), as: UTF8.self) }
        }
        #expect(names == ["X-First", "X-Last", "Location"])
        #expect(
            fields.withValue(fields.lines[1]) { [UInt8](copying: $0) } == Array("http://org.example/untouched".utf8)
        )
    }

    @Test("every line of a repeated field is rewritten")
    func repeated() throws {
        var fields = Fields()
        fields.append(.location, "/a")
        fields.append(.location, "/b")
        PrefixReferences.rewrite(&fields, of: try TargetURI(parsing: "http://org.example/"))
        let values = fields.values(of: .location).map { String(decoding: $0, as: UTF8.self) }
        #expect(values == ["/http://org.example/a", "/http://org.example/b"])
    }

    // MARK: Clients

    private static func rewritten(
        _ field: KnownField,
        _ value: String,
        host: String,
        _ more: String...
    ) throws -> String? {
        var fields = Fields()
        fields.append(field, value)
        let client = GatewayClient(try head("GET /https://a.example/x HTTP/1.1", ["Host: \(host)"] + more))
        PrefixReferences.rewrite(&fields, of: try TargetURI(parsing: "https://a.example/x"), for: client)
        return fields.text(of: field)
    }

    @Test(
        "a redirect to another origin shows a client with Authorization another host, so that it keeps that to itself",
        arguments: [
            ("127.0.0.1:3128", "http://localhost:3128/https://b.example/y"),
            ("[::1]", "http://localhost/https://b.example/y"),
            ("LocalHost:3128", "http://127.0.0.1:3128/https://b.example/y"),
            ("proxy.example:3128", "https://b.example/y"),
        ]
    )
    func credentials(host: String, expected: String) throws {
        let secret = "Authorization: Bearer x"
        #expect(try Self.rewritten(.location, "https://b.example/y", host: host, secret) == expected)
        #expect(try Self.rewritten(.location, "https://b.example/y", host: host) == "/https://b.example/y")
        #expect(try Self.rewritten(.location, "https://a.example:443/y", host: host, secret) == "/https://a.example/y")
        #expect(try Self.rewritten(.location, "https://a.example:444/y", host: host, secret)?.first == expected.first)
    }

    @Test(
        "the token service of a Bearer challenge is named in the prefix form; what else a challenge says stays",
        arguments: [
            (
                #"Bearer realm="https://t.example/token?x",service="r""#,
                #"Bearer realm="http://localhost:3128/https://t.example/token?x",service="r""#
            ),
            (
                #"Basic realm="a", BEARER service="r", Realm="http://t.example:81/""#,
                #"Basic realm="a", BEARER service="r", Realm="http://localhost:3128/http://t.example:81/""#
            ),
            (#"Basic realm="https://t.example/""#, #"Basic realm="https://t.example/""#),
            (#"Bearer realm="example""#, #"Bearer realm="example""#),
            (#"Bearer realm="/token""#, #"Bearer realm="/token""#),
            (#"Bearer realm="https://u@t.example/""#, #"Bearer realm="https://u@t.example/""#),
            (#"Bearer realm="https://t.example/"#, #"Bearer realm="https://t.example/"#),
            (#"Bearer xrealm="https://t.example/""#, #"Bearer xrealm="https://t.example/""#), ("Bearer", "Bearer"),
            ("", ""),
        ]
    )
    func challenge(value: String, expected: String) throws {
        #expect(try Self.rewritten(.wwwAuthenticate, value, host: "localhost:3128") == expected)
        var fields = Fields()
        fields.append(.wwwAuthenticate, value)
        PrefixReferences.rewrite(&fields, of: try TargetURI(parsing: "https://a.example/"))
        #expect(fields.text(of: .wwwAuthenticate) == value)
    }
}
