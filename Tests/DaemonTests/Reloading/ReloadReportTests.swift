import Formats
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
}
