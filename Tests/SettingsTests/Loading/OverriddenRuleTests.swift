import Testing

@testable import Settings

/// Which rules have no effect, since a later one overrides them or nothing comes to them.
@Suite struct OverriddenRuleTests {
    private static func rule(_ text: String, match: String = "http://a.example/**") -> String {
        "[[rule]]\nmatch = \"\(match)\"\n\(text)\n"
    }

    private static func summaries(_ text: String) throws -> [String] { try load(text).warnings.map(\.summary) }

    @Test(
        "a later rule overrides an earlier one if it is for all its requests and responses",
        arguments: [
            ("", "", true), ("methods = \"GET\"", "", true), ("", "methods = \"GET\"", false),
            ("methods = \"GET\"", "methods = [\"PUT\", \"GET\"]", true),
            ("methods = [\"PUT\", \"GET\"]", "methods = \"GET\"", false),
            ("content-types = \"a/b\"", "", true), ("", "content-types = \"a/b\"", false),
            ("content-types = \"a/b\"", "content-types = [\"c/d\", \"a/b\"]", true),
            ("content-types = [\"a/b\", \"c/d\"]", "content-types = \"a/b\"", false),
            ("status = 404", "", true), ("", "status = 404", false), ("status = 404", "status = \"4xx\"", true),
            ("status = \"4xx\"", "status = \"4xx\"", true), ("status = \"4xx\"", "status = 404", false),
            ("status = [404, 500]", "status = \"4xx\"", false), ("status = [404, 500]", "status = [500, 404]", true),
            ("status = \"400-450\"", "status = \"401-450\"", false),
            ("status = \"400-450\"", "status = \"400-449\"", false),
        ]
    )
    func conditions(earlier: String, later: String, overrides: Bool) throws {
        let text = Self.rule("ttl = \"1h\"\n\(earlier)") + Self.rule("ttl = \"2h\"\n\(later)")
        let warnings = try Self.summaries(text)
        let sentence =
            "respite.toml:1:1: rule 1 (http://a.example/**) has no effect: rule 2 (respite.toml:5:1) comes later, is for the "
            + "same URLs and sets the same"
        #expect(warnings == (overrides ? [sentence] : []))
    }

    @Test(
        "a pattern that ends with ** is for all that begins with the text before it, from the path on",
        arguments: [
            ("http://a.example/x", "http://a.example/**", true),
            ("http://a.example/x/**", "http://a.example/x/**", true),
            ("http://a.example/x*", "http://a.example/x**", true), ("http://a.example/", "http://a.example/**", true),
            ("http://a.example/x", "**", true), ("http://a.example/x/", "http://a.example/x/y**", false),
            ("http://a.example/x", "http://a.exa**", false), ("http://a.example/x", "http://**", false),
            ("http://a.example/x", "http://a.example/*", false),
            ("http://a.example/xy", "http://a.example/{x,y}**", false),
            ("https://a.example/x", "http://a.example/**", false),
        ]
    )
    func patterns(earlier: String, later: String, overrides: Bool) throws {
        let text = Self.rule("ttl = \"1h\"", match: earlier) + Self.rule("ttl = \"2h\"", match: later)
        #expect(try Self.summaries(text).count == (overrides ? 1 : 0))
    }

    @Test(
        "a rule is overridden only if all that it sets is set anew",
        arguments: [
            ("ttl = \"1h\"", "ttl = 0", true), ("ttl = \"1h\"\nretry = true", "ttl = 0\nretry = false", true),
            ("ttl = \"1h\"\nretry = true", "ttl = 0", false), ("ttl = \"1h\"", "stale-if-error = 0", false),
            ("ttl = \"1h\"\nkey-header = \"X\"", "never-cache = true", true),
            ("ttl = \"1h\"\nretry = true", "never-cache = true", false), ("ttl = \"1h\"", "never-cache = false", false),
            ("vary-add = \"X\"", "vary-add = \"X\"", false), ("drop-query = \"a\"", "drop-query = \"a\"", false),
            ("deny = \"a\"", "deny = false", true),
            ("delay = \"1s\"\nfail = \"reset\"", "fail = false\ndelay = 0", true),
        ]
    )
    func members(earlier: String, later: String, overrides: Bool) throws {
        #expect(try Self.summaries(Self.rule(earlier) + Self.rule(later)).count == (overrides ? 1 : 0))
    }

    @Test(
        "of some members the last rule's value holds, so that the same member again overrides",
        arguments: [
            "ttl = 0", "stale-while-revalidate = 0", "stale-if-error = 0", "refresh-ahead = \"1%\"",
            "ignore-client-no-cache = true", "cache-even = \"no-store\"", "set-cookie = \"strip\"",
            "record-streams = true", "replay-pace = 2.0", "never-cache = true", "key-body = true",
            "partition = \"a\"", "retry = true", "rate-limit = \"1/s\"", "retry-after = \"origin\"",
            "connect-http = true", "deny = \"no\"", "redirect = false", "fail = false", "delay = 0", "rate = false",
        ]
    )
    func replaced(member: String) throws {
        let warnings = try Self.summaries(Self.rule(member) + Self.rule(member))
        #expect(warnings.count == 1 && warnings.first?.contains("rule 1 (http://a.example/**) has no effect") == true)
    }

    @Test(
        "other members add up over the rules, so that the same member again overrides nothing",
        arguments: [
            "ttl-by-status = { 404 = \"1m\" }", "vary-add = \"X\"", "vary-ignore = \"X\"", "key-header = \"X\"",
            "drop-query = \"a\"", "sort-query = true", "set-field = { request = { X = \"1\" } }",
            "remove-field = { request = [\"X\"] }", "scrub = \"$.a\"", "transform = { json = \"minify\" }",
        ]
    )
    func added(member: String) throws { #expect(try Self.summaries(Self.rule(member) + Self.rule(member)) == []) }

    /// The members about stored responses, but `never-cache`.
    private static let caching = [
        ("ttl", "\"1h\""), ("ttl-by-status", "{ 404 = \"1m\" }"), ("stale-while-revalidate", "0"),
        ("stale-if-error", "0"), ("refresh-ahead", "\"1%\""), ("ignore-client-no-cache", "true"),
        ("cache-even", "\"no-store\""), ("set-cookie", "\"strip\""), ("record-streams", "true"),
        ("replay-pace", "2.0"), ("vary-add", "\"X\""), ("vary-ignore", "\"X\""), ("key-header", "\"X\""),
        ("key-body", "true"), ("partition", "\"a\""),
    ]

    @Test("never-cache overrides all that is about stored responses, which is nothing for PUT", arguments: caching)
    func stored(name: String, value: String) throws {
        let never = try Self.summaries(Self.rule("\(name) = \(value)") + Self.rule("never-cache = true"))
        #expect(never.count == 1 && never.first?.contains("rule 1 (http://a.example/**) has no effect") == true)
        #expect(
            try Self.summaries(Self.rule("\(name) = \(value)\nmethods = \"PUT\"")) == [
                "respite.toml:3:1: `rule.\(name)` has no effect for PUT: only responses to GET and HEAD are stored"
            ]
        )
    }

    @Test("the first rule that overrides is named; rules of one service override each other, not those of others")
    func winners() throws {
        let three =
            Self.rule("ttl = 0", match: "http://a.example/x") + Self.rule("ttl = 0") + Self.rule("ttl = 0", match: "**")
        let warnings = try Self.summaries(three)
        #expect(warnings.count == 2 && warnings.allSatisfy { $0.contains("has no effect") })
        #expect(warnings[0].contains("rule 1 (http://a.example/x) has no effect: rule 2 (respite.toml:4:1)"))
        #expect(warnings[1].contains("rule 2 (http://a.example/**) has no effect: rule 3 (respite.toml:7:1)"))
        let service = """
            [service.x]
            base = "http://x.example"
            rule = [{ match = "/a", ttl = "1h" }, { match = "/**", ttl = "2h" }]
            [service.y]
            base = "http://y.example"
            rule = [{ match = "/a", ttl = "1h" }]
            """
        #expect(
            try Self.summaries(service) == [
                "respite.toml:3:9: rule 1 of x (/a) has no effect: rule 2 of x (respite.toml:3:39) comes later, is for the "
                    + "same URLs and sets the same"
            ]
        )
    }

    @Test("of included rules none is told, of the file's own behind them the first one, too")
    func included() throws {
        var reader = SettingsReader()
        let own = Self.rule("ttl = \"1h\"") + Self.rule("ttl = \"2h\"")
        reader.read(
            Array(("[[include]]\nfile = \"x\"\nbelow = \"http://a.example/\"\n" + own).utf8),
            name: "respite.toml"
        )
        reader.read(Array("[[rule]]\nmatch = \"/x\"\nttl = \"1h\"\n".utf8), name: "x", including: 0)
        let warnings = try reader.finish().warnings.map(\.summary)
        #expect(warnings.count == 1 && warnings.first?.contains("rule 2 (http://a.example/**) has no effect") == true)
    }

    // MARK: Methods

    @Test(
        "a rule for methods of which one is GET or HEAD has an effect",
        arguments: ["[\"POST\", \"HEAD\"]", "\"HEAD\"", "\"GET\"", "[\"GET\", \"CONNECT\"]", "[\"TRACE\", \"HEAD\"]"]
    )
    func readingMethods(methods: String) throws {
        #expect(try Self.summaries(Self.rule("ttl = \"1h\"\nmethods = \(methods)")) == [])
    }

    @Test("a rule for CONNECT and TRACE has no effect, and one for others is told what it cannot do")
    func otherMethods() throws {
        #expect(
            try Self.summaries(Self.rule("ttl = \"1h\"\nmethods = [\"TRACE\", \"CONNECT\"]")) == [
                "respite.toml:4:1: rule 1 has no effect: CONNECT opens a tunnel, in which nothing is read; "
                    + "`intercept.hosts` names the hosts whose tunnels are"
            ]
        )
        #expect(
            try Self.summaries(Self.rule("retry = true\nmethods = [\"PATCH\", \"POST\"]")) == [
                "respite.toml:3:1: `rule.retry` has no effect for PATCH, POST: such a request is never repeated, since that "
                    + "could do its work twice"
            ]
        )
        #expect(
            try Self.summaries(Self.rule("ttl = 0\nmethods = [\"CONNECT\", \"PUT\"]")) == [
                "respite.toml:3:1: `rule.ttl` has no effect for CONNECT, PUT: only responses to GET and HEAD are stored"
            ]
        )
        #expect(try Self.summaries(Self.rule("retry = true\nmethods = [\"PATCH\", \"PUT\"]")) == [])
    }

    // MARK: Tunnels

    @Test(
        "a rule for https URLs has an effect where a route or an interception reads them",
        arguments: [
            ("routes = [\"forward\"]", "", false), ("routes = [\"forward\", \"prefix\"]", "", true),
            ("routes = [\"forward\", \"services\"]", "", false),
            ("routes = [\"forward\", \"services\"]", "[service.x]\nbase = \"http://x.example\"\n", true),
            ("routes = [\"forward\"]", "[service.x]\nbase = \"http://x.example\"\n", false),
            ("routes = [\"forward\", \"gateway\"]", "gateway = \"https://h.example\"\n", true),
            ("routes = [\"forward\", \"gateway\"]", "gateway = \"http://h.example\"\n", false),
            ("routes = [\"forward\"]", "intercept.hosts = \"b.example\"\n", true),
        ]
    )
    func tunnels(routes: String, other: String, hasEffect: Bool) throws {
        let text =
            other + "[[listener]]\naddress = \"127.0.0.1:1\"\n\(routes)\n"
            + Self.rule("ttl = 0", match: "https://a.example/**")
        let warnings = try Self.summaries(text)
        #expect(warnings.isEmpty == hasEffect, "\(warnings)")
    }
}
