/// Numbers of things, for sentences.
enum Plural {
    /// `1 hit`, `2 hits`.
    static func text(_ count: Int, _ name: String) -> String { "\(count) \(name)\(count == 1 ? "" : "s")" }
}
