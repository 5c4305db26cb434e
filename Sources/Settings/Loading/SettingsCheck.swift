/// What `respite config check` reports about settings that are valid.
public struct SettingsCheck: Sendable, Equatable {
    /// Sentences about settings that may do harm, or have no effect.
    public var warnings: [String]
    /// Sentences about settings whose effect may surprise.
    public var notes: [String]

    public init(warnings: [String], notes: [String]) {
        self.warnings = warnings
        self.notes = notes
    }
}
