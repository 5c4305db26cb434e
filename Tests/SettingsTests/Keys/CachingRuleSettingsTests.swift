import HTTPCore
import Testing

@testable import Settings

/// What rules say of caching: values, faults, and what holds for a URL.
@Suite struct CachingRuleSettingsTests {
    private static func rule(_ lines: String) -> String { "[[rule]]\nmatch = \"http://h.example/**\"\n\(lines)\n" }

    @Test("every key of a rule arrives where it belongs, those it does not have say nothing (C-25.1)")
    func values() throws {
        let text = Self.rule(
            """
            ttl-by-status = { 200 = "10m", "404" = "1m", 5xx = 0, "300-303" = "5s" }
            ignore-client-no-cache = true
            cache-even = ["no-store", "no-cache", "private", "must-revalidate"]
            set-cookie = "strip"
            vary-ignore = ["User-Agent", "*"]
            key-header = "X-Tenant"
            partition = "staging-2"
            [[rule]]
            match = "http://h.example/a"
            cache-even = []
            partition = "credential"
            """
        )
        let rules = try load(text).values.rules
        #expect(
            rules[0].ttlByStatus == [
                StatusTTL(200...200, .seconds(600)), StatusTTL(404...404, .seconds(60)),
                StatusTTL(500...599, .zero), StatusTTL(300...303, .seconds(5)),
            ]
        )
        #expect(rules[0].ignoreClientNoCache == true && rules[0].setCookie == .strip)
        #expect(rules[0].cacheEven == [.noStore, .noCache, .private, .mustRevalidate])
        #expect(rules[0].varyIgnore == ["User-Agent", "*"] && rules[0].keyHeader == ["X-Tenant"])
        #expect(rules[0].partition == .named("staging-2"))
        #expect(rules[1].cacheEven == [] && rules[1].partition == .credential)
        #expect(rules[1].ttlByStatus.isEmpty && rules[1].setCookie == nil && rules[1].ignoreClientNoCache == nil)
        // What is shown reads the same.
        let shown = SettingsDocument.listing(try load(text))
        #expect(
            try load(shown.split(separator: "\n").map { String($0.prefix { $0 != "#" }) }.joined(separator: "\n"))
                .values.rules == rules
        )
    }

    @Test("the statuses of a rule are read in the order of the file, and none is said twice (C-25.1)")
    func overlaps() throws {
        let nested = try load(Self.rule("ttl-by-status = { 4xx = \"1s\", 404 = \"2s\", 400-410 = \"3s\" }"))
        #expect(nested.values.rules[0].ttlByStatus.count == 3)
    }

    @Test(
        "what is wrong is told with file, line, column and the nearest name (C-25.1)",
        arguments: [
            (
                "ttl-by-status = \"10m\"",
                "respite.toml:3:17: `rule.ttl-by-status` must be a table such as { 200 = \"10m\", 4xx = \"1m\" }, not \"10m\"",
                "                    ^"
            ),
            (
                "ttl-by-status = { 200 = \"1m\", 6xx = \"1m\" }",
                "respite.toml:3:31: `rule.ttl-by-status` has \"6xx\" where a status belongs, such as 200, \"4xx\" or "
                    + "\"500-599\", from 100 to 599",
                "                                  ^"
            ),
            (
                "ttl-by-status = { 400-450 = \"1m\", 440-499 = \"2m\" }",
                "respite.toml:3:35: `rule.ttl-by-status` has \"440-499\" and \"400-450\", which share statuses, and neither is a "
                    + "part of the other",
                "                                      ^"
            ),
            (
                "ttl-by-status = { 200 = \"1m\", \"200-200\" = \"2m\" }",
                "respite.toml:3:31: `rule.ttl-by-status` has 200 and 200, which share statuses, and neither is a part of the other",
                "                                  ^"
            ),
            (
                "ttl-by-status = {}",
                "respite.toml:3:17: `rule.ttl-by-status` must not be empty",
                "                    ^"
            ),
            (
                "status = 200\nttl-by-status = { 200 = \"1m\" }",
                "respite.toml:4:1: `rule.ttl-by-status` says itself which statuses it is for, so leave out `status`",
                "    ^"
            ),
            (
                "ignore-client-no-cache = \"yes\"",
                "respite.toml:3:26: `rule.ignore-client-no-cache` must be true or false, not \"yes\"",
                "                             ^"
            ),
            (
                "cache-even = [\"no-store\", \"no-chache\"]",
                "respite.toml:3:27: `rule.cache-even` must be one of \"no-store\", \"no-cache\", \"private\", \"must-revalidate\", "
                    + "not \"no-chache\"; did you mean `no-cache`?",
                "                              ^"
            ),
            (
                "cache-even = \"Authorization\"",
                "respite.toml:3:14: `rule.cache-even` cannot be \"Authorization\": what a request with credentials brings is "
                    + "cached for these already, and never for others",
                "                 ^"
            ),
            (
                "cache-even = \"set-cookie\"",
                "respite.toml:3:14: `rule.cache-even` cannot be \"set-cookie\", which has a setting of its own; did you mean "
                    + "`rule.set-cookie`?",
                "                 ^"
            ),
            (
                "set-cookie = \"stirp\"",
                "respite.toml:3:14: `rule.set-cookie` must be one of \"careful\", \"refuse\", \"reuse\", \"private\", \"strip\", not "
                    + "\"stirp\"; did you mean `strip`?",
                "                 ^"
            ),
            (
                "vary-ignore = [\"User Agent\"]",
                "respite.toml:3:16: `rule.vary-ignore` must be the name of a field, such as \"X-Api-Key\", not \"User Agent\"",
                "                   ^"
            ),
            (
                "vary-ignore = [\"Accept\", \"COOKIE\"]",
                "respite.toml:3:1: `rule.vary-ignore` names COOKIE, which tells users apart: their answers are never one "
                    + "another's",
                "    ^"
            ),
            (
                "vary-ignore = \"X-Api-Key\"",
                "respite.toml:3:1: `rule.vary-ignore` names X-Api-Key, which tells users apart: their answers are never one "
                    + "another's",
                "    ^"
            ),
            (
                "vary-ignore = \"Accept\"\nkey-header = \"accept\"",
                "respite.toml:3:1: `rule.vary-ignore` names Accept, which the same rule has responses differ by",
                "    ^"
            ),
            (
                "key-header = 5",
                "respite.toml:3:14: `rule.key-header` must be the name of a field, such as \"X-Api-Key\", not 5",
                "                 ^"
            ),
            (
                "status = 200\nkey-header = \"X-A\"",
                "respite.toml:4:1: `rule.key-header` decides where a response is looked for, so it cannot depend on `status`: make it a rule of its own",
                "    ^"
            ),
            (
                "content-types = \"text/*\"\npartition = \"a\"",
                "respite.toml:4:1: `rule.partition` decides where a response is looked for, so it cannot depend on "
                    + "`content-types`: make it a rule of its own",
                "    ^"
            ),
            (
                "partition = \"credental\"",
                "respite.toml:3:13: `rule.partition` must be \"shared\", \"credential\", \"user\" or a name of letters in "
                    + "lower case, digits, - and ., 63 at most, not \"credental\"; did you mean `credential`?",
                "                ^"
            ),
            (
                "partition = \"private\"",
                "respite.toml:3:13: `rule.partition` must be \"shared\", \"credential\", \"user\" or a name of letters in "
                    + "lower case, digits, - and ., 63 at most, not \"private\"; did you mean `credential`?",
                "                ^"
            ),
            (
                "partition = \"My Team\"",
                "respite.toml:3:13: `rule.partition` must be \"shared\", \"credential\", \"user\" or a name of letters in "
                    + "lower case, digits, - and ., 63 at most, not \"My Team\"",
                "                ^"
            ),
            (
                "never-cache = true\ncache-even = \"no-store\"",
                "respite.toml:4:1: `rule.cache-even` has no meaning with `never-cache = true`: leave one of them out",
                "    ^"
            ),
            (
                "key-haeder = \"X-A\"",
                "respite.toml:3:1: unknown setting `rule.key-haeder`; did you mean `rule.key-header`?",
                "    ^"
            ),
        ] as [(String, String, String)]
    )
    func faults(lines: String, message: String, mark: String) throws {
        let error = try #require(refusal(Self.rule(lines)))
        let shown = error.description.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(shown.first == message)
        #expect(shown.last == mark)
    }

    @Test("a wrong lifetime within ttl-by-status is told with its status (C-25.1)")
    func lifetimeFault() throws {
        let error = try #require(refusal(Self.rule("ttl-by-status = { 404 = \"1 minute\" }")))
        #expect(
            error.description.hasPrefix("respite.toml:3:25: `rule.ttl-by-status.404` must be a duration"),
            "\(error)"
        )
    }

    @Test("a field that the settings make a credential is one for vary-ignore, too (C-25.1)")
    func ownCredentials() throws {
        let text = "cache.credential-fields = [\"X-Session\"]\n" + Self.rule("vary-ignore = \"x-session\"")
        #expect(try #require(refusal(text)).userMessage.contains("tells users apart"))
        #expect(
            refusal("cache.credential-fields = [\"X-Session\"]\n" + Self.rule("vary-ignore = \"X-Api-Key\"")) == nil
        )
    }

    @Test("config show URL lists what each rule says, the last word first, with its place (C-25.1)")
    func effective() throws {
        let text =
            Self.rule(
                "ttl-by-status = { 404 = \"1m\" }\ncache-even = \"no-store\"\nkey-header = \"X-A\"\nvary-ignore = \"Origin\""
            )
            + Self.rule(
                "content-types = \"image/*\"\ncache-even = []\nset-cookie = \"strip\"\nignore-client-no-cache = true"
            )
            + Self.rule("partition = \"blue\"\nkey-header = \"X-B\"")
        let effective = EffectiveSettings(try load(text), url: try TargetURI(parsing: "http://h.example/x"))
        func lines(_ name: String) -> [String] {
            effective.values.filter { $0.name == name }.map { value in
                "\(value.value ?? "-")\(value.condition.map { " if \($0)" } ?? "") \(value.rule ?? "-") \(value.origin)"
            }
        }
        #expect(lines("ttl-by-status") == ["{ 404 = \"1m\" } rule 1 respite.toml:3:1"])
        #expect(
            lines("cache-even") == [
                "[] if content-types = [\"image/*\"] rule 2 respite.toml:10:1",
                "[\"no-store\"] rule 1 respite.toml:4:1",
            ]
        )
        #expect(lines("set-cookie") == ["\"strip\" if content-types = [\"image/*\"] rule 2 respite.toml:11:1"])
        #expect(lines("ignore-client-no-cache") == ["true if content-types = [\"image/*\"] rule 2 respite.toml:12:1"])
        #expect(lines("vary-ignore") == ["[\"Origin\"] rule 1 respite.toml:6:1"])
        #expect(lines("key-header") == ["[\"X-A\"] rule 1 respite.toml:5:1", "[\"X-B\"] rule 3 respite.toml:16:1"])
        #expect(lines("partition") == ["\"blue\" rule 3 respite.toml:15:1"])
    }

    @Test("rules are for a service, a host, a path, a method, a media type, a status (C-25.1)")
    func conditions() throws {
        let text = """
            [service.api]
            base = "http://api.example/v1"
            [[service.api.rule]]
            match = "**"
            set-cookie = "strip"
            [[rule]]
            match = "*://*.host.example/**"
            set-cookie = "reuse"
            [[rule]]
            match = "http://h.example/images/*.png"
            methods = ["GET"]
            content-types = "image/png"
            status = "2xx"
            set-cookie = "refuse"
            """
        func said(_ url: String, _ method: Method = .get) throws -> [String] {
            EffectiveSettings(try load(text), url: try TargetURI(parsing: url), method: method).values
                .filter { $0.name == "set-cookie" }.map { "\($0.value ?? "-") \($0.condition ?? "-")" }
        }
        #expect(try said("http://api.example/v1/x") == ["\"strip\" -"])
        #expect(try said("http://api.example/v2/x").isEmpty)
        #expect(try said("https://a.host.example/x") == ["\"reuse\" -"])
        #expect(try said("http://other.example/x").isEmpty)
        #expect(
            try said("http://h.example/images/a.png") == [
                "\"refuse\" content-types = [\"image/png\"], status = [\"2xx\"]"
            ]
        )
        #expect(
            try said("http://h.example/images/a.png", .post).isEmpty && said("http://h.example/images/a/b.png").isEmpty
        )
    }
}
