public import Exchanges
public import Observability

/// The names of the core's log categories and their presets (S-229).
public enum LogWords {
    public typealias Categories = Set<RespiteLog.Category>

    /// Presets, by name.
    public static let presets: [(name: String, categories: Categories)] = [
        ("none", []), ("common", RespiteLog.Category.common), ("detailed", RespiteLog.Category.detailed),
        ("all", RespiteLog.Category.all),
    ]

    /// All words, presets last.
    public static var all: [String] { RespiteLog.Category.allCases.map { "\($0)" } + presets.map(\.name) }

    /// The categories that `words` name together; nil if one of them is unknown.
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

/// How the admin API shows and changes the log categories of the core; closures are called on any thread.
public struct LogSource: Sendable {
    /// The categories that are logged now.
    public var enabled: @Sendable () -> LogWords.Categories
    /// Enables these categories and no others.
    public var enable: @Sendable (LogWords.Categories) -> Void
    /// The latest lines.
    public var lines = Logger().recent

    /// - Parameters:
    ///   - enabled: returns the enabled categories; default: those of this process.
    ///   - enable: enables these categories and no others; default: in this process.
    public init(
        enabled: @escaping @Sendable () -> LogWords.Categories = { RespiteLog.Category.enabled },
        enable: @escaping @Sendable (LogWords.Categories) -> Void = { RespiteLog.Category.enabled = $0 }
    ) {
        self.enabled = enabled
        self.enable = enable
    }
}
