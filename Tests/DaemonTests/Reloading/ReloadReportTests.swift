import Administration
import Formats
import HTTPCore
import Settings
import Testing

@testable import Daemon

/// What a reload says it has changed.
@Suite struct ReloadReportTests {
    private static func change(_ name: String, needsRestart: Bool = false) -> SettingChange {
        SettingChange(name: name, old: "1", new: nil, needsRestart: needsRestart)
    }

    @Test(
        "connections to origins are made anew if a setting in force may concern them",
        arguments: [
            ("hosts", true), ("dns.servers", true), ("limits.ranges", true), ("upstream.proxy", true),
            ("access.clients", true), ("tls.ca-files", true), ("mode", false), ("cache.cookies", false),
            ("hosts.a", false), ("rule", false), ("service.x", false),
        ]
    )
    func origins(name: String, concerns: Bool) {
        #expect(ReloadReport(changes: [Self.change(name)]).concernsOrigins == concerns)
        #expect(ReloadReport(changes: [Self.change("mode"), Self.change(name)]).concernsOrigins == concerns)
        #expect(!ReloadReport(changes: [Self.change(name, needsRestart: true)]).concernsOrigins)
        #expect(!ReloadReport(changes: []).concernsOrigins)
    }

    @Test("what is in force is told apart from what needs a restart, with the values before and after")
    func document() {
        var report = ReloadReport(
            changes: [
                SettingChange(name: "mode", old: "\"auto\"", new: "\"online\"", needsRestart: false),
                SettingChange(name: "loops", old: "1", new: "2", needsRestart: true), Self.change("service.x"),
            ]
        )
        report.warnings = ["careful"]
        #expect(report.inForce == ["mode", "service.x"] && report.afterRestart == ["loops"])
        var writer = JSONWriter()
        writer.object { report.write(to: &$0) }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self) == """
                {"changed":[{"name":"mode","old":"\\"auto\\"","new":"\\"online\\""},{"name":"service.x","old":"1"}],\
                "needsRestart":[{"name":"loops","old":"1","new":"2"}],"warnings":["careful"]}
                """
        )
    }

    @Test("a refusal tells the admin API's client all that is known of the place")
    func refusals() {
        let known = SettingsError(
            source: "respite.toml",
            line: 3,
            column: 5,
            lineText: "mode = auto",
            userMessage: "it is wrong",
            suggestion: "moed"
        )
        let bare = SettingsError(source: "an option", userMessage: "it is wrong")
        for (error, members) in [
            (
                known,
                [
                    ("source", "respite.toml"), ("line", "3"), ("column", "5"), ("text", "mode = auto"),
                    ("suggestion", "moed"), ("description", known.description),
                ]
            ),
            (bare, [("source", "an option"), ("description", bare.description)]),
        ] {
            guard case .refused(let detail, let told) = ReloadResponse(.failure(error)) else {
                Issue.record("not refused")
                continue
            }
            #expect(detail == "\(error.summary); the old settings stay in force")
            #expect(told == members.map { ProblemDocument.Member($0.0, $0.1) })
        }
    }

    @Test("the answer to a reload lists what has changed")
    func answers() {
        guard case .done(let write) = ReloadResponse(.success(ReloadReport(changes: [Self.change("mode")]))) else {
            Issue.record("refused")
            return
        }
        var writer = JSONWriter()
        writer.object { write(&$0) }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"changed":[{"name":"mode","old":"1"}],"needsRestart":[],"warnings":[]}"#
        )
    }
}
