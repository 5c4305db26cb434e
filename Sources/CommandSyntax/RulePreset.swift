/// The rules for one kind of package index, which come with the program.
public enum RulePreset: String, Sendable, CaseIterable {
    case pip, npm, go, cargo, apt, oci, gem, maven
}

extension RulePreset {
    /// The names, for a sentence.
    public static let names = allCases.map(\.rawValue).joined(separator: ", ")
}
