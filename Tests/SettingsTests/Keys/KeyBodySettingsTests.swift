import HTTPCore
import Testing

@testable import Settings

/// `key-body` of rules.
@Suite struct KeyBodySettingsTests {
    private static func rule(_ lines: String) -> String { "[[rule]]\nmatch = \"http://h.example/**\"\n\(lines)\n" }

    @Test("key-body is true, false or a form with paths, and is shown as it reads (C-24.7)")
    func values() throws {
        let texts: [(String, KeyBodySetting)] = [
            ("true", .bytes), ("false", .off), ("{ json = true }", .json(ignore: [], only: [])),
            ("{ graphql = true }", .graphql(ignore: [])),
            ("{ graphql = true, ignore = [\"$.extensions\"] }", .graphql(ignore: ["$.extensions"])),
            (
                "{ json = true, ignore = [\"$.user\", \"/meta\"], only = [\"$.a\"] }",
                .json(ignore: ["$.user", "/meta"], only: ["$.a"])
            ),
        ]
        for (text, expected) in texts {
            let loaded = try load(Self.rule("key-body = \(text)"))
            #expect(loaded.values.rules[0].keyBody == expected)
            #expect(SettingsDocument.listing(loaded).contains("key-body = \(text)"))
            let effective = EffectiveSettings(loaded, url: try TargetURI(parsing: "http://h.example/x"))
            #expect(effective.values.first { $0.name == "key-body" }?.value == text)
        }
        #expect(try load(Self.rule("ttl = \"1s\"")).values.rules[0].keyBody == nil)
    }

    @Test(
        "what is wrong is told with its place (C-24.7)",
        arguments: [
            ("key-body = 1", "`rule.key-body` must be true, { json = true } or false, not 1"),
            ("key-body = { json = false }", "needs `json = true`"),
            ("key-body = { ignore = \"$.a\" }", "needs `json = true` or `graphql = true`"),
            ("key-body = { json = true, graphql = true }", "needs `json = true` or `graphql = true`, not both"),
            ("key-body = { graphql = true, only = \"$.a\" }", "{ graphql = true } without `only`"),
            ("key-body = { json = true, ignore = \"a\" }", "must be a path such as"),
            ("key-body = { jsn = true }", "unknown setting `key-body.jsn`"),
            ("status = 200\nkey-body = true", "cannot depend on `status`"),
            ("never-cache = true\nkey-body = true", "has no meaning with `never-cache = true`"),
        ]
    )
    func faults(lines: String, message: String) {
        let refusal = refusal(Self.rule(lines))
        #expect(refusal?.userMessage.contains(message) == true, "\(refusal?.userMessage ?? "none")")
    }

    @Test("a rule for POST that is about stored responses has an effect only where content is a key; for QUERY always")
    func warnings() throws {
        func warns(_ lines: String) throws -> Bool {
            try load(Self.rule(lines)).warnings.contains { $0.message.contains("no effect") }
        }
        #expect(try warns("methods = [\"POST\"]\nttl = \"1s\""))
        #expect(try !warns("methods = [\"POST\"]\nttl = \"1s\"\nkey-body = true"))
        #expect(try !warns("methods = [\"QUERY\"]\nttl = \"1s\""))
        #expect(try warns("methods = [\"POST\"]\nttl = \"1s\"\nkey-body = false"))
    }

    @Test("the limits of held content and questions have defaults")
    func limits() throws {
        let values = try load("").values
        #expect(values.limits.keyBody == .mebibytes(1) && values.limits.keyBodyMemory == .mebibytes(64))
        #expect(values.cache.questionsPerResource == 100_000)
    }
}
