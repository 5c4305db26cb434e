/// What `respite config check` reports about settings that are valid.
public struct SettingsCheck: Sendable, Equatable {
    /// Settings that may do harm, or have no effect; a sentence each.
    public var warnings: [String]
    /// Settings whose effect may surprise; a sentence each.
    public var notes: [String]

    public init(warnings: [String], notes: [String]) {
        self.warnings = warnings
        self.notes = notes
    }
}
