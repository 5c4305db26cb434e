import Platform

/// Why settings cannot be used.
///
/// Its description has several lines, for users.
public struct SettingsError: Error, Sendable, Equatable {
    /// The file, or the command-line option.
    public var source: String
    /// The line, from 1; nil if the fault is not in a line.
    public var line: Int?
    /// The column, from 1, in code points.
    public var column: Int?
    /// The whole faulty line, without its end.
    public var lineText: String?
    /// A sentence that names the setting, what is wrong and, if known, the remedy.
    public var userMessage: String
    /// The valid name nearest to an unknown one.
    public var suggestion: String?

    public init(
        source: String,
        line: Int? = nil,
        column: Int? = nil,
        lineText: String? = nil,
        userMessage: String,
        suggestion: String? = nil
    ) {
        self.source = source
        self.line = line
        self.column = column
        self.lineText = lineText
        self.userMessage = userMessage
        self.suggestion = suggestion
    }
}

extension SettingsError: CustomStringConvertible {
    /// `FILE:LINE:COLUMN: sentence`.
    public var summary: String {
        var text = source
        if let line { text += ":\(line)" }
        if let line, let column, line > 0 { text += ":\(column)" }
        text += ": \(userMessage)"
        if let suggestion { text += "; did you mean `\(suggestion)`?" }
        return text
    }

    /// The summary, then the line and a caret below its column.
    public var description: String {
        var text = summary
        guard let lineText else { return text }
        text += "\n    " + TerminalText.printable(lineText)
        let length = lineText.unicodeScalars.count
        if let column { text += "\n    " + String(repeating: " ", count: max(0, min(column - 1, length))) + "^" }
        return text
    }
}
