import Platform

/// Why settings cannot be used: one mistake, or several, sorted by place.
///
/// Its description has several lines, for users.
public struct SettingsError: Error, Sendable, Equatable {
    /// Where the first mistake is.
    public var place: SettingsPlace
    /// A sentence that names the setting, what is wrong and, if known, the remedy.
    public var userMessage: String
    /// The valid name nearest to an unknown one.
    public var suggestion: String?
    /// The further mistakes; each of them has none itself.
    public private(set) var others: [SettingsError] = []

    public init(at place: SettingsPlace, userMessage: String, suggestion: String? = nil) {
        self.place = place
        self.userMessage = userMessage
        self.suggestion = suggestion
    }

    public init(
        source: String,
        line: Int? = nil,
        column: Int? = nil,
        lineText: String? = nil,
        userMessage: String,
        suggestion: String? = nil
    ) {
        self.init(
            at: SettingsPlace(source: source, line: line, column: column, lineText: lineText),
            userMessage: userMessage,
            suggestion: suggestion
        )
    }

    public var source: String { place.source }
    public var line: Int? { place.line }
    public var column: Int? { place.column }
    public var lineText: String? { place.lineText }

    /// This mistake and the others, each alone.
    public var mistakes: [SettingsError] {
        var first = self
        first.others = []
        return [first] + others
    }

    /// One error for several mistakes, sorted by place; nil if there are none.
    ///
    /// - Parameter sources: the files in the order in which they were read.
    init?(_ mistakes: [SettingsError], in sources: [String]) {
        var sorted: [SettingsError] = []
        for mistake in mistakes.flatMap(\.mistakes).sorted(by: { $0.place.precedes($1.place, in: sources) })
        where !sorted.contains(mistake) { sorted.append(mistake) }
        guard let first = sorted.first else { return nil }
        self = first
        others = Array(sorted.dropFirst())
    }
}

extension SettingsError: CustomStringConvertible {
    /// The first mistake in one line, `FILE:LINE:COLUMN: sentence`, and the number of others.
    public var summary: String {
        let rest = others.isEmpty ? "" : others.count == 1 ? "; 1 more mistake" : "; \(others.count) more mistakes"
        return "\(place.summary): \(sentence)\(rest)"
    }

    /// Each mistake with its line and a caret below its column.
    public var description: String {
        let all = mistakes.map { "\($0.place.summary): \($0.sentence)\($0.place.excerpt)" }
        return all.joined(separator: "\n") + (all.count > 1 ? "\n\(all.count) mistakes" : "")
    }

    private var sentence: String {
        TerminalText.printable(userMessage + (suggestion.map { "; did you mean `\($0)`?" } ?? ""))
    }
}

/// Collects the mistakes of steps that do not depend on each other.
public struct SettingsMistakes: Sendable {
    public private(set) var all: [SettingsError] = []

    public init() {}

    public mutating func add(_ mistake: SettingsError) { all += mistake.mistakes }

    /// The step's result; nil, and the mistake is added, if it throws.
    @discardableResult
    public mutating func attempt<Result>(_ step: () throws(SettingsError) -> Result) -> Result? {
        do throws(SettingsError) {
            return try step()
        } catch {
            add(error)
            return nil
        }
    }

    /// Throws all mistakes as one error, sorted by place.
    ///
    /// - Parameter sources: the files in the order in which they were read.
    public func check(_ sources: [String]) throws(SettingsError) {
        if let error = SettingsError(all, in: sources) { throw error }
    }
}
