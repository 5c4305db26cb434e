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
            ("http://h/a/*", "http://h/a/b", true), ("http://h/a/*", "http://h/a/", true),
            ("http://h/a/*", "http://h/a/b/c", false), ("http://h/a/*", "http://h/a", false),
            ("http://h/a/*/c", "http://h/a/b/c", true), ("http://h/a/*/c", "http://h/a/b/b/c", false),
            ("http://h/a/**", "http://h/a/b/c", true), ("http://h/a/**", "http://h/a/", true),
            ("http://h/a/**", "http://h/ab", false), ("http://h/a/**/b", "http://h/a/b", true),
            ("http://h/a/**/b", "http://h/a/x/y/b", true), ("http://h/a/**/b", "http://h/a/xb", false),
            ("http://h/a/**/b/**/c", "http://h/a/1/b/2/3/c", true), ("http://h/**.json", "http://h/x/y.json", true),
            ("http://h/**.json", "http://h/x/y.jsonp", false), ("http://h/a***b", "http://h/a/x/b", true),
            ("http://h/a*b*c", "http://h/abxbc", true), ("http://h/a*b*c", "http://h/ab/c", false),
            ("http://h/a", "http://h/a", true), ("http://h/a", "http://h/a/", false), ("http://h", "http://h/", true),
            ("http://h/", "http://h/a", false), ("http://h/a**b", "http://h/ab", true),
            ("http://h/A", "http://h/a", false),
        ] as [(String, String, Bool)]
    )
    func paths(pattern: String, uri: String, expected: Bool) throws {
        #expect(try matches(pattern, uri) == expected, "\(pattern) \(uri)")
    }

    @Test(
        "scheme, host and port are compared in their canonical form; `*` is a label, or any written port (S-062)",
        arguments: [
            ("HTTP://API.Com.Example/x", "http://api.com.example/x", true),
            ("https://h/**", "http://h/x", false), ("*://h/**", "https://h/x", true),
            ("https://h:443/x", "https://h/x", true), ("http://h:80/x", "http://h:80/x", true),
            ("http://h/x", "http://h:8080/x", false), ("http://h:8080/x", "http://h:8080/x", true),
            ("http://h:08080/x", "http://h:8080/x", true), ("http://h:*/x", "http://h:8080/x", true),
            ("http://h:*/x", "http://h/x", false), ("http://h:/x", "http://h/x", true),
            ("https://*.com.example/", "https://a.com.example/", true),
            ("https://*.com.example/", "https://a.b.com.example/", false),
            ("https://*.com.example/", "https://com.example/", false),
            ("https://**.com.example/", "https://a.b.com.example/", true),
            ("https://**.com.example/", "https://com.example/", true),
            ("https://**.com.example/", "https://badcom.example/", false),
            ("https://api-*.com.example/", "https://api-1.com.example/", true),
            ("https://**.com.example/**", "https://evil.example/a.com.example/x", false),
            ("https://*/x", "https://evil.example/x", false), ("https://**/x", "https://evil.example:8443/x", true),
            ("http://[::1]:8080/**", "http://[::1]:8080/x", true), ("http://*/**", "http://[::1]/x", false),
            ("http://**/**", "http://[::1]:81/x", true), ("http://h.example/**", "http://h.example.evil/x", false),
        ] as [(String, String, Bool)]
    )
    func authorities(pattern: String, uri: String, expected: Bool) throws {
        #expect(try matches(pattern, uri) == expected, "\(pattern) \(uri)")
    }

    @Test(
        "the query counts only if the pattern has one (S-060)",
        arguments: [
            ("http://h/a", "http://h/a?x=1", true), ("http://h/a?x=1", "http://h/a?x=1", true),
            ("http://h/a?x=1", "http://h/a?x=2", false), ("http://h/a?x=1", "http://h/a", false),
            ("http://h/a?**", "http://h/a", false), ("http://h/a?**", "http://h/a?", true),
            ("http://h/a?x=*", "http://h/a?x=1", true), ("http://h/a?x=*", "http://h/a?x=1&y=2", false),
            ("http://h/a?**y=2**", "http://h/a?x=1&y=2", true), ("http://h/a?x=%26", "http://h/a?x=&", false),
            ("http://h/a?x=%7e", "http://h/a?x=~", true), ("http://h/**", "http://h/a?b/c", true),
            ("http://h/a?x=a/b*", "http://h/a?x=a/b/c", true), ("http://h?x", "http://h/?x", true),
        ] as [(String, String, Bool)]
    )
    func queries(pattern: String, uri: String, expected: Bool) throws {
        #expect(try matches(pattern, uri) == expected, "\(pattern) \(uri)")
    }

    @Test(
        "another spelling of a path is the same path: escapes and dot segments",
        arguments: [
            ("http://h/secret/**", "http://h/%73ecret/x", true), ("http://h/secret/**", "http://h/%53ecret/x", false),
            ("http://h/secret/**", "http://h/x/../secret/y", true),
            ("http://h/secret/**", "http://h/%2e%2e/secret/y", true),
            ("http://h/secret/**", "http://h/./secret/y", true), ("http://h/a/**", "http://h/a/../b", false),
            ("http://h/a%20b", "http://h/a%20b", true), ("http://h/a%2fb", "http://h/a%2Fb", true),
            ("http://h/a%2Fb", "http://h/a/b", false), ("http://h/*", "http://h/a%2Fb", true),
            ("http://h/%2A", "http://h/*", true), ("http://h/%2A", "http://h/a", false),
            ("http://h/a(b)", "http://h/a%28b%29", true), ("http://h/100%25", "http://h/100%25", true),
            ("http://h/a%zz", "http://h/a%zz", true), ("http://h/a%2", "http://h/a%2", true),
            ("http://h/%C3%BC", "http://h/%c3%bc", true), ("http://h/ü", "http://h/%C3%BC", true),
            ("http://h/a:b!@$c", "http://h/a:b!@$c", true), ("http://h/*", "http://h/a:b!@$c", true),
        ] as [(String, String, Bool)]
    )
    func spellings(pattern: String, uri: String, expected: Bool) throws {
        #expect(try matches(pattern, uri) == expected, "\(pattern) \(uri)")
    }

    @Test(
        "a pattern without a scheme is relative to the base, and never means anything outside of it (S-056, S-064, S-254)",
        arguments: [
            ("**", "https://h/v1/x/y", true), ("**", "https://h/v2/x", false), ("**", "https://h/v11/x", false),
            ("**", "https://evil/v1/x", false), ("**", "http://h/v1/x", false), ("**", "https://h:8443/v1/x", false),
            ("users/*", "https://h/v1/users/1", true), ("/users/*", "https://h/v1/users/1", true),
            ("users/*", "https://h/users/1", false), ("**/x", "https://h/v1/x", true),
            ("users?a=*", "https://h/v1/users?a=1", true), ("**", "https://h/v1/../v2/x", false),
            ("https://other/x", "https://other/x", true),
        ] as [(String, String, Bool)]
    )
    func relative(pattern: String, uri: String, expected: Bool) throws {
        for base in ["https://h/v1", "https://h/v1/", "https://H:443/v1?key=1"] {
            #expect(try matches(pattern, uri, base: base) == expected, "\(pattern) \(uri)")
        }
    }

    @Test("a `*` in a base stands for itself")
    func starInBase() throws {
        #expect(try matches("x", "https://h/a*b/x", base: "https://h/a*b"))
        #expect(try !matches("x", "https://h/a1b/x", base: "https://h/a*b"))
    }

    @Test("without a base a relative pattern is matched against the whole text (S-063)")
    func withoutBase() throws {
        #expect(try matches("**", "https://h/a/b?c"))
        #expect(try matches("**/b", "https://h/a/b"))
        #expect(try !matches("/a/b", "https://h/a/b"))
        #expect(try !matches("a/b", "https://h/a/b"))
    }

    @Test(
        "what cannot be meant is refused with a sentence",
        arguments: [
            "", "ftp://h/x", "http:///x", "http://user@h/x", "http://h:0/x", "http://h:65536/x", "http://h:8x/x",
            "http://h/a b", "http://h/a#b", "http://bücher.example/", String(repeating: "a", count: 4097),
        ]
    )
    func refused(pattern: String) {
        #expect(throws: URLGlob.SyntaxError.self) { try URLGlob(pattern) }
    }

    @Test("many wildcards cost no more than the product of the lengths")
    func cost() throws {
        let pattern = try URLGlob("http://h/" + String(repeating: "*a**/", count: 100) + "end")
        let path = String(repeating: "aa/", count: 1000) + "en"
        let uri = try TargetURI(parsing: "http://h/" + path)
        #expect(!pattern.matches(uri))
    }

    @Test(
        "a URI is under a base if the base's path ends at a border of its segments",
        arguments: [
            ("https://h/v1/x", "https://h/v1", true), ("https://h/v1", "https://h/v1/", true),
            ("https://h/v1?q", "https://h/v1", true), ("https://h/v12", "https://h/v1", false),
            ("https://h/", "https://h", true), ("https://h/x/../v1", "https://h/v1", true),
            ("https://h/v1/../v2", "https://h/v1", false), ("http://h/v1", "https://h/v1", false),
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

    @Test("many wildcards cost no more than the product of the lengths")
    func cost() throws {
        let pattern = try #require(MediaTypePattern("a/" + String(repeating: "*a", count: 40) + "b"))
        let type = try #require(MediaType(Array(("a/" + String(repeating: "a", count: 4000)).utf8)))
        #expect(!pattern.matches(type))
    }
}
