import HTTPCore
import Testing

@testable import Settings

/// `record-streams` and `replay-pace` of rules.
@Suite struct StreamSettingsTests {
    private static func rule(_ lines: String) -> String { "[[rule]]\nmatch = \"http://h.example/**\"\n\(lines)\n" }

    @Test(
        "replay-pace is a word or a factor, and is shown as it reads (C-24.5)",
        arguments: [
            ("\"instant\"", .instant, "\"instant\""), ("\"recorded\"", .factor(1), "\"recorded\""),
            ("4.0", .factor(4), "4.0"), ("2", .factor(2), "2.0"), ("0.01", .factor(0.01), "0.01"),
            ("1000", .factor(1000), "1000.0"), ("1", .factor(1), "\"recorded\""),
        ] as [(String, ReplayPaceSetting, String)]
    )
    func pace(text: String, expected: ReplayPaceSetting, shown: String) throws {
        let loaded = try load(Self.rule("record-streams = true\nreplay-pace = \(text)"))
        #expect(loaded.values.rules[0].replayPace == expected && loaded.values.rules[0].recordStreams == true)
        #expect(SettingsDocument.listing(loaded).contains("replay-pace = \(shown)"))
        let effective = EffectiveSettings(loaded, url: try TargetURI(parsing: "http://h.example/x"))
        #expect(effective.values.first { $0.name == "replay-pace" }?.value == shown)
        #expect(effective.values.first { $0.name == "record-streams" }?.value == "true")
        // What is shown reads as the same.
        #expect(try load(Self.rule("replay-pace = \(shown)")).values.rules[0].replayPace == expected)
    }

    @Test(
        "what is wrong is told",
        arguments: [
            ("replay-pace = 0", "must be \"instant\", \"recorded\", or a factor from 0.01 to 1000, not 0"),
            ("replay-pace = -1.5", "or a factor from 0.01 to 1000"), ("replay-pace = nan", "or a factor"),
            ("replay-pace = 1001", "or a factor"), ("replay-pace = \"slow\"", "or a factor"),
            ("record-streams = 1", "`rule.record-streams`"),
            ("never-cache = true\nrecord-streams = true", "has no meaning with `never-cache = true`"),
        ]
    )
    func faults(lines: String, message: String) {
        let refusal = refusal(Self.rule(lines))
        #expect(refusal?.userMessage.contains(message) == true, "\(refusal?.userMessage ?? "none")")
    }
}
