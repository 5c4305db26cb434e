/// The shells for which `respite completion` writes a script.
public enum CompletionShell: String, Sendable, CaseIterable {
    case bash, zsh, fish

    /// The names, for use in a sentence.
    public static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
