import HTTPCore
import Testing

/// Which URIs a URL pattern means.
@Suite("URL patterns")
struct URLGlobTests {
    private func matches(_ pattern: String, _ uri: String, base: String? = nil) throws -> Bool {
        let base = try base.map { try TargetURI(parsing: $0) }
        return try URLGlob(pattern).relative(to: base).matches(TargetURI(parsing: uri))
    }

    @Test(
        "`*` stays within a segment, `**` does not; `**/` also stands for nothing (S-057, S-058)",
        arguments: [
            ("http://h.example/a/*", "http://h.example/a/b", true),
            ("http://h.example/a/*", "http://h.example/a/", true),
            ("http://h.example/a/*", "http://h.example/a/b/c", false),
            ("http://h.example/a/*", "http://h.example/a", false),
            ("http://h.example/a/*/c", "http://h.example/a/b/c", true),
            ("http://h.example/a/*/c", "http://h.example/a/b/b/c", false),
            ("http://h.example/a/**", "http://h.example/a/b/c", true),
            ("http://h.example/a/**", "http://h.example/a/", true),
            ("http://h.example/a/**", "http://h.example/ab", false),
            ("http://h.example/a/**/b", "http://h.example/a/b", true),
            ("http://h.example/a/**/b", "http://h.example/a/x/y/b", true),
            ("http://h.example/a/**/b", "http://h.example/a/xb", false),
            ("http://h.example/a/**/b/**/c", "http://h.example/a/1/b/2/3/c", true),
            ("http://h.example/**.json", "http://h.example/x/y.json", true),
            ("http://h.example/**.json", "http://h.example/x/y.jsonp", false),
            ("http://h.example/a***b", "http://h.example/a/x/b", true),
            ("http://h.example/a*b*c", "http://h.example/abxbc", true),
            ("http://h.example/a*b*c", "http://h.example/ab/c", false),
            ("http://h.example/a", "http://h.example/a", true), ("http://h.example/a", "http://h.example/a/", false),
            ("http://h.example", "http://h.example/", true),
            ("http://h.example/", "http://h.example/a", false), ("http://h.example/a**b", "http://h.example/ab", true),
            ("http://h.example/A", "http://h.example/a", false),
        ] as [(String, String, Bool)]
    )
    func paths(pattern: String, uri: String, expected: Bool) throws {
        #expect(try matches(pattern, uri) == expected, "\(pattern) \(uri)")
    }

    @Test(
        "an origin matches whole where one alternative is for all its paths and queries",
        arguments: [
            ("https://h.example/**", true), ("**", true), ("https://**", true), ("*://*/**", true),
            ("https://{a,h}.example/**", true), ("https://h.example/*", false), ("https://h.example", false),
            ("https://h.example/**?**", false), ("https://h.example/a/**", false), ("**.deb", false),
            ("https://h.example/**.deb", false), ("http://h.example/**", false),
            ("https://{h.example/,x.example/**}", false),
            ("https://h.example:8443/**", false), ("**h.example/**", true), ("https**", true), ("**//h.*/**", true),
            ("**h.example/*", false), ("**h.example/**?**", false), ("**/secret**", false), ("**h.example/a/**", false),
            ("**i.example/**", false), ("{**i.example,**h.example}/**", true),
        ] as [(String, Bool)]
    )
    func wholeOrigin(pattern: String, expected: Bool) throws {
        for text in ["https://h.example/", "https://H.example./secret?x"] {
            #expect(try URLGlob(pattern).matchesOrigin(of: TargetURI(parsing: text)) == expected, "\(text)")
        }
    }

    @Test(
        "without a scheme, too, other spellings of a host are the same host",
        arguments: [
            ("**.tracker.example/**", "http://a.tracker.example./x", true),
            ("**.tracker.example:81/**", "http://A.Tracker.Example.:81/x", true),
            ("**//192.0.2.1/**", "http://[::ffff:192.0.2.1]/x", true),
            ("**//192.0.2.1/**", "http://[::ffff:c000:201]:80/x", true),
            ("**//192.0.2.1:81/**", "https://[::FFFF:c000:201]:81/x", true),
            ("**//[2001:db8::1]/**", "http://[2001:DB8:0:0::1]/x", true),
            ("**//192.0.2.1/**", "http://[::ffff:c000:202]/x", false),
            ("**.example/x", "http://a.example.test/x", false),
        ] as [(String, String, Bool)]
    )
    func hostsWithoutScheme(pattern: String, uri: String, expected: Bool) throws {
        #expect(try matches(pattern, uri) == expected)
    }

    @Test(
        "an IPv4 address inside an IPv6 one is the same host in a pattern",
        arguments: [
            ("http://192.0.2.1/", "http://[::ffff:192.0.2.1]/", true),
            ("http://192.0.2.1/", "http://[::ffff:c000:201]/", true),
            ("http://192.0.*.1/", "http://[::ffff:c000:201]/", true),
            ("http://[::ffff:192.0.2.1]/", "http://192.0.2.1/", true),
            ("http://192.0.2.1/", "http://[::ffff:c000:202]/", false),
            ("http://192.0.2.1/", "http://[::192.0.2.1]/", false),
        ] as [(String, String, Bool)]
    )
    func mappedAddress(pattern: String, uri: String, expected: Bool) throws {
        #expect(try matches(pattern, uri) == expected)
    }

    @Test(
        "scheme, host and port are compared in their canonical form; `*` is a label, every host or every port",
        arguments: [
            ("HTTP://API.Com.Example/x", "http://api.com.example/x", true),
            ("https://h.example/**", "http://h.example/x", false), ("*://h.example/**", "https://h.example/x", true),
            ("https://h.example:443/x", "https://h.example/x", true),
            ("http://h.example:80/x", "http://h.example:80/x", true),
            ("http://h.example/x", "http://h.example:8080/x", false),
            ("http://h.example:8080/x", "http://h.example:8080/x", true),
            ("http://h.example:08080/x", "http://h.example:8080/x", true),
            ("http://h.example:*/x", "http://h.example:8080/x", true),
            ("http://h.example:*/x", "http://h.example/x", true), ("http://h.example:/x", "http://h.example/x", true),
            ("https://*.com.example/", "https://a.com.example/", true),
            ("https://*.com.example/", "https://a.b.com.example/", false),
            ("https://*.com.example/", "https://com.example/", false),
            ("https://**.com.example/", "https://a.b.com.example/", true),
            ("https://**.com.example/", "https://com.example/", true),
            ("https://**.com.example/", "https://badcom.example/", false),
            ("https://api-*.com.example/", "https://api-1.com.example/", true),
            ("https://**.com.example/**", "https://evil.example/a.com.example/x", false),
            ("https://*/x", "https://a.example/x", true), ("https://*/x", "https://a.example:8443/x", true),
            ("https://*:443/x", "https://a.example:8443/x", false), ("https://*:*/x", "https://a.example/x", true),
            ("https://**/x", "https://evil.example:8443/x", true), ("https://*/x", "https://a.example/y", false),
            ("https://**", "https://a.example:8443/x/y?z", true), ("https://**", "http://a.example/", false),
            ("https://**:8443", "https://a.example:8443/x", true), ("https://**:8443", "https://a.example/x", false),
            ("https://**?a=1", "https://a.example/x?a=1", true), ("https://**?a=1", "https://a.example/x", false),
            ("https://*", "https://a.example/", true), ("https://*", "https://a.example/x", false),
            ("https://**.example", "https://a.example/x", false),
            ("http://h.example./x", "http://h.example/x", true), ("http://h.example/x", "http://H.example./x", true),
            ("http://*.example/x", "http://a.example./x", true), ("http://h.example/x", "http://h.example../x", false),
            ("http://[0:0::1]/x", "http://[::1]/x", true), ("http://[::1]/x", "http://[::2]/x", false),
            ("http://[2001:DB8::1]/x", "http://[2001:db8:0::1]/x", true),
            ("http://[2001:db8:*]/x", "http://[2001:db8::1]/x", true), ("http://10.0.0.*/x", "http://10.0.0.7/x", true),
            ("http://10.0.0.*/x", "http://10.0.0.7.test/x", false), ("http://*.0.0.1/x", "http://[::1]/x", false),
            ("http://[::1]:8080/**", "http://[::1]:8080/x", true), ("http://*/**", "http://[::1]/x", true),
            ("http://**/**", "http://[::1]:81/x", true), ("http://h.example/**", "http://h.example.test/x", false),
        ] as [(String, String, Bool)]
    )
    func authorities(pattern: String, uri: String, expected: Bool) throws {
        #expect(try matches(pattern, uri) == expected, "\(pattern) \(uri)")
    }

    @Test(
        "the query counts only if the pattern has one (S-060)",
        arguments: [
            ("http://h.example/a", "http://h.example/a?x=1", true),
            ("http://h.example/a?x=1", "http://h.example/a?x=1", true),
            ("http://h.example/a?x=1", "http://h.example/a?x=2", false),
            ("http://h.example/a?x=1", "http://h.example/a", false),
            ("http://h.example/a?**", "http://h.example/a", false),
            ("http://h.example/a?**", "http://h.example/a?", true),
            ("http://h.example/a?x=*", "http://h.example/a?x=1", true),
            ("http://h.example/a?x=*", "http://h.example/a?x=1&y=2", false),
            ("http://h.example/a?**y=2**", "http://h.example/a?x=1&y=2", true),
            ("http://h.example/a?x=%26", "http://h.example/a?x=&", false),
            ("http://h.example/a?x=%7e", "http://h.example/a?x=~", true),
            ("http://h.example/**", "http://h.example/a?b/c", true),
            ("http://h.example/a?x=a/b*", "http://h.example/a?x=a/b/c", true),
            ("http://h.example?x", "http://h.example/?x", true),
        ] as [(String, String, Bool)]
    )
    func queries(pattern: String, uri: String, expected: Bool) throws {
        #expect(try matches(pattern, uri) == expected, "\(pattern) \(uri)")
    }

    @Test(
        "another spelling of a path is the same path: escapes and dot segments",
        arguments: [
            ("http://h.example/secret/**", "http://h.example/%73ecret/x", true),
            ("http://h.example/secret/**", "http://h.example/%53ecret/x", false),
            ("http://h.example/secret/**", "http://h.example/x/../secret/y", true),
            ("http://h.example/secret/**", "http://h.example/%2e%2e/secret/y", true),
            ("http://h.example/secret/**", "http://h.example/./secret/y", true),
            ("http://h.example/a/**", "http://h.example/a/../b", false),
            ("http://h.example/a%20b", "http://h.example/a%20b", true),
            ("http://h.example/a%2fb", "http://h.example/a%2Fb", true),
            ("http://h.example/a%2Fb", "http://h.example/a/b", false),
            ("http://h.example/*", "http://h.example/a%2Fb", true),
            ("http://h.example/%2A", "http://h.example/*", true), ("http://h.example/%2A", "http://h.example/a", false),
            ("http://h.example/a(b)", "http://h.example/a%28b%29", true),
            ("http://h.example/100%25", "http://h.example/100%25", true),
            ("http://h.example/a%zz", "http://h.example/a%zz", true),
            ("http://h.example/a%2", "http://h.example/a%2", true),
            ("http://h.example/%C3%BC", "http://h.example/%c3%bc", true),
            ("http://h.example/ü", "http://h.example/%C3%BC", true),
            ("http://h.example/a:b!@$c", "http://h.example/a:b!@$c", true),
            ("http://h.example/*", "http://h.example/a:b!@$c", true),
        ] as [(String, String, Bool)]
    )
    func spellings(pattern: String, uri: String, expected: Bool) throws {
        #expect(try matches(pattern, uri) == expected, "\(pattern) \(uri)")
    }

    @Test(
        "a pattern without a scheme is relative to the base, and never means anything outside of it (S-056, S-064, S-254)",
        arguments: [
            ("**", "https://h.example/v1/x/y", true), ("**", "https://h.example/v2/x", false),
            ("**", "https://h.example/v11/x", false),
            ("**", "https://evil.example/v1/x", false), ("**", "http://h.example/v1/x", false),
            ("**", "https://h.example:8443/v1/x", false),
            ("users/*", "https://h.example/v1/users/1", true), ("/users/*", "https://h.example/v1/users/1", true),
            ("users/*", "https://h.example/users/1", false), ("**/x", "https://h.example/v1/x", true),
            ("users?a=*", "https://h.example/v1/users?a=1", true), ("**", "https://h.example/v1/../v2/x", false),
            ("https://other.example/x", "https://other.example/x", true),
        ] as [(String, String, Bool)]
    )
    func relative(pattern: String, uri: String, expected: Bool) throws {
        for base in ["https://h.example/v1", "https://h.example/v1/", "https://H.example:443/v1?key=1"] {
            #expect(try matches(pattern, uri, base: base) == expected, "\(pattern) \(uri)")
        }
    }

    @Test("a `*` in a base stands for itself")
    func starInBase() throws {
        #expect(try matches("x", "https://h.example/a*b/x", base: "https://h.example/a*b"))
        #expect(try !matches("x", "https://h.example/a1b/x", base: "https://h.example/a*b"))
    }

    @Test(
        "braces are one of their texts, in every part",
        arguments: [
            ("http{,s}://h.example/x", "http://h.example/x", true),
            ("http{,s}://h.example/x", "https://h.example/x", true),
            ("https://{a,b}.example/**", "https://b.example/x", true),
            ("https://{a,b}.example/**", "https://c.example/x", false),
            ("https://h.example{,:8443}/x", "https://h.example:8443/x", true),
            ("https://h.example{,:8443}/x", "https://h.example/x", true),
            ("https://h.example:{80,8080}/x", "https://h.example:8080/x", true),
            ("https://h.example:{80,8080}/x", "https://h.example/x", false),
            ("https://h.example/{a,b/c}/d", "https://h.example/b/c/d", true),
            ("https://h.example/{a,b/c}/d", "https://h.example/b/d", false),
            ("https://h.example/**.{js,css}", "https://h.example/x/y.css", true),
            ("https://h.example/{*,**}", "https://h.example/a/b", true),
            ("https://h.example/x?{a,b}=*", "https://h.example/x?b=1", true),
            ("https://h.example/x?{a,b}=*", "https://h.example/x?c=1", false),
            ("https://h.example/x{,?a=*}", "https://h.example/x?b", true),
            ("{https://h.example/x,http://i.example/**}", "http://i.example/y", true),
            ("https://h.example/{a,b}{1,2}", "https://h.example/b1", true),
            ("https://h.example/{a,b}{1,2}", "https://h.example/1b", false),
            ("https://h.example/%7Ba,b%7D", "https://h.example/%7Ba,b%7D", true),
            ("https://h.example/%7Ba,b%7D", "https://h.example/a", false),
            ("https://h.example/{a%2Cb,c}", "https://h.example/a,b", true),
            ("https://h.example/a,b", "https://h.example/a,b", true),
        ] as [(String, String, Bool)]
    )
    func braces(pattern: String, uri: String, expected: Bool) throws {
        #expect(try matches(pattern, uri) == expected, "\(pattern) \(uri)")
    }

    @Test(
        "braces work below a base; no alternative leaves it",
        arguments: [
            ("{users,items}/*", "https://h.example/v1/items/1", true),
            ("/{users,items}/*", "https://h.example/v1/users/1", true),
            ("{/users,items}", "https://h.example/v1/users", true),
            ("{users,items}/*", "https://h.example/items/1", false),
            ("{**,x}?a=1", "https://h.example/v1/y?a=1", true),
        ] as [(String, String, Bool)]
    )
    func bracesBelowBase(pattern: String, uri: String, expected: Bool) throws {
        #expect(try matches(pattern, uri, base: "https://h.example/v1") == expected, "\(pattern) \(uri)")
        #expect(try URLGlob(pattern).isRelative)
        #expect(
            try !URLGlob("{https://evil.example/**,x}").isRelative && !URLGlob("{https://evil.example/**,x}").isAbsolute
        )
    }

    @Test("without a base a relative pattern is matched against the whole text (S-063)")
    func withoutBase() throws {
        #expect(try matches("**", "https://h.example/a/b?c"))
        #expect(try matches("**/b", "https://h.example/a/b"))
        #expect(try !matches("/a/b", "https://h.example/a/b"))
        #expect(try !matches("a/b", "https://h.example/a/b"))
    }

    @Test(
        "what is no pattern is refused with a sentence and the place",
        arguments: [
            ("", 1), ("ftp://h.example/x", 1), ("ws://h.example/x", 1), ("**://h.example/x", 1), ("http:///x", 8),
            ("http://:80/x", 8),
            ("http://user@h.example/x", 12), ("http://a:b@h.example/x", 11), ("http://h.example:0/x", 18),
            ("http://h.example:65536/x", 18),
            ("http://h.example:99999/x", 18), ("http://h.example:8x/x", 18), ("http://h.example:8*/x", 18),
            ("http://h.example:-1/x", 18),
            ("http://h.example/a b", 19), ("http://h.example/a\tb", 19), ("http://h.example/a\u{0}b", 19),
            ("http://h.example/a#b", 19),
            ("http://bücher.example/", 9), ("http://h%2E/", 9), ("http://::1/x", 9), ("http://[::1/x", 8),
            ("http://[::1]x/", 13), ("http://fe80::1/x", 13),
            ("http://h.example/{a,b", 18), ("http://h.example/a}", 19), ("http://h.example/{a}", 18),
            ("http://h.example/{}", 18),
            ("http://h.example/{a,{b,c}}", 21), ("http://h.example/{{a,b},c}", 19), ("http://h.example/{a,b}}", 23),
            ("http://h.example/}{", 18),
            ("http://{h,u@i}/", 12), ("http://h.example:{80,0}/", 22), ("http://h.example/ü b", 19),
            (String(repeating: "a", count: 4097), 4097),
            ("http://h.example/" + String(repeating: "{a,b}", count: 7), 48),
            (
                "http://h.example/" + String(repeating: "x", count: 400) + "{" + String(repeating: "a,", count: 63)
                    + "b}", 418
            ),
            (String(repeating: "{", count: 4000), 2), (String(repeating: "}", count: 4000), 1),
        ]
    )
    func refused(pattern: String, column: Int) throws {
        let error = try #require(throws: URLGlob.SyntaxError.self) { try URLGlob(pattern) }
        #expect(!error.userMessage.isEmpty && error.column(in: pattern) == column, "\(error.message(in: pattern))")
    }

    @Test(
        "a pattern that fits nothing, or the root page alone, has a warning that names what was meant",
        arguments: [
            ("*", "`**`"), ("*?a=1", "`**?a=1`"), ("/a/**", "`*://*/a/**`"), ("a/b", "`**/a/b`"),
            ("site.example/**", "`*://site.example/**` for a host, `**/site.example/**` for a path"),
            ("*.deb", "`*://*.deb/**` for a host, `**/*.deb` for a path"), ("localhost:80", "`*://localhost:80/**`"),
            ("localhost/x*", "`*://localhost/x*`"), ("https:/h/**", "`*://https:/h/**`"),
            ("https://.site.example/**", "`https://**.site.example/**`"), ("https://a..b/**", nil),
            ("https://h.example/a/../b*", "`https://h.example/b*`"),
            ("https://h.example/./**?x=1", "`https://h.example/**?x=1`"),
            ("https://h.example/%2e%2e/**", "`https://h.example/**`"), ("**/../x", "`**/x`"),
            ("https://h*", "`https://h*/**` for every page, `https://h*/` for that one"),
            ("https://*", "`https://*/**` for every page, `https://*/` for that one"),
            ("https://10.0.0.256/**", nil), ("https://1.2.3/**", nil), ("https://0x7f.1/**", nil),
            ("https://[::g]/**", nil), ("https://a\\b/**", nil), ("https://a,b/**", nil),
            ("https://{a,.b}/**", "`https://**.b/**`"),
            ("https://" + String(repeating: "a.", count: 128) + "example/**", nil),
        ] as [(String, String?)]
    )
    func warned(pattern: String, suggestion: String?) throws {
        let warning = try #require(try URLGlob(pattern).warning())
        #expect(warning.suggestion == suggestion, "\(warning.message(for: pattern))")
    }

    @Test(
        "an ordinary pattern has no warning",
        arguments: [
            "**", "**.deb", "**/simple/**", "http**", "**?a=*", "https://**", "https://**:8443",
            "https://h.example/", "https://h.example/**", "https://*/**", "https://h.example?x",
            "https://h.example/...", "https://h.example/.well-known/**",
            "https://a_b.example/**", "https://[::1]/**", "https://[fe80::*]/**", "https://127.0.0.1/**",
            "https://h.example./**", "https://xn--bcher-kva.example/**", "https://h.example/a..b/**",
        ]
    )
    func notWarned(pattern: String) throws {
        #expect(try URLGlob(pattern).warning()?.message(for: pattern) == nil)
    }

    @Test("below a base a path needs no scheme, and dot segments are warned of")
    func warnedBelowBase() throws {
        for pattern in ["x", "/x", "*.deb", "site.example/**"] {
            #expect(try URLGlob(pattern).warning(isBelowBase: true) == nil)
        }
        #expect(try URLGlob("a/../b").warning(isBelowBase: true)?.suggestion == "`b`")
        #expect(try URLGlob("/../b").warning(isBelowBase: true)?.suggestion == "`/b`")
    }

    @Test("10,000 stars are refused, and a match of 4,000 with 64 combinations ends")
    func hostile() throws {
        #expect(throws: URLGlob.SyntaxError.self) {
            try URLGlob("http://h.example/" + String(repeating: "*", count: 10_000))
        }
        // A matcher that tries every place for each wildcard never ends here.
        let uri = try TargetURI(parsing: "http://h.example/" + String(repeating: "a", count: 8000))
        #expect(try URLGlob("http://h.example/" + String(repeating: "*", count: 4000)).matches(uri))
        #expect(try !URLGlob("http://h.example/" + String(repeating: "*a**b", count: 800)).matches(uri))
        let many = String(repeating: "{*a,**b}", count: 6) + String(repeating: "*c", count: 80)
        #expect(try !URLGlob("http://h.example/" + many).matches(uri))
        #expect(try !URLGlob("http://" + String(repeating: "**.", count: 1000) + "x/**").matches(uri))
    }

    @Test("the comparison of 200 wildcards with a long path that almost fits ends")
    func cost() throws {
        let pattern = try URLGlob("http://h.example/" + String(repeating: "*a**/", count: 100) + "end")
        let path = String(repeating: "aa/", count: 1000) + "en"
        let uri = try TargetURI(parsing: "http://h.example/" + path)
        #expect(!pattern.matches(uri))
    }

    @Test(
        "a URI is under a base if the base's path ends at a border of its segments",
        arguments: [
            ("https://h.example/v1/x", "https://h.example/v1", true),
            ("https://h.example/v1", "https://h.example/v1/", true),
            ("https://h.example/v1?q", "https://h.example/v1", true),
            ("https://h.example/v12", "https://h.example/v1", false),
            ("https://h.example/", "https://h.example", true),
            ("https://h.example/x/../v1", "https://h.example/v1", true),
            ("https://h.example/v1/../v2", "https://h.example/v1", false),
            ("http://h.example/v1", "https://h.example/v1", false),
        ] as [(String, String, Bool)]
    )
    func under(uri: String, base: String, expected: Bool) throws {
        #expect(try TargetURI(parsing: uri).isUnder(TargetURI(parsing: base)) == expected)
    }
}

/// Media type patterns.
@Suite("Media type patterns")
struct MediaTypePatternTests {
    @Test(
        "each pattern is anchored at both ends, without case and parameters (S-174, S-253, T-261)",
        arguments: [
            ("*/json", "application/json", true), ("*/json", "Application/JSON; charset=utf-8", true),
            ("*/json", "application/jsonp", false), ("*/json", "application/json-seq", false),
            ("*/json", "application/foo+json", false), ("*/*+json", "application/foo+json;v=1", true),
            ("*/*+json", "application/json", false), ("*/*+json", "application/+json", false),
            ("text/*", "text/html", true), ("image/*", "image/svg+xml", true), ("*/*", "a/b", true),
            ("application/x-*", "application/x-", false), ("application/x-*", "application/x-tar", true),
            ("application/*-*", "application/a-b-c", true),
        ] as [(String, String, Bool)]
    )
    func patterns(pattern: String, type: String, expected: Bool) throws {
        let pattern = try #require(MediaTypePattern(pattern))
        let type = try #require(MediaType(Array(type.utf8)))
        #expect(pattern.matches(type) == expected)
    }

    @Test("what is no type and subtype is no pattern", arguments: ["", "json", "a/b/c", "a/", "/b", "a /b"])
    func refused(text: String) { #expect(MediaTypePattern(text) == nil) }

    @Test("the comparison of 40 wildcards with a long type that almost fits ends")
    func cost() throws {
        let pattern = try #require(MediaTypePattern("a/" + String(repeating: "*a", count: 40) + "b"))
        let type = try #require(MediaType(Array(("a/" + String(repeating: "a", count: 4000)).utf8)))
        #expect(!pattern.matches(type))
    }
}
