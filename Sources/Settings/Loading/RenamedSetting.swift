import TOML

/// Settings of earlier versions that have a new name.
///
/// The old name still works in files and options, with a warning, until the next version.
enum RenamedSetting {
    /// The new names, by the old ones.
    static let names = ["upstream.breaker": "upstream.circuit-breaker"]

    /// The new name of a setting; `name` itself unless it is an old one.
    static func currentName(of name: String) -> String { names[name] ?? name }

    /// The warning for an old name, with its position.
    static func warning(_ name: String, at position: TextPosition, in source: SettingSource) -> SettingsWarning {
        let message = "`\(name)` is called `\(currentName(of: name))` now; the old name works until the next version"
        return SettingsWarning(message, at: source.location(position))
    }
}
