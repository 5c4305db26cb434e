public import CommandSyntax
import Settings

/// The manual pages, made from the same tables as `--help`, `config schema` and etc/respite.toml.
public enum Manual {
    /// A page for man(1).
    public static func page(_ page: ManualPage, version: String) -> String {
        switch page {
        case .commands: commands(version)
        case .settings: settings(version)
        }
    }

    // MARK: respite(1)

    private static func commands(_ version: String) -> String {
        var page = ManualText("respite", section: 1, version: version)
        page.section("NAME")
        page.paragraphs("respite - a caching HTTP proxy")
        page.section("SYNOPSIS")
        for command in CommandSpecification.listed { page.paragraphs(command.usage) }
        page.section("DESCRIPTION")
        page.paragraphs(ManualProse.description)
        page.section("COMMANDS")
        for command in CommandSpecification.listed {
            page.subsection(command.usage)
            page.paragraphs(command.summary)
            for paragraph in command.guide.paragraphs { page.paragraphs(paragraph) }
            for option in command.options { page.item(option.term, behind: option.valueText, option.summary) }
            page.example(command.guide.examples.joined(separator: "\n"))
        }
        page.section("EXIT STATUS")
        for (code, meaning) in CommandSpecification.exitCodes { page.item("\(code)", meaning) }
        page.section("SIGNALS")
        for (signal, meaning) in ManualProse.signals { page.item(signal, meaning) }
        page.section("ENVIRONMENT")
        for (variable, meaning) in ManualProse.environment { page.item(variable, meaning) }
        page.section("FILES")
        for (file, meaning) in ManualProse.files { page.item(file, meaning) }
        page.section("EXAMPLES")
        for (text, lines) in ManualProse.examples {
            page.paragraphs(text)
            page.example(lines)
        }
        page.section("SEE ALSO")
        page.paragraphs("respite.toml(5), curl(1), systemctl(1)")
        return page.text
    }

    // MARK: respite.toml(5)

    private static func settings(_ version: String) -> String {
        var page = ManualText("respite.toml", section: 5, version: version)
        page.section("NAME")
        page.paragraphs("respite.toml - settings of respite(1)")
        page.section("DESCRIPTION")
        page.paragraphs(ManualProse.format)
        page.section("SETTINGS")
        var section: Substring?
        for key in SettingKey.all {
            if key.section != section {
                section = key.section
                page.subsection(key.section.isEmpty ? "Before any section" : "[\(key.section)]")
            }
            let restart = key.needsRestart ? " A change takes effect with the next start." : ""
            page.item(
                key.name,
                behind: "(\(key.typeName))",
                "\(key.summary)\(restart) Default: \(key.defaultText)"
            )
        }
        tables(&page)
        page.section("EXAMPLES")
        page.example(SettingsDocument.plainTables)
        page.section("FILES")
        for (file, meaning) in ManualProse.files { page.item(file, meaning) }
        page.section("SEE ALSO")
        page.paragraphs("respite(1)")
        return page.text
    }

    private static func tables(_ page: inout ManualText) {
        func list(_ title: String, _ text: String, _ settings: [DocumentedSetting]) {
            page.section(title)
            page.paragraphs(text)
            for setting in settings {
                let standard = setting.defaultText.map { " Default: \($0)" } ?? ""
                page.item(setting.name, behind: "(\(setting.typeName))", setting.summary + standard)
            }
        }
        list("LISTENERS", ManualProse.listeners, DocumentedSetting.listeners)
        list("SERVICES", ManualProse.services, DocumentedSetting.services)
        list("INCLUDED RULES", ManualProse.includes, DocumentedSetting.includes)
        list("WARMING", ManualProse.warming, DocumentedSetting.warm)
        list("RULES", ManualProse.rules, DocumentedSetting.rules)
        list("TRANSFORMERS", ManualProse.transformers, DocumentedSetting.transformers)
    }
}

extension CommandOption {
    /// `--listen`.
    fileprivate var term: String { "--\(name)" }
    /// `ADDR…`.
    fileprivate var valueText: String { (valueName ?? "") + (repeats ? "…" : "") }
}
