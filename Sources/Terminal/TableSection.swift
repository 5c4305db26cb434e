import CommandTexts

/// Names and values about one subject.
package struct TableSection {
    package var title: String
    /// Each row is a name and a value; the name for programs includes the subject.
    package var rows: [[Table.Cell]]

    package init(title: String, rows: [[Table.Cell]]) { (self.title, self.rows) = (title, rows) }

    /// The text of some sections: people get a title for each, programs only the rows.
    package static func text(_ sections: [TableSection], on screen: Screen) -> String {
        guard screen.isTerminal else { return Table.plain(sections.flatMap(\.rows)) }
        var inner = screen
        inner.width = screen.width.map { max(1, $0 - 2) }
        let layout = TableLayout(Table(), sections.flatMap(\.rows), on: inner)
        return sections.map { section in
            let lines = layout.text(section.rows).split(separator: "\n").map { "  \($0)\n" }.joined()
            let title = TextLines.wrapped(section.title, width: screen.width ?? .max).joined(separator: "\n")
            return (screen.hasColor ? "\u{1B}[1m\(title)\u{1B}[0m" : title) + "\n" + lines
        }.joined(separator: "\n")
    }
}
