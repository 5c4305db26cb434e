import HTTPCore
import Testing

@Suite("Host and target")
struct HostTests {
    @Test("HTTP/1.1 without Host is refused in every form; HTTP/1.0 may (H-055)")
    func missing() {
        for line in [
            "GET / HTTP/1.1", "GET http://a.example/ HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT a:443 HTTP/1.1",
        ] {
            #expect(outcome(line, "X: y") == .failed(.missingHost))
        }
        #expect(requestHead("GET / HTTP/1.0", "X: y")?.parts.host.isEmpty == true)
        #expect(outcome("GET / HTTP/1.1") == .failed(.missingHost))
    }

    @Test("Host twice is refused, equal or not (H-056)", arguments: ["a.example", "b.example"])
    func twice(other: String) {
        #expect(outcome("GET / HTTP/1.1", "Host: a.example", "Host: \(other)") == .failed(.repeatedField(.host)))
    }

    @Test(
        "a Host that is not uri-host and port is refused (H-057)",
        arguments: [
            "u@a.example", "a.example/x", "a.example?x", "a test", "a.example, b.example", "a.example:80:81", "[::1",
            "[::1]x",
            "a.example:99999", "a.example:8x", "a.example:-1", "a.example:65536", "a.example:0", "\u{e9}.test",
            "http://a.example",
            "a\\b.example", "a.example#b", "<a>.test", "a,b", "::1", "[127.0.0.1]", "[::1%25eth0]", "a%41.example",
            ":80",
            "a.example:000080", "[]", "[:]", "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7]", "[::12345]", "[1::2::3]",
            "[::1]80",
            "a\"b", "{a}",
        ]
    )
    func bad(value: String) { #expect(outcome("GET / HTTP/1.1", "Host: \(value)") == .failed(.badHost)) }

    @Test("what Host means does not depend on the Host of the connection's earlier requests")
    func earlierRequests() {
        let long = String(repeating: "a", count: 20) + ".example"
        let hosts = [
            "a.example", "a.example", "b.example", "a.example:80", "a.example:81", "a.example:8x", "a.example:81",
            "1.2.3.4:80",
            "1.2.3.4:8", "1.2.3.4:80", "1.2.3:80", "[::1]:80", "[::1]", "[::1]:80", "[::1", "", "a", "b", "a,b",
            "xn--a.example",
            long, long + ":8", long + ":80", long + ":800", long + ":8000", long + ":81", long + ":8000",
            "b" + long.dropFirst(),
            "a.example",
        ]
        var parser = RequestParser()
        var head = RequestHead()
        for host in hosts {
            for line in ["Host: \(host)", "Host:\(host)", "HOST: \(host)", "Host: \t\(host) ", "Host: \(host)"] {
                let bytes = latin("GET /\(host.count) HTTP/1.1\r\n\(line)\r\n\r\n")
                let expected = parse(bytes)
                let result = parser.parse(bytes.span, into: &head)
                parser.reset()
                #expect(Outcome(result) == expected.0, "\(line)")
                if !expected.0.isFailure { #expect(same(head, expected.1), "\(line)") }
            }
        }
    }

    @Test("an empty Host is refused (H-058)")
    func empty() { #expect(outcome("GET / HTTP/1.1", "Host:") == .failed(.emptyHost)) }

    @Test(
        "a Host of host and port is accepted",
        arguments: [
            ("a.example", "a.example", nil), ("a.example:81", "a.example", 81),
            ("A-b_c.Example.", "A-b_c.Example.", nil),
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:80", "[::1]", 80), ("[fe80::1:2]", "[fe80::1:2]", nil),
            ("a.example:", "a.example", nil), ("[::ffff:1.2.3.4]", "[::ffff:1.2.3.4]", nil), ("x:65535", "x", 65535),
            ("1.2.3.example", "1.2.3.example", nil), ("[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7:8]", nil),
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
        #expect(outcome("GET http://\(host)/ HTTP/1.1", "Host: a.example") == .failed(.badAuthority))
    }

    @Test(
        "the authority of a target is host and port (H-061)",
        arguments: [
            "http://u:p@a.example/", "http:///x", "http:/a.example/x", "http:a.example", "http://a.example:99999/",
            "http://a.example:0/", "http://a.example:80x/", "http://a.example:-80/", "http://a.example:+80/",
            "http://[::1/",
            "http://[127.0.0.1]:80/", "http://a.example\\@evil.example/", "http://a.example%40evil.example/",
            "http://a%2fx/",
            "http://127.0.0%2e1/", "http://127.0.0.1%00:80/", "http://a.example:80:81/", "http://a^x/", "http://{a}/",
            "http://a|b/", "http://?x", "https://", "http://a,b/",
        ]
    )
    func badAuthority(target: String) {
        #expect(outcome("GET \(target) HTTP/1.1", "Host: a.example") == .failed(.badAuthority))
    }

    @Test(
        "an absolute-form target names the resource whatever Host says (H-059, H-062)",
        arguments: [
            ("http://a.example/x", "http://a.example/x"), ("HTTP://EXAMPLE:80/a", "http://example/a"),
            ("http://example/a", "http://example/a"), ("https://A.example:443", "https://a.example/"),
            ("https://a.example:80/", "https://a.example:80/"), ("http://a.example?q", "http://a.example/?q"),
            ("http://a.example./", "http://a.example./"), ("http://[::1]:8080/x?y", "http://[::1]:8080/x?y"),
            ("http://a.example:/", "http://a.example/"), ("http://a.example/A%2f/../b", "http://a.example/A%2f/../b"),
        ]
    )
    func absolute(target: String, canonical: String) throws {
        let head = try #require(requestHead("GET \(target) HTTP/1.1", "Host: other.example:99"))
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
        #expect(status("http://a.example/", "b.example") == 400)
        #expect(status("http://a.example:81/", "a.example") == 400)
        #expect(status("http://a.example:80/", "A.example") == nil)
        #expect(status("https://a.example/", "a.example:443") == nil)
        #expect(status("/", "b.example") == nil)
    }

    @Test("the key of origin-form is made of Host and path, or of a fixed origin and path (H-064)")
    func originForm() throws {
        let head = try #require(requestHead("GET /a?b HTTP/1.1", "Host: One.example:81"))
        var key: [UInt8] = []
        head.appendCanonicalTarget(of: head.parts, to: &key)
        #expect(text(key) == "http://one.example:81/a?b")
        key = []
        head.appendCanonicalTarget(at: try TargetURI(parsing: "https://origin.example/x"), to: &key)
        #expect(text(key) == "https://origin.example/a?b")
    }

    @Test(
        "the prefix gateway reads /scheme://authority/path like an absolute-form target (H-065)",
        arguments: [
            ("/http://a.example/x?y", "http://a.example/x?y"), ("/https://A.example:443", "https://a.example/"),
            ("/HTTP://a.example//b", "http://a.example//b"),
            ("/https://a.example/b/http://c.example/", "https://a.example/b/http://c.example/"),
            ("/http://[::1]:81/", "http://[::1]:81/"), ("/http://a.example?x", "http://a.example/?x"),
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
            "/http:/a.example", "/http:///x", "/http:a.example", "/http%3a//a.example/", "/https%3A%2F%2Fa.example/",
            "/http://u@a.example/", "/http://a.example/http://b.example/", "/https://a.example/HTTPS://b.example",
            "/http://a.example:0/",
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
            ("/http:/a.example", "/http://a.example"),
            ("/https:/a.example:81/x//y?q=https:/z", "/https://a.example:81/x//y?q=https:/z"),
            ("/HTTPS%3A//a.example%3a81/%3A", "/https://a.example:81/%3A"),
            ("/http%3a/a.example/b", "/http://a.example/b"),
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
            "/http:///x", "/http:a.example", "/https%3A%2F%2Fa.example/", "/http%3a", "/http:/", "/http:/u@a.example/",
            "/http:/a.example:0/",
            "/http:/u%40a.example/", "/http:/a%2eb/", "/http:/a.example/http:/b.example/",
            "/http://a.example/http://b.example/",
            "/http:/a.example/https%3a//b.example", "/httpx:/a.example", "/", "/x",
        ]
    )
    func notRespelt(target: String) throws {
        let head = try #require(requestHead("GET \(target) HTTP/1.1", "Host: localhost"))
        #expect(head.respeltPrefix() == nil)
    }

    @Test(
        "another path is no prefix",
        arguments: ["/", "/x", "/http", "/httpx://a", "//http://a.example/", "/ftp://a.example/"]
    )
    func noPrefix(target: String) throws {
        let head = try #require(requestHead("GET \(target) HTTP/1.1", "Host: localhost"))
        #expect(head.prefixTarget() == PrefixTarget.none)
    }

    @Test(
        "CONNECT names host and port, and Host agrees (H-066, H-079)",
        arguments: [
            ("a.example:443", "a.example:443", nil), ("A.example:443", "a.EXAMPLE:443", nil),
            ("a.example:443", "a.example", nil),
            ("a.example:443", "b.example:443", 400), ("a.example:443", "a.example:444", 400),
            ("a.example:8443", "a.example", 400),
            ("a.example", "a.example", 400), ("a.example:", "a.example", 400),
            ("a.example:66000", "a.example:443", 400),
            (":443", "a.example", 400), ("u@a.example:443", "a.example:443", 400), ("a.example:0", "a.example:0", 400),
            ("a.example:https", "a.example", 400), ("[::1]:443", "[::1]:443", nil),
            ("a.example:443/", "a.example:443", 400),
        ] as [(String, String, UInt16?)]
    )
    func connect(target: String, host: String, status: UInt16?) {
        #expect(outcome("CONNECT \(target) HTTP/1.1", "Host: \(host)")?.status == status)
    }
}
