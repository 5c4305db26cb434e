/// What `respite config check` reports about settings that are valid.
public struct SettingsCheck: Sendable, Equatable {
    /// Warnings about settings that may do harm, or have no effect, sorted by place.
    public var warnings: [SettingsWarning]
    /// Sentences about settings whose effect may surprise.
    public var notes: [String]

    public init(warnings: [SettingsWarning], notes: [String]) {
        self.warnings = warnings
        self.notes = notes
    }
}
