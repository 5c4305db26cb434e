@testable import CommandSyntax
import Testing

@testable import CommandTexts
@testable import Settings

/// The manual tells of every option and key.
@Suite struct ManualTests {
    /// A page without the language of man(7).
    private static func plain(_ page: ManualPage) -> String {
        var text = Manual.page(page, version: "1")
        for (escape, meant) in [
            ("\\fB", ""), ("\\fR", ""), ("\\-", "-"), ("\\&", ""), ("\\(dq", "\""), ("\\(aq", "'"), ("\\(ga", "`"),
            ("\\(ha", "^"), ("\\(ti", "~"), ("\\e", "\\"),
        ] {
            text = text.split(separator: escape, omittingEmptySubsequences: false).joined(separator: meant)
        }
        return text
    }

    private static func ascii(_ text: String) -> String {
        text.split(separator: "…", omittingEmptySubsequences: false).joined(separator: "...")
    }

    @Test("respite.1 has each command with its summary, and each of its options")
    func commands() throws {
        let page = Self.plain(.commands)
        for command in CommandSpecification.all where !command.isHidden {
            let start = try #require(page.ranges(of: ".SS \"\(Self.ascii(command.usage))\"\n").first)
            let rest = page[start.upperBound...]
            let section = rest[..<(rest.ranges(of: "\n.S").first?.lowerBound ?? rest.endIndex)]
            #expect(section.contains(command.summary), "\(command.name)")
            for option in command.options {
                #expect(section.contains("\n--\(option.name)"), "\(command.name) --\(option.name)")
                #expect(section.contains(option.summary))
            }
        }
        #expect(!page.contains("respite man"))
    }

    @Test("respite.1 has exit codes, signals, variables, files and examples")
    func lists() {
        let page = Self.plain(.commands)
        var items = CommandSpecification.exitCodes.map { ("\($0)", $1) } + ManualProse.signals
        items += ManualProse.environment + ManualProse.files
        for (term, meaning) in items { #expect(page.contains(".TP\n\(term)\n\(Self.ascii(meaning))\n"), "\(term)") }
        for (text, lines) in ManualProse.examples {
            #expect(
                page.contains(Self.ascii(text)) && lines.split(separator: "\n").allSatisfy(page.contains),
                "\(text)"
            )
        }
        for title in [
            "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "SIGNALS", "ENVIRONMENT", "FILES", "SEE ALSO",
        ] {
            #expect(page.contains(".SH \"\(title)\"\n"), "\(title)")
        }
    }

    @Test(
        "the titles of the pages name their sections: 1 for commands, 5 for files",
        arguments: [(.commands, ".TH \"RESPITE\" 1 "), (.settings, ".TH \"RESPITE.TOML\" 5 ")]
            as [(ManualPage, String)]
    )
    func sections(page: ManualPage, title: String) {
        #expect(Manual.page(page, version: "1").hasPrefix(title))
    }

    @Test("respite.toml.5 has each setting with type, meaning and default")
    func settings() {
        let page = Self.plain(.settings)
        for setting in DocumentedSetting.all {
            let item = ".TP\n\(setting.name) (\(setting.typeName))\n"
            #expect(page.contains(Self.ascii(item)), "\(setting.name)")
            #expect(page.contains(Self.ascii(setting.summary)), "\(setting.name)")
        }
        for key in SettingKey.all { #expect(page.contains("Default: \(key.defaultText)\n"), "\(key.name)") }
        #expect(page.contains("\n[[rule]]\n") && page.contains("\n[service.github]\n"))
    }

    @Test("pages are ASCII, and no line begins with a request by accident", arguments: ManualPage.allCases)
    func language(name: ManualPage) {
        let page = Manual.page(name, version: "1")
        #expect(page.utf8.allSatisfy { $0 < 0x80 })
        let requests: Set<Substring> = [".TH", ".SH", ".SS", ".PP", ".TP", ".nf", ".fi", ".RS", ".RE", ".nh", ".ad"]
        for line in page.split(separator: "\n") where line.hasPrefix(".") {
            #expect(requests.contains(line.prefix { $0 != " " }), "\(line)")
        }
    }
}
