public import CommandSyntax

/// An entry of `rules`: a preset, and the index that it is for.
public struct PresetSetting: Sendable, Hashable {
    public var preset: RulePreset
    /// The URL of the index, without a user name; nil: the preset's tool names it.
    public var index: String?

    public init(_ preset: RulePreset, index: String? = nil) {
        self.preset = preset
        self.index = index
    }

    /// `pip`, or `pip=https://index.example/simple`.
    public var text: String { preset.rawValue + (index.map { "=\($0)" } ?? "") }
}
