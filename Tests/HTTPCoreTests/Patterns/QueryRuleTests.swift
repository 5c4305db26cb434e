import HTTPCore
import Testing

/// Which resource a URI with a query stands for.
@Suite("Query rules")
struct QueryRuleTests {
    private func identity(_ uri: String, _ rules: [QueryRule], _ method: Method = .get) throws -> String {
        try TargetURI(parsing: uri).applying(rules, for: method).text
    }

    private func rule(
        _ names: [String] = [],
        sorts: Bool? = nil,
        match: String = "http://h.example/**"
    ) throws -> QueryRule {
        QueryRule(try URLGlob(match), dropping: names, sorts: sorts)
    }

    @Test(
        "parameters that fit a name go; all else stays as sent",
        arguments: [
            ("?utm_a=1&b=2", "?b=2"), ("?b=2&utm_a=1", "?b=2"), ("?utm_a", ""), ("?utm_a=1&utm_b=2", ""),
            ("?a=1&&b=%7e+%20", "?a=1&&b=%7e+%20"), ("?a=utm_b", "?a=utm_b"), ("?UTM_a=1", "?UTM_a=1"),
            ("?%75tm_a=1&b", "?b"), ("?butm_a=1", "?butm_a=1"), ("?", "?"), ("", ""), ("?a=1;utm_b=2", "?a=1;utm_b=2"),
            ("?fbclid=x", ""), ("?fbclid", ""), ("?fbclids=x", "?fbclids=x"), ("?&utm_a=1", "?"), ("?=1", "?=1"),
        ]
    )
    func dropped(query: String, expected: String) throws {
        #expect(
            try identity("http://h.example/p\(query)", [rule(["utm_*", "fbclid"])]) == "http://h.example/p\(expected)"
        )
    }

    @Test(
        "what stays is sorted by name, stably, where a rule says so",
        arguments: [
            ("?b=2&a=1", "?a=1&b=2"), ("?a=2&b=0&a=1", "?a=2&a=1&b=0"), ("?a=1&b=2", "?a=1&b=2"),
            ("?b&a", "?a&b"), ("?a=1&=x", "?=x&a=1"), ("?ab=1&a=2", "?a=2&ab=1"),
        ]
    )
    func sorted(query: String, expected: String) throws {
        #expect(try identity("http://h.example/p\(query)", [rule(sorts: true)]) == "http://h.example/p\(expected)")
    }

    @Test("rules add up in order, and the last that speaks of sorting decides")
    func order() throws {
        let rules = [try rule(["x"], sorts: true), try rule(["y"])]
        #expect(try identity("http://h.example/p?y=1&c&x&b", rules) == "http://h.example/p?b&c")
        #expect(try identity("http://h.example/p?c&x&b", rules + [rule(sorts: false)]) == "http://h.example/p?c&b")
    }

    @Test("a rule is for its URIs and methods; HEAD goes with GET")
    func conditions() throws {
        var posts = try rule(["x"])
        posts.methods = [.get]
        #expect(try identity("http://h.example/p?x", [posts]) == "http://h.example/p")
        #expect(try identity("http://h.example/p?x", [posts], .head) == "http://h.example/p")
        #expect(try identity("http://h.example/p?x", [posts], .post) == "http://h.example/p?x")
        #expect(try identity("http://other.example/p?x", [posts]) == "http://other.example/p?x")
        #expect(
            try identity("http://h.example/p?x&v=1", [rule(["x"], match: "http://h.example/p?**v=1**")])
                == "http://h.example/p?v=1"
        )
    }

    @Test("names may hold several wildcards; applying the rules twice changes nothing more")
    func idempotent() throws {
        let rules = [try rule(["*id*", "a*b*"], sorts: true)]
        let once = try identity("http://h.example/p?z=1&grid=2&a1b2=3&b=4", rules)
        #expect(once == "http://h.example/p?b=4&z=1")
        #expect(try identity(once, rules) == once)
    }
}
