/// Numbers of things, for sentences.
package enum Plural {
    /// `1 hit`, `2 hits`.
    package static func text(_ count: Int, _ name: String) -> String { "\(count) \(name)\(count == 1 ? "" : "s")" }
}
