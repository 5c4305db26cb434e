/// The manual pages that `respite man` writes.
public enum ManualPage: String, Sendable, CaseIterable {
    case commands = "respite.1"
    case settings = "respite.toml.5"

    /// The names, for use in a sentence.
    public static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
