import HTTPCore
import Testing

@testable import ResourceCore
@testable import ResourceModel

/// Which URLs the patterns of programs mean.
@Suite("Patterns of services")
struct PatternTests {
    private func matches(
        _ pattern: some ConfigurationPattern,
        _ url: String,
        base: String? = "https://h.example/v1"
    ) throws -> Bool {
        pattern.matcher(base: try base.map { try TestService.uri($0) })(try TestService.uri(url))
    }

    @Test(
        "a text is relative to the base, with or without a slash, and matches as a whole (T-199, T-200, S-056)",
        arguments: ["item", "/item"]
    )
    func relative(pattern: String) throws {
        let cases = [
            ("https://h.example/v1/item", true), ("https://other.example/v1/item", false),
            ("https://h.example/v1/sub/item", false),
            ("https://h.example/v1/sub/https://h.example/v1/item", false), ("https://h.example/v1/items", false),
            ("http://h.example/v1/item", false),
            ("https://h.example:8443/v1/item", false), ("https://h.example/item", false),
            ("https://h.example/v1/item/", false),
        ]
        for (url, expected) in cases { #expect(try matches(pattern, url) == expected, "\(url)") }
        let service = TestService.service()
        service.configure(pattern) { $0.retryTime = .zero }
        for path in ["item", "/item"] { #expect(service.resource(path).configuration.values.retryTime == .zero) }
    }

    @Test(
        "wildcards (T-201, T-202, T-203, T-204, T-205, S-057, S-058, S-059, S-060, S-061)",
        arguments: [
            ("/*", "/x", true), ("/*", "/x/", false), ("/*", "/x/y", false), ("/*", "/", true), ("/*/b", "/a/b", true),
            ("/*/b", "/a/", false), ("/*/b", "/a/b/", false), ("/a/*/c", "/a/z/c", true), ("/a/*/c", "/a/c", false),
            ("/*b", "/cab", true), ("/*b", "/ca/b", false), ("/*x*/c", "/x/c", true), ("/*x*/c", "/taxi/c", true),
            ("/*x*/c", "/tarp/c", false), ("/*/d", "/:/d", true), ("/*/d", "/!/d", true), ("/*/d", "/@/d", true),
            ("/*/d", "/$/d", true), ("/**", "/", true), ("/**", "/x", true), ("/**", "/x/y/z", true),
            ("/a/**/b", "/a/b", true), ("/a/**/b", "/a/1/2/3/b", true), ("/a/**/b", "/a1/2/b", false),
            ("/a/**/b", "/a/1/2b", false), ("/a**/b", "/a1/2/b", true), ("/**b", "/x/y/b", true), ("/?", "/", false),
            ("/?", "/a", true), ("/??", "/a", false), ("/??", "/ab", true), ("/??", "/abc", false),
            ("/??", "/a/", false),
            ("/?*", "/", false), ("/?*", "/abc", true), ("/?*", "/ab/c", false), ("/*/b", "/a/b?foo=bar", true),
            ("/**/b", "/a/b?foo=bar", true), ("/**/b", "/a/c?foo=/b", false), ("/a?x=1", "/a?x=1", false),
            ("/a?x=1", "/a:x=1", true), ("", "/", true), ("/", "/", true), ("/***", "/x/y", true),
            ("/a b", "/a%20b", true),
            ("/a%20b", "/a%20b", true), ("/a*b", "/a%2Fb", true), ("/ü", "/%C3%BC", true), ("/A", "/a", false),
        ] as [(String, String, Bool)]
    )
    func wildcards(pattern: String, path: String, expected: Bool) throws {
        #expect(try matches(pattern, "https://h.example/v1" + path) == expected)
        #expect(
            try matches(
                "https://h.example/v1" + (pattern.first == "/" ? "" : "/") + pattern,
                "https://h.example/v1" + path
            ) == expected
        )
    }

    @Test(
        "absolute patterns match scheme, host and port text (S-062)",
        arguments: [
            ("https://h.example/**", "https://h.example/x/y", true),
            ("https://h.example/**", "http://h.example/x", false),
            ("https://h.example/**", "https://h.example:8443/x", false),
            ("https://h.example:*/**", "https://h.example/x", false),
            ("https://h.example:*/**", "https://h.example:8443/x", true),
            ("https://h.example:443/**", "https://h.example/x", true),
            ("http://h.example:80/**", "http://h.example:80/x", true),
            ("https://h.example:80/**", "https://h.example:80/x", true),
            ("https://*.com.example/**", "https://a.com.example/x", true),
            ("https://*.com.example/**", "https://a.b.com.example/x", true),
            ("https://*.com.example/**", "https://evil.example/a.com.example/x", false),
            ("https://**.com.example/**", "https://evil.example/a.com.example/x", false),
            ("https://API.com.example/X", "https://api.com.example/X", true),
            ("https://h?.example/x", "https://h1.example/x", true),
            ("https://**", "https://h.example/x", true), ("https://h.example", "https://h.example/", false),
            ("https://h*/", "https://h.example:81/", true),
            ("https:**", "https://h.example/x", true), ("item:x", "https://h.example/v1/item:x", false),
            ("Item:x", "https://h.example/v1/Item:x", true),
            ("https://h.example/v1/../x", "https://h.example/v1/../x", false),
        ] as [(String, String, Bool)]
    )
    func absolute(pattern: String, url: String, expected: Bool) throws {
        #expect(try matches(pattern, url) == expected)
        #expect(try pattern == "Item:x" || matches(pattern, url, base: nil) == expected)
    }

    @Test("without a base a pattern is matched as it stands (S-063)")
    func noBase() throws {
        #expect(try matches("**/item", "https://h.example/v1/item", base: nil))
        #expect(try matches("*://h.example/*/item", "https://h.example/v1/item?x", base: nil))
        #expect(try !matches("/v1/item", "https://h.example/v1/item", base: nil))
        #expect(try matches("**", "https://h.example/v1/item", base: nil))
    }

    @Test(
        "`**` is everything below the base and nothing else, whatever the base's query and path hold (S-064, S-254)",
        arguments: [
            "https://h.example/v*1", "https://h.example/v*1/", "https://h.example/v*1?x=1", "https://h.example/v*1/?**",
        ]
    )
    func belowBase(base: String) throws {
        let cases = [
            ("https://h.example/v*1/", true), ("https://h.example/v*1/x/y?z", true), ("https://h.example/v*1", false),
            ("https://h.example/v*12/x", false),
            ("https://h.example/v21/x", false), ("https://h.example.test/v*1/x", false),
            ("https://h.example/v*1/../x", false),
            ("https://h.example/v*1/%2e%2E/x", false), ("https://evil.example/?https://h.example/v*1/x", false),
        ]
        for (url, expected) in cases { #expect(try matches("**", url, base: base) == expected, "\(url)") }
    }

    @Test("an expression finds a part of the whole URL (T-206, T-207, T-208, S-065)")
    func expressions() throws {
        #expect(
            try matches(RegexPattern(/\/.at/), "https://h.example/v1/cat")
                && matches(RegexPattern(/\/.at/), "https://h.example/v1/hat/7")
        )
        #expect(try !matches(RegexPattern(/\/.at/), "https://h.example/v1/cart"))
        #expect(try matches(RegexPattern(/^https:\/\/h\.example\/v1\/.at$/), "https://h.example/v1/cat"))
        #expect(try !matches(RegexPattern(/^https:\/\/other\.example\/v1\/.at$/), "https://h.example/v1/cat"))
        #expect(try !matches(RegexPattern(/\/cat/), "https://h.example/v1/CAT"))
        #expect(try matches(RegexPattern(/\/cat/.ignoresCase()), "https://h.example/v1/CAT"))
        #expect(try matches(RegexPattern(/\?x=1$/), "https://h.example/v1/cat?x=1"))
        #expect(try matches(RegexPattern(Regex<AnyRegexOutput>("c.t"), description: "c.t"), "https://h.example/v1/cat"))
        let service = TestService.service()
        service.configure(/.at/, description: "cats") { $0.retryTime = .zero }
        #expect(service.resource("/cat").configuration.sources.map(\.description) == ["cats"])
        #expect(service.resource("/dog").configuration.sources.isEmpty)
    }

    @Test("threads may ask one expression at once (S-065)")
    func sharedExpression() async throws {
        let matcher = RegexPattern(/\/([a-z]+)at/).matcher(base: nil)
        let uri = try TestService.uri("https://h.example/v1/cat")
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { (0..<50).allSatisfy { _ in matcher(uri) } } }
            for await isFound in group { #expect(isFound) }
        }
    }

    @Test("a resource, a URL, a predicate (S-066, S-067)")
    func others() throws {
        let resource = TestService.service().resource("/a?b")
        #expect(try matches(resource, "https://h.example/v1/a%3Fb") && !matches(resource, "https://h.example/v1/a"))
        #expect(
            try matches(TestService.uri("https://h.example/x?y"), "https://h.example/x?y")
                && !matches(TestService.uri("https://h.example/x?y"), "https://h.example/x")
        )
        #expect(try matches(PredicatePattern { $0.port == 81 }, "https://h.example:81/"))
    }

    @Test("an entry is named by its pattern, unless that has no text or a name is given (S-049)")
    func names() throws {
        let service = TestService.service()
        let uri = try TestService.uri("https://h.example/v1/cat")
        service.configure("/c*") { $0.retryTime = .zero }
        service.configure("/c*", description: "named") { $0.retryTime = .zero }
        service.configure(uri) { $0.retryTime = .zero }
        service.configure(service.resource("/cat")) { $0.retryTime = .zero }
        service.configure(/.at/) { $0.retryTime = .zero }
        service.configure(RegexPattern(/.at/)) { $0.retryTime = .zero }
        service.configure(whenURLMatches: { $0 == uri }) { $0.retryTime = .zero }
        service.configure(whenURLMatches: { $0 == uri }, description: "cats") { $0.retryTime = .zero }
        service.configure { $0.retryTime = .zero }
        let names = ["/c*", "named", uri.text, uri.text, "expression", "expression", "custom", "cats", "custom"]
        #expect(service.resource("/cat").configuration.sources.map(\.description) == names)
    }
}
