import HTTPCore
import Testing

@testable import Settings

/// `scrub` of rules.
@Suite struct ScrubSettingsTests {
    private static func rule(_ lines: String) -> String { "[[rule]]\nmatch = \"http://h.example/**\"\n\(lines)\n" }

    @Test("scrub is a path or a list of paths, and is shown as it reads")
    func values() throws {
        let loaded = try load(Self.rule("scrub = [\"$..api_key\", \"/user/email\"]"))
        #expect(loaded.values.rules[0].scrub == ["$..api_key", "/user/email"])
        #expect(SettingsDocument.listing(loaded).contains("scrub = [\"$..api_key\", \"/user/email\"]"))
        let effective = EffectiveSettings(loaded, url: try TargetURI(parsing: "http://h.example/x"))
        #expect(effective.values.first { $0.name == "scrub" }?.value == "[\"$..api_key\", \"/user/email\"]")
    }

    @Test("what is no path is refused with its place", arguments: ["[]", "[\"api_key\"]", "1"])
    func faults(value: String) {
        #expect(refusal(Self.rule("scrub = \(value)"))?.userMessage.contains("scrub") == true)
    }
}
