import Platform

/// A place in a file of settings or an option, for mistakes and warnings.
public struct SettingsPlace: Sendable, Equatable {
    /// The file, or the command-line option.
    public var source: String
    /// The line, from 1; nil if it is no line of a file.
    public var line: Int?
    /// The column, from 1, in code points.
    public var column: Int?
    /// The whole line, without its end; nil if it may show a secret.
    public var lineText: String?

    public init(source: String, line: Int? = nil, column: Int? = nil, lineText: String? = nil) {
        self.source = source
        self.line = line
        self.column = column
        self.lineText = lineText
    }
}

extension SettingsPlace {
    /// `FILE:LINE:COLUMN`.
    public var summary: String {
        var text = TerminalText.printable(source)
        if let line { text += ":\(line)" }
        if let line, let column, line > 0 { text += ":\(column)" }
        return text
    }

    /// The line and a caret below the column, each after a line end; empty if there is no line to show.
    var excerpt: String {
        guard let lineText else { return "" }
        var text = "\n    " + TerminalText.printable(lineText)
        let length = lineText.unicodeScalars.count
        if let column { text += "\n    " + String(repeating: " ", count: max(0, min(column - 1, length))) + "^" }
        return text
    }

    /// Whether this place comes before another one; the files come in the order of `sources`.
    func precedes(_ other: SettingsPlace, in sources: [String]) -> Bool {
        func key(_ place: SettingsPlace) -> (Int, Int, Int) {
            (sources.firstIndex(of: place.source) ?? sources.count, place.line ?? 0, place.column ?? 0)
        }
        return key(self) < key(other)
    }
}
