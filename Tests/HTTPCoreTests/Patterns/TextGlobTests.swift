import Testing

@testable import HTTPCore

/// Patterns of programs (S-056 to S-064).
@Suite("Patterns of programs")
struct TextGlobTests {
    @Test(
        "below a base a pattern is relative to it; with a scheme it is a URL; `*` stays in a segment, `?` is one byte",
        arguments: [
            ("a/*", "https://h.example/v1/a/b", true), ("/a/*", "https://h.example/v1/a/b", true),
            ("a/*", "https://h.example/v1/a/b/c", false),
            ("a/*", "https://h.example/a/b", false), ("a/**", "https://h.example/v1/a/b/c", true),
            ("**/c", "https://h.example/v1/a/b/c", true),
            ("**/c", "https://h.example/v1/c", true), ("a/**/c", "https://h.example/v1/a/c", true),
            ("a/**/c", "https://h.example/v1/axc", false),
            ("a**c", "https://h.example/v1/a/b/c", true), ("a?c", "https://h.example/v1/abc", true),
            ("a?c", "https://h.example/v1/a/c", false),
            ("a?c", "https://h.example/v1/ac", false), ("a", "https://i.example/v1/a", false),
            ("a", "http://h.example/v1/a", false),
            ("a", "https://h.example/v1/a?q=1", true), ("%61", "https://h.example/v1/a", true),
            ("a", "https://h.example/v1/b/../a", true),
            ("https://i.example/*", "https://i.example/x", true), ("HTTPS://i.example/*", "https://i.example/x", false),
            ("https://I.example:443/*", "https://i.example/x", true),
            ("https://i.example:80/*", "https://i.example/x", false),
            ("http://i.example:80/*", "http://i.example/x", true),
            ("http://i.example:443/*", "http://i.example/x", false),
            ("https://*/x", "https://any.example/x", true), ("https://*.i.example/x", "https://a.i.example/x", true),
            ("https:**", "https://i.example/x", true),
            ("https://i.example", "https://i.example/", false), ("https:", "https://i.example/", false),
        ] as [(String, String, Bool)]
    )
    func belowBase(pattern: String, uri: String, expected: Bool) throws {
        let glob = TextGlob(pattern, base: try TargetURI(parsing: "https://h.example/v1"))
        #expect(glob.matches(try TargetURI(parsing: uri)) == expected, "\(pattern) \(uri)")
        let matcher = pattern.matcher(base: try TargetURI(parsing: "https://h.example/v1"))
        #expect(matcher(try TargetURI(parsing: uri)) == expected && pattern.patternDescription == pattern)
    }

    @Test("without a base a pattern is compared with the whole URL without its query")
    func withoutBase() throws {
        func matches(_ pattern: String, _ uri: String) throws -> Bool {
            TextGlob(pattern, base: nil).matches(try TargetURI(parsing: uri))
        }
        #expect(
            try matches("**", "https://h.example/a/b?c") && matches("**/b", "https://h.example/a/b")
                && matches("*//h.example/a", "https://h.example/a")
        )
        #expect(
            try !matches("a", "https://h.example/a") && !matches("/a", "https://h.example/a")
                && !matches("1a:b", "https://h.example/a")
        )
        #expect(
            TextGlob("a", base: nil) == TextGlob("a", base: nil) && TextGlob("a", base: nil) != TextGlob("b", base: nil)
        )
    }

    @Test("a URL is a pattern of itself; a predicate is one of what it accepts; a glob is relative to the base")
    func others() throws {
        let (one, other) = (
            try TargetURI(parsing: "https://h.example/a"), try TargetURI(parsing: "https://h.example/b")
        )
        let base = try TargetURI(parsing: "https://h.example/")
        #expect(
            one.matcher(base: nil)(one) && !one.matcher(base: nil)(other)
                && one.patternDescription == "https://h.example/a"
        )
        let predicate = PredicatePattern(description: "mine") { $0 == other }
        #expect(predicate.matcher(base: nil)(other) && !predicate.matcher(base: nil)(one))
        #expect(predicate.patternDescription == "mine")
        let glob = try URLGlob("b")
        #expect(glob.matcher(base: base)(other) && !glob.matcher(base: base)(one) && glob.patternDescription == "b")
    }

    @Test("the service with the longest base owns a URL; two with one name or base are a conflict")
    func services() throws {
        func base(_ name: String, _ url: String) throws -> ServiceBase {
            ServiceBase(name: name, url: try TargetURI(parsing: url))
        }
        let bases = try ServiceBases([
            base("a", "http://h.example/"), base("b", "http://h.example/v1/"), base("c", "http://h.example/v1/x"),
        ])
        let owners = try [
            "http://h.example/v1/x/y", "http://h.example/v1/xy", "http://h.example/v1", "http://h.example/z",
            "http://i.example/",
        ].map {
            bases.owner(of: try TargetURI(parsing: $0))?.name
        }
        #expect(owners == ["c", "b", "b", "a", nil] && Set(bases.names) == ["a", "b", "c"])
        #expect(ServiceBases().names.isEmpty)
        for (second, message) in [
            (("a", "http://i.example/"), "there are two services named a"),
            (("b", "http://h.example/v1"), "the services a and b have the same base http://h.example/v1"),
        ] {
            let error = #expect(throws: ServiceBases.Conflict.self) {
                try ServiceBases([base("a", "http://h.example/v1/"), base(second.0, second.1)])
            }
            #expect(error?.userMessage == message)
        }
    }

    @Test(
        "a pattern has 4,096 bytes at most, and its alternatives 16 KiB together",
        arguments: [(0, true), (1, false)]
    )
    func limits(more: Int, isPattern: Bool) {
        let long = String(repeating: "a", count: 4096 + more)
        #expect(((try? URLGlob(long)) != nil) == isPattern)
        let start = "http://h.example/" + String(repeating: "x", count: 238 + more)
        let many =
            start + "{" + (0..<64).map { String(UnicodeScalar(UInt8(0x30 + $0 % 10))) }.joined(separator: ",") + "}"
        #expect(((try? URLGlob(many)) != nil) == isPattern)
    }

    @Test(
        "a colon makes a scheme only with letters before it and two slashes behind it",
        arguments: ["x:8/y", "x:/y", "x:/", "x:", ":8/y", "1x://y", "*:8/y"]
    )
    func colons(pattern: String) throws {
        let base = try TargetURI(parsing: "https://h.example/v1/")
        let glob = try URLGlob(pattern)
        let path = pattern.replacing("*", with: "x")
        #expect(
            try glob.isRelative && glob.relative(to: base).matches(TargetURI(parsing: "https://h.example/v1/\(path)"))
        )
    }

    @Test("what is wrong with a host is said in a warning")
    func warnings() throws {
        for (pattern, reason) in [
            ("https://.a/**", "fits nothing: no host begins with a dot"),
            ("https://a..b/**", "fits nothing: no host has an empty label"),
            ("https://./**", "fits nothing: no host has an empty label"),
            ("https://[::g]/**", "fits nothing: [::g] is no IPv6 address"),
            ("https://a\\b/**", "fits nothing: no host has a `\\`"),
            ("https://10.0.0.256/**", "fits nothing: 10.0.0.256 is no name and no IPv4 address"),
            ("https://h.example", "has no path and fits the root page alone"),
            ("a/b", "fits no URL: without a scheme it is compared with the whole URL"),
            (
                "{**,https://h.example}",
                "has the alternative `https://h.example`, which has no path and fits the root page alone"
            ),
        ] {
            #expect(try URLGlob(pattern).warning()?.reason == reason, "\(pattern)")
        }
        let long = String(repeating: "a.", count: 128) + "a"
        #expect(try URLGlob("https://\(long)/**").warning()?.reason == "fits nothing: \(long) is too long")
        #expect(
            try URLGlob("https://h.example").warning()?.message(for: "p").hasPrefix("`p` has no path and fits the")
                == true
        )
        #expect(PatternWarning(reason: "x").message(for: "p") == "`p` x")
    }
}
