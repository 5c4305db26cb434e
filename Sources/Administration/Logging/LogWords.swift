public import ResourceCore

/// The words for what of the core's work is logged: categories and their presets (S-229).
public enum LogWords {
    public typealias Categories = Set<RespiteLog.Category>

    /// Presets, by name.
    public static let presets: [(name: String, categories: Categories)] = [
        ("none", []), ("common", RespiteLog.Category.common), ("detailed", RespiteLog.Category.detailed),
        ("all", RespiteLog.Category.all),
    ]

    /// All words, presets last.
    public static var all: [String] { RespiteLog.Category.allCases.map { "\($0)" } + presets.map(\.name) }

    /// What `words` mean together; nil if one of them means nothing.
    public static func categories(_ words: [String]) -> Categories? {
        var result: Categories = []
        for word in words {
            guard let categories = categories(word) else { return nil }
            result.formUnion(categories)
        }
        return result
    }

    private static func categories(_ word: String) -> Categories? {
        if let preset = presets.first(where: { $0.name == word }) { return preset.categories }
        return RespiteLog.Category.allCases.first { "\($0)" == word }.map { [$0] }
    }
}

/// Where it is told and changed what of the core's work is logged; called on any thread.
public struct LogSource: Sendable {
    /// What is logged now.
    public var enabled: @Sendable () -> LogWords.Categories
    /// Logs these from now on, and no others.
    public var enable: @Sendable (LogWords.Categories) -> Void

    /// - Parameters:
    ///   - enabled: what is logged now; by default in this process.
    ///   - enable: logs these from now on; by default in this process.
    public init(
        enabled: @escaping @Sendable () -> LogWords.Categories = { RespiteLog.Category.enabled },
        enable: @escaping @Sendable (LogWords.Categories) -> Void = { RespiteLog.Category.enabled = $0 }
    ) {
        self.enabled = enabled
        self.enable = enable
    }
}
