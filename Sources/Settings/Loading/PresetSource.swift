public import CommandSyntax

/// Knows the rules of presets, and asks tools for their package indexes.
public protocol PresetSource: Sendable {
    /// Settings with the `[[rule]]`s of a preset, whose patterns are paths.
    func rules(of preset: RulePreset, for index: PackageIndexURL) -> [UInt8]

    /// The patterns of servers for which these rules are.
    func servers(of preset: RulePreset, for index: PackageIndexURL) -> [String]

    /// The indexes that the preset's tool names; blocks, since it runs the tool.
    ///
    /// - Throws: a fault with the remedy if the tool is absent or names none.
    func indexes(of preset: RulePreset) throws(PresetFault) -> [PackageIndexURL]
}

/// Why a preset cannot be put in force.
public struct PresetFault: Error, Sendable, Equatable {
    /// A sentence for people.
    public var userMessage: String

    public init(_ userMessage: String) { self.userMessage = userMessage }
}

/// A preset in force.
public struct LoadedPreset: Sendable, Equatable {
    public var preset: RulePreset
    public var index: PackageIndexURL
    /// The indexes of its rules among the general rules.
    public var rules: Range<Int>
    /// Rules for the hosts that the index's pages link to; their patterns are paths.
    public var linkedRules: [LinkedRule]

    /// A rule that also holds for other hosts.
    public struct LinkedRule: Sendable, Equatable {
        /// Its index among the general rules, where it is for the index's first server.
        public var index: Int
        public var settings: RuleSettings
    }

    /// `pip=https://index.example/simple`.
    public var text: String { PresetSetting(preset, index: index.text).text }
}
