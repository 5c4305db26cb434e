import Testing

@testable import Settings

/// What is told about members of rules and services that do not fit each other, in full.
@Suite struct MemberFaultTests {
    private static func rule(_ lines: String) -> String { "[[rule]]\nmatch = \"http://h.example/**\"\n\(lines)\n" }

    private static func service(_ lines: String) -> String { "[service.x]\nbase = \"http://h.example/\"\n\(lines)\n" }

    private static let transformers: [(String, String)] = [
        (
            #"encode = ["br", "gzip"], always = true"#,
            "3:15: `always` codes in any case, so `encode` must name one coding"
        ),
        (#"encode = []"#, "3:24: `transform.encode` must not be empty"),
        (#"substitute = "a""#, "3:15: `substitute` needs `with`, the text to put in its place"),
        (
            #"substitute = "", with = "b""#,
            #"3:28: `transform.substitute` must be text of one character or more, not """#
        ),
        (#"json = "select""#, #"3:15: json = "select" needs `path`, such as "$.items""#),
        (#"json = "minify", indent = 2"#, #"3:32: `indent` belongs to json = "pretty", not to "minify""#),
        (
            #"json = "pretty", indent = 17"#,
            "3:41: `transform.indent` must be a whole number from 0 to 16, not 17"
        ),
        (#"decode = "all", regex = true"#, "3:31: `regex` belongs to `substitute`, not to `decode`"),
        (#"links = "prefix", with = "a""#, "3:33: `with` belongs to `redact` and `substitute`, not to `links`"),
        (#"redact = []"#, "3:24: `transform.redact` must not be empty"),
        (#"fields = {}"#, "3:24: `transform.fields` needs `set`, `add` or `remove`"),
        (#"fields = { set = { A = "b", a = "c" } }"#, "3:43: `fields.set` has a twice"),
        (#"fields = { set = { "A B" = "b" } }"#, #"3:34: `fields.set` has an invalid field name "A B""#),
        (#"fields = { add = { "" = "b" } }"#, #"3:34: `fields.add` has an invalid field name """#),
        (
            #"fields = { set = { Via = "b" } }"#,
            "3:34: `fields.set` cannot set Via, which is the proxy's own"
        ),
        (#"fields = { set = 1 }"#, #"3:32: `fields.set` must be a table such as { X-Name = "value" }, not 1"#),
        (
            #"stage = "model""#,
            "3:13: `transform` has an entry that does nothing; it needs one of `decode`, `charset`, `json`, `redact`, "
                + "`substitute`, `fields`, `links`, `encode`"
        ),
    ]

    @Test("an entry of transform is told what does not belong to it", arguments: transformers)
    func transformer(entry: String, message: String) {
        #expect(refusal(Self.rule("transform = { \(entry) }"))?.summary == "respite.toml:" + message)
    }

    @Test(
        "an entry of transform with all that it may have is right",
        arguments: [
            #"encode = ["br"], always = true"#, #"encode = ["br", "gzip"], always = false"#,
            #"substitute = "a", with = """#, #"json = "pretty", indent = 16"#, #"json = "pretty", indent = 0"#,
            #"redact = "/a", with = "x", ignore-case = true"#, #"fields = { set = { Range = "b" } }"#,
            #"fields = { set = { A = "b" }, add = { A = "c" } }"#,
        ]
    )
    func rightTransformers(entry: String) {
        #expect(refusal(Self.rule("transform = { \(entry) }")) == nil)
    }

    private static let rules: [(String, String)] = [
        (
            "transform = \"none\"\nforce = true",
            "4:1: `rule.force` is about the transformers of its rule, and this rule has no `transform`"
        ),
        (
            "oversize = \"pass\"",
            "3:1: `rule.oversize` is about the transformers of its rule, and this rule has no `transform`"
        ),
        (
            "transform = { redact = \"$.a\" }\nforce = false",
            "4:1: `rule.force` cannot be false with `redact`: what says no-transform would go unredacted"
        ),
        (
            "content-types = \"a/b\"\ntransform = \"none\"",
            "4:1: `rule.transform`: \"none\" takes earlier transformers away for all responses, so the rule cannot have "
                + "`content-types` or `status`"
        ),
        (
            "status = 200\ntransform = [\"none\", { json = \"minify\" }]",
            "4:1: `rule.transform`: \"none\" takes earlier transformers away for all responses, so the rule cannot have "
                + "`content-types` or `status`"
        ),
        (
            "content-types = \"a/b\"\nsort-query = true",
            "4:1: `rule.sort-query` changes the URL before there is a response, so it cannot depend on `content-types`: "
                + "make it a rule of its own"
        ),
        (
            "content-types = \"a/b\"\ndelay = \"1s\"",
            "4:1: `rule.delay` is decided before there is a response, so it cannot depend on `content-types`: make it a "
                + "rule of its own"
        ),
        (
            "set-field = { request = { Authorization = \"b\" } }",
            "3:13: `rule.set-field` cannot set Authorization, which holds a credential: a [[service]] can, from a file"
        ),
        (
            "set-field = { request = { Range = \"b\" } }",
            "3:27: `set-field.request` cannot set Range, which is the proxy's own"
        ),
        ("remove-field = { response = [] }", "3:29: `remove-field.response` must not be empty"),
        ("key-body = { json = true, ignore = [] }", "3:36: `key-body.ignore` must not be empty"),
        ("retry = { delay = \"5001ms\" }", "3:9: `rule.retry` has a `delay` above its `max-delay`"),
        ("redirect = {}", "3:12: `rule.redirect` needs `to`, the URL where clients are sent"),
        (
            "redirect = { to = \"https://a.example/\", status = 303 }",
            "3:50: `redirect.status` must be 301, 302, 307 or 308, not 303"
        ),
        (
            "redirect = { to = \"https://a.example/\", status = 306 }",
            "3:50: `redirect.status` must be 301, 302, 307 or 308, not 306"
        ),
        ("fail = {}", "3:8: `rule.fail` needs `status`, such as 503, or `how`: reset or timeout"),
        ("fail = { status = 399 }", "3:19: `fail.status` must be a whole number from 400 to 599, not 399"),
        ("fail = { status = 600 }", "3:19: `fail.status` must be a whole number from 400 to 599, not 600"),
        (
            "fail = { how = \"reset\", share = -0.1 }",
            "3:33: `fail.share` must be a number from 0.0 to 1.0, not -0.1"
        ),
        ("fail = { how = \"reset\", share = 1.1 }", "3:33: `fail.share` must be a number from 0.0 to 1.0, not 1.1"),
        ("rate-limit = { burst = 1 }", "3:14: `rule.rate-limit` needs `rate`, such as \"10/s\""),
    ]

    @Test("members of a rule that contradict each other are told in full", arguments: rules)
    func rule(lines: String, message: String) {
        #expect(refusal(Self.rule(lines))?.summary == "respite.toml:" + message)
    }

    @Test("redirects have the statuses that keep or change the method", arguments: [301, 302, 307, 308])
    func redirects(status: Int) throws {
        let lines = "redirect = { to = \"https://a.example/\", status = \(status) }"
        var settings = RedirectSettings()
        (settings.target, settings.status) = ("https://a.example/", status)
        #expect(try load(Self.rule(lines)).values.rules[0].redirect == .to(settings))
    }

    @Test(
        "members of a rule that go together are right",
        arguments: [
            "transform = { redact = \"$.a\" }\nforce = true\noversize = \"fail\"",
            "transform = { json = \"minify\" }\nforce = false",
            "content-types = \"a/b\"\ntransform = { json = \"minify\" }", "status = 200\nset-cookie = \"strip\"",
            "never-cache = false\nttl = \"1s\"", "transform = { json = \"minify\" }\noversize = \"pass\"",
            "vary-ignore = \"X-A\"\nvary-add = \"X-B\"\nkey-header = \"X-C\"",
            "set-field = { response = { Authorization = \"b\" } }",
        ]
    )
    func rightRules(lines: String) {
        #expect(refusal(Self.rule(lines)) == nil)
    }

    @Test(
        "with never-cache nothing about stored responses has a meaning",
        arguments: [
            "ttl = 0", "ttl-by-status = { 200 = 0 }", "stale-if-error = 0", "stale-while-revalidate = 0",
            "refresh-ahead = \"0%\"", "ignore-client-no-cache = true", "cache-even = []", "set-cookie = \"strip\"",
            "record-streams = true", "replay-pace = 1", "vary-add = \"A\"", "vary-ignore = \"A\"", "key-header = \"A\"",
            "key-body = true", "partition = \"a\"",
        ]
    )
    func neverCached(line: String) {
        let name = line.prefix { $0 != " " }
        let message = "4:1: `rule.\(name)` has no meaning with `never-cache = true`: leave one of them out"
        #expect(refusal(Self.rule("never-cache = true\n\(line)"))?.summary == "respite.toml:" + message)
    }

    @Test("the thousandth rule is the last, and so are the 64th listener, the 64th list and the 100th include")
    func counts() {
        func many(_ count: Int, _ table: (Int) -> String) -> String { (1...count).map(table).joined() }
        func rule(_ number: Int) -> String { "[[rule]]\nmatch = \"http://h\(number).example/\"\nttl = \"1s\"\n" }
        func listener(_ number: Int) -> String { "[[listener]]\naddress = \"127.0.0.1:\(number)\"\n" }
        func warm(_ number: Int) -> String { "[[warm]]\nurls = \"u\(number)\"\nevery = \"1h\"\n" }
        func include(_ number: Int) -> String { "[[include]]\nfile = \"f\(number)\"\nbelow = \"http://a.example/\"\n" }
        #expect(refusal(many(1000, rule)) == nil)
        #expect(refusal(many(1001, rule))?.summary == "respite.toml:3001:1: `rule` has more than 1000 entries")
        #expect(refusal(many(64, listener)) == nil)
        #expect(
            refusal(many(65, listener))?.userMessage
                == "`listener` must be a list of at most 64 tables: write [[listener]], not a list"
        )
        #expect(refusal(many(64, warm)) == nil)
        #expect(
            refusal(many(65, warm))?.userMessage
                == "`warm` must be a list of at most 64 tables: write [[warm]], not a list"
        )
        #expect(refusal(many(100, include)) == nil)
        #expect(
            refusal(many(101, include))?.userMessage
                == "`include` must be a list of at most 100 tables: write [[include]], not a list"
        )
    }
}
