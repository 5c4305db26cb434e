import HTTPCore
import Testing

@Suite("Host and target")
struct HostTests {
    @Test("HTTP/1.1 without Host is refused in every form; HTTP/1.0 may (H-055)")
    func missing() {
        for line in ["GET / HTTP/1.1", "GET http://a.test/ HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT a:443 HTTP/1.1"] {
            #expect(outcome(line, "X: y") == .failed(.missingHost))
        }
        #expect(requestHead("GET / HTTP/1.0", "X: y")?.parts.host.isEmpty == true)
        #expect(outcome("GET / HTTP/1.1") == .failed(.missingHost))
    }

    @Test("Host twice is refused, equal or not (H-056)", arguments: ["a.test", "b.test"])
    func twice(other: String) {
        #expect(outcome("GET / HTTP/1.1", "Host: a.test", "Host: \(other)") == .failed(.repeatedField(.host)))
    }

    @Test(
        "a Host that is not uri-host and port is refused (H-057)",
        arguments: [
            "u@a.test", "a.test/x", "a.test?x", "a test", "a.test, b.test", "a.test:80:81", "[::1", "[::1]x",
            "a.test:99999", "a.test:8x", "a.test:-1", "a.test:65536", "a.test:0", "\u{e9}.test", "http://a.test",
            "a\\b.test", "a.test#b", "<a>.test", "a,b", "::1", "[127.0.0.1]", "[::1%25eth0]", "a%41.test", ":80",
            "a.test:000080", "[]", "[:]", "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7]", "[::12345]", "[1::2::3]", "[::1]80",
            "a\"b", "{a}",
        ]
    )
    func bad(value: String) { #expect(outcome("GET / HTTP/1.1", "Host: \(value)") == .failed(.badHost)) }

    @Test("an empty Host is refused (H-058)")
    func empty() { #expect(outcome("GET / HTTP/1.1", "Host:") == .failed(.emptyHost)) }

    @Test(
        "a Host of host and port is accepted",
        arguments: [
            ("a.test", "a.test", nil), ("a.test:81", "a.test", 81), ("A-b_c.Test.", "A-b_c.Test.", nil),
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:80", "[::1]", 80), ("[fe80::1:2]", "[fe80::1:2]", nil),
            ("a.test:", "a.test", nil), ("[::ffff:1.2.3.4]", "[::ffff:1.2.3.4]", nil), ("x:65535", "x", 65535),
            ("1.2.3.com", "1.2.3.com", nil), ("[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7:8]", nil),
        ] as [(String, String, UInt16?)]
    )
    func good(value: String, host: String, port: UInt16?) throws {
        let head = try #require(requestHead("GET / HTTP/1.1", "Host: \(value)"))
        #expect(text(head.fields.bytes[head.parts.host]) == host)
        #expect(head.parts.port == port)
    }

    @Test(
        "a host that looks like an odd IPv4 address is refused (H-063)",
        arguments: [
            "0177.0.0.1", "2130706433", "0x7f.1", "127.1", "127.0.0.256", "1.2.3.4.5", "0x7F000001", "127.0.0.1.",
            "a.0x1f", "a.12",
        ]
    )
    func oddAddresses(host: String) {
        #expect(outcome("GET / HTTP/1.1", "Host: \(host)") == .failed(.badHost))
        #expect(outcome("GET http://\(host)/ HTTP/1.1", "Host: a.test") == .failed(.badAuthority))
    }

    @Test(
        "the authority of a target is host and port (H-061)",
        arguments: [
            "http://u:p@a.test/", "http:///x", "http:/a.test/x", "http:a.test", "http://a.test:99999/",
            "http://a.test:0/", "http://a.test:80x/", "http://a.test:-80/", "http://a.test:+80/", "http://[::1/",
            "http://[127.0.0.1]:80/", "http://a.test\\@evil.test/", "http://a.test%40evil.test/", "http://a%2fx/",
            "http://127.0.0%2e1/", "http://127.0.0.1%00:80/", "http://a.test:80:81/", "http://a^x/", "http://{a}/",
            "http://a|b/", "http://?x", "https://", "http://a,b/",
        ]
    )
    func badAuthority(target: String) {
        #expect(outcome("GET \(target) HTTP/1.1", "Host: a.test") == .failed(.badAuthority))
    }

    @Test(
        "an absolute-form target names the resource whatever Host says (H-059, H-062)",
        arguments: [
            ("http://a.test/x", "http://a.test/x"), ("HTTP://EXAMPLE:80/a", "http://example/a"),
            ("http://example/a", "http://example/a"), ("https://A.test:443", "https://a.test/"),
            ("https://a.test:80/", "https://a.test:80/"), ("http://a.test?q", "http://a.test/?q"),
            ("http://a.test./", "http://a.test./"), ("http://[::1]:8080/x?y", "http://[::1]:8080/x?y"),
            ("http://a.test:/", "http://a.test/"), ("http://a.test/A%2f/../b", "http://a.test/A%2f/../b"),
        ]
    )
    func absolute(target: String, canonical: String) throws {
        let head = try #require(requestHead("GET \(target) HTTP/1.1", "Host: other.test:99"))
        #expect(head.targetURI.text == canonical)
        var key: [UInt8] = []
        head.appendCanonicalTarget(of: head.parts, to: &key)
        #expect(text(key) == canonical)
        let uri = try TargetURI(parsing: target)
        #expect(uri.text == canonical)
        #expect(uri.scheme.text + "://" + text(uri.authority + uri.path) == canonical)
        #expect(text(uri.authority).hasPrefix(text(uri.host)) && uri.bytes[uri.pathRange].first == 0x2F)
    }

    @Test("a target URI takes 16 bytes")
    func size() { #expect(MemoryLayout<TargetURI>.stride == 16) }

    @Test("in gateway mode a Host that differs from the target is refused (H-060)")
    func gateway() {
        var rules = RequestParser.Rules()
        rules.hostMustMatchTarget = true
        func status(_ target: String, _ host: String) -> UInt16? {
            parse(latin("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n"), rules: rules).0.status
        }
        #expect(status("http://a.test/", "b.test") == 400)
        #expect(status("http://a.test:81/", "a.test") == 400)
        #expect(status("http://a.test:80/", "A.test") == nil)
        #expect(status("https://a.test/", "a.test:443") == nil)
        #expect(status("/", "b.test") == nil)
    }

    @Test("the key of origin-form is made of Host and path, or of a fixed origin and path (H-064)")
    func originForm() throws {
        let head = try #require(requestHead("GET /a?b HTTP/1.1", "Host: One.test:81"))
        var key: [UInt8] = []
        head.appendCanonicalTarget(of: head.parts, to: &key)
        #expect(text(key) == "http://one.test:81/a?b")
        key = []
        head.appendCanonicalTarget(at: try TargetURI(parsing: "https://origin.test/x"), to: &key)
        #expect(text(key) == "https://origin.test/a?b")
    }

    @Test(
        "the prefix gateway reads /scheme://authority/path like an absolute-form target (H-065)",
        arguments: [
            ("/http://a.test/x?y", "http://a.test/x?y"), ("/https://A.test:443", "https://a.test/"),
            ("/HTTP://a.test//b", "http://a.test//b"), ("/https://a.test/b/http://c/", "https://a.test/b/http://c/"),
            ("/http://[::1]:81/", "http://[::1]:81/"), ("/http://a.test?x", "http://a.test/?x"),
        ]
    )
    func prefix(target: String, canonical: String) throws {
        let head = try #require(requestHead("GET \(target) HTTP/1.1", "Host: localhost:3128"))
        guard case .parts(let parts) = head.prefixTarget() else {
            Issue.record("no prefix")
            return
        }
        #expect(head.targetURI(of: parts).text == canonical)
        var key: [UInt8] = []
        head.appendCanonicalTarget(of: parts, to: &key)
        #expect(text(key) == canonical)
    }

    @Test(
        "a malformed, nested or escaped prefix is refused (H-065)",
        arguments: [
            "/http:/a.test", "/http:///x", "/http:a.test", "/http%3a//a.test/", "/https%3A%2F%2Fa.test/",
            "/http://u@a.test/", "/http://a.test/http://b.test/", "/https://a.test/HTTPS://b.test", "/http://a.test:0/",
            "/http://", "/http:", "/http://a%2eb/",
        ]
    )
    func badPrefix(target: String) throws {
        let head = try #require(requestHead("GET \(target) HTTP/1.1", "Host: localhost"))
        #expect(head.prefixTarget() == .invalid(ParseError(.badPrefix)))
    }

    @Test(
        "a prefix as clients misspell it has a right spelling, which differs in nothing else",
        arguments: [
            ("/http:/a.test", "/http://a.test"),
            ("/https:/a.test:81/x//y?q=https:/z", "/https://a.test:81/x//y?q=https:/z"),
            ("/HTTPS%3A//a.test%3a81/%3A", "/https://a.test:81/%3A"), ("/http%3a/a.test/b", "/http://a.test/b"),
            ("/https:/[::1]:81/", "/https://[::1]:81/"),
        ]
    )
    func respelt(target: String, expected: String) throws {
        let head = try #require(requestHead("GET \(target) HTTP/1.1", "Host: localhost"))
        #expect(head.prefixTarget() == .invalid(ParseError(.badPrefix)))
        #expect(head.respeltPrefix().map(text) == expected)
    }

    @Test(
        "what is wrong in a prefix besides has no right spelling (H-065)",
        arguments: [
            "/http:///x", "/http:a.test", "/https%3A%2F%2Fa.test/", "/http%3a", "/http:/", "/http:/u@a.test/",
            "/http:/a.test:0/",
            "/http:/u%40a.test/", "/http:/a%2eb/", "/http:/a.test/http:/b.test/", "/http://a.test/http://b.test/",
            "/http:/a.test/https%3a//b.test", "/httpx:/a.test", "/", "/x",
        ]
    )
    func notRespelt(target: String) throws {
        let head = try #require(requestHead("GET \(target) HTTP/1.1", "Host: localhost"))
        #expect(head.respeltPrefix() == nil)
    }

    @Test("another path is no prefix", arguments: ["/", "/x", "/http", "/httpx://a", "//http://a.test/", "/ftp://a/"])
    func noPrefix(target: String) throws {
        let head = try #require(requestHead("GET \(target) HTTP/1.1", "Host: localhost"))
        #expect(head.prefixTarget() == PrefixTarget.none)
    }

    @Test(
        "CONNECT names host and port, and Host agrees (H-066, H-079)",
        arguments: [
            ("a.test:443", "a.test:443", nil), ("A.test:443", "a.TEST:443", nil), ("a.test:443", "a.test", nil),
            ("a.test:443", "b.test:443", 400), ("a.test:443", "a.test:444", 400), ("a.test:8443", "a.test", 400),
            ("a.test", "a.test", 400), ("a.test:", "a.test", 400), ("a.test:66000", "a.test:443", 400),
            (":443", "a.test", 400), ("u@a.test:443", "a.test:443", 400), ("a.test:0", "a.test:0", 400),
            ("a.test:https", "a.test", 400), ("[::1]:443", "[::1]:443", nil), ("a.test:443/", "a.test:443", 400),
        ] as [(String, String, UInt16?)]
    )
    func connect(target: String, host: String, status: UInt16?) {
        #expect(outcome("CONNECT \(target) HTTP/1.1", "Host: \(host)")?.status == status)
    }
}
