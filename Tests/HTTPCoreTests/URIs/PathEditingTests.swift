import Testing

@testable import HTTPCore

@Suite("Paths and parameters of a URI that are changed")
struct PathEditingTests {
    private func uri(_ text: String) throws -> TargetURI { try TargetURI(parsing: text) }

    @Test(
        "a path is extended before the query, with one slash between; what is no path character is escaped",
        arguments: [
            ("http://h.example/a", "b", "http://h.example/a/b"), ("http://h.example/a/", "b", "http://h.example/a/b"),
            ("http://h.example/a", "/b/", "http://h.example/a/b/"),
            ("http://h.example/", "", "http://h.example/"), ("http://h.example/a", "", "http://h.example/a/"),
            ("http://h.example/a?x=1", "b", "http://h.example/a/b?x=1"),
            ("http://h.example:81/a", "b c?d#e%é", "http://h.example:81/a/b%20c%3Fd%23e%25%C3%A9"),
            ("http://h.example/a", "//b", "http://h.example/a//b"),
            ("http://h.example/a", "-._~!$&'()*+,;=:@z0Z", "http://h.example/a/-._~!$&'()*+,;=:@z0Z"),
            (
                "http://h.example/a", "[\\]^`{|}\"<>\u{7F}\u{1}",
                "http://h.example/a/%5B%5C%5D%5E%60%7B%7C%7D%22%3C%3E%7F%01"
            ),
        ]
    )
    func extended(base: String, text addition: String, expected: String) throws {
        #expect(try uri(base).extended(by: addition).map { text($0) } == expected)
        #expect(try uri(base).extended(by: addition + "\0") == nil)
    }

    @Test("a slash is put at the end of a path that has none")
    func trailingSlash() throws {
        #expect(try uri("http://h.example:81/a?x").withTrailingSlash.text == "http://h.example:81/a/?x")
        #expect(try uri("https://h.example/a/").withTrailingSlash.text == "https://h.example/a/")
    }

    @Test("parameters are set, replaced or removed by name, and stand in the order of their names")
    func parameters() throws {
        func set(_ base: String, _ parameters: [String: String?]) throws -> String {
            try uri(base).settingParameters(parameters).text
        }
        #expect(try set("http://h.example/a?z=1&b=2", ["a": "x y"]) == "http://h.example/a?a=x%20y&b=2&z=1")
        #expect(try set("http://h.example/a?b=1&%62=2&c", ["c": "", "d": nil]) == "http://h.example/a?%62=2&c")
        #expect(try set("http://h.example/a?b=1&c=2", ["b": nil]) == "http://h.example/a?c=2")
        #expect(try set("http://h.example/a?b=1", ["b": nil]) == "http://h.example/a")
        #expect(
            try set("http://h.example:81/a", ["q&": "1=2/?:@,*+;é"])
                == "http://h.example:81/a?q%26=1%3D2/?:@,*%2B%3B%C3%A9"
        )
        #expect(
            try set("http://h.example/a?b=", [:]) == "http://h.example/a?b"
                && set("http://h.example/a?=&&", [:]) == "http://h.example/a"
        )
    }

    @Test("a path without its query, and the query, are parts of the URI")
    func parts() throws {
        let whole = try uri("http://h.example/a/b?c?d")
        #expect(text(whole.pathWithoutQuery) == "/a/b" && whole.query.map { text($0) } == "c?d")
        #expect(text(whole.directory) == "/a/b/" && whole.hasHost)
        let plain = try uri("http://h.example/a/")
        #expect(plain.query == nil && text(plain.directory) == "/a/" && text(plain.pathWithoutQuery) == "/a/")
        #expect(try uri("http://h.example/?").query.map { text($0) } == "")
        #expect(TargetURI(scheme: .http, host: [], port: 80, path: []).hasHost == false)
    }

    @Test("origins are written with scheme and host, and with a port that is not the usual one")
    func origins() throws {
        for (base, expected) in [
            ("http://H.example:80/a", "http://h.example"), ("http://h.example:443/", "http://h.example:443"),
            ("https://h.example:443/", "https://h.example"),
            ("https://[::1]:80/", "https://[::1]:80"),
        ] {
            #expect(Origin(try uri(base)).text == expected)
        }
        let one = Origin(try uri("http://h.example/a"))
        #expect(try one == Origin(uri("http://h.example/b")) && one != Origin(uri("http://i.example/a")))
        #expect(try one != Origin(uri("http://h.example:81/a")) && one != Origin(uri("https://h.example:80/a")))
    }

    @Test(
        "a canonical text is read as it is, and no other text",
        arguments: [
            ("http://h.example/", true), ("https://h.example/a?b", true), ("http://h.example:81/", true),
            ("http://[::1]/", true),
            ("http://[::1]:81/", true), ("http://h.example:80/", false), ("https://h.example:443/", false),
            ("http://H.example/", false),
            ("http://h.example", false), ("http://h.example:/", false), ("http://h.example:081/", false),
            ("http://h.example:x/", false),
            ("ftp://h.example/", false),
            ("http:", false), ("", false), ("http://h.example:65536/", false),
        ]
    )
    func canonical(text spelt: String, isCanonical: Bool) {
        let uri = TargetURI(canonical: latin(spelt).span)
        #expect(uri?.text == (isCanonical ? spelt : nil))
    }

    @Test("equal URIs are one in a set")
    func hashing() throws {
        let all = try [
            "http://h.example/a", "http://H.example:80/a", "http://h.example/b", "https://h.example/a",
            "http://h.example/a?",
        ].map { try uri($0) }
        #expect(Set(all).count == 4)
    }
}
