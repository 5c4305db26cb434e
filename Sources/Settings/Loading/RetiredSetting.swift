import TOML

/// Settings of earlier versions that no longer have an effect.
///
/// A file that has one still works, with a warning, until the next version.
enum RetiredSetting {
    static let names: Set<String> = ["memory.huge-pages"]

    /// The warning for a setting, with its position.
    static func warning(_ name: String, at position: TextPosition, in source: SettingSource) -> SettingsWarning {
        SettingsWarning("`\(name)` has no effect any more; remove it", at: source.location(position))
    }
}
