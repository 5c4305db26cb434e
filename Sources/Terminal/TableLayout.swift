import CommandTexts

/// Which columns of a table a terminal has room for, and how wide they are.
package struct TableLayout {
    /// Spaces between two columns.
    private static let gap = 2
    /// If a value would have less room than this beside its name, it stands below.
    private static let leastValue = 20

    private let table: Table
    private let screen: Screen
    /// The indices of the columns that are shown.
    private var shown: [Int]
    /// For each column of the table.
    private var widths: [Int]
    /// Whether cells show their short texts.
    private var isShort = false

    /// - Parameter rows: the first rows; later rows are aligned like them.
    package init(_ table: Table, _ rows: [[Table.Cell]], on screen: Screen) {
        self.table = table
        self.screen = screen
        shown = Array(0..<max(table.columns.count, rows.map(\.count).max() ?? 0))
        widths = []
        widths = shown.map { width(ofColumn: $0, rows) }
        guard let width = screen.width, !table.columns.isEmpty else { return }
        leaveOut(toFit: width)
        isShort = !fits(width)
        if isShort { widths = widths.indices.map { self.width(ofColumn: $0, rows) } }
    }

    private func width(ofColumn index: Int, _ rows: [[Table.Cell]]) -> Int {
        var width = 0
        if table.columns.indices.contains(index) {
            let column = table.columns[index]
            width = max(column.title.count, isShort ? 0 : column.width)
        }
        for row in rows where row.indices.contains(index) { width = max(width, text(row[index], index).count) }
        return width
    }

    /// What a cell shows in the column with this index.
    private func text(_ cell: Table.Cell, _ index: Int) -> String {
        let text = isShort ? cell.short ?? cell.human : cell.human
        return table.columns.indices.contains(index) ? text.shortened(to: table.columns[index].most) : text
    }

    private mutating func leaveOut(toFit width: Int) {
        while !fits(width) {
            let next = shown.filter { table.columns.indices.contains($0) && table.columns[$0].rank > 0 }
                .max { table.columns[$0].rank < table.columns[$1].rank }
            guard let next else { return }
            shown.removeAll { $0 == next }
        }
    }

    /// Whether the last column keeps a third of the line, or all that it needs.
    private func fits(_ width: Int) -> Bool {
        guard let last = shown.last else { return true }
        let used = shown.dropLast().reduce(0) { $0 + widths[$1] + Self.gap }
        return used + min(widths[last], width / 3) <= width
    }

    // MARK: Lines

    /// The line of column titles.
    package var heading: String { line(table.columns.map { Table.Cell($0.title, color: 1) }) }

    package func text(_ rows: [[Table.Cell]]) -> String {
        rows.map { table.columns.isEmpty ? wrapped($0) : line($0) }.joined()
    }

    private func line(_ row: [Table.Cell]) -> String {
        var (line, used) = ("", 0)
        for index in shown where row.indices.contains(index) {
            let isLast = index == shown.last
            let text = text(row[index], index).shortened(to: isLast ? screen.width.map { max(4, $0 - used) } : nil)
            let space = isLast ? 0 : max(0, widths[index] - text.count)
            let isNumber = table.columns[index].isNumber
            line += spaces(isNumber ? space : 0) + colored(text, row[index].color)
            if !isLast { line += spaces((isNumber ? 0 : space) + Self.gap) }
            used += text.count + space + Self.gap
        }
        return line + "\n"
    }

    /// A row of a list of names and values; a value that is too long for its line continues below itself.
    private func wrapped(_ row: [Table.Cell]) -> String {
        guard let value = row.last else { return "\n" }
        let names = zip(row.dropLast(), widths).map { cell, width in
            colored(cell.human, cell.color) + spaces(width - cell.human.count + Self.gap)
        }.joined()
        let indent = widths.dropLast().reduce(0) { $0 + $1 + Self.gap }
        guard let width = screen.width else { return names + colored(value.human, value.color) + "\n" }
        let isBelow = width - indent < Self.leastValue && value.human.count > width - indent
        let start = isBelow ? Self.gap : indent
        let lines = TextLines.wrapped(value.human, width: max(1, width - start)).map { colored($0, value.color) }
        let name = row.dropLast().map(\.human).joined(separator: " ")
        let above = name.isEmpty ? [] : TextLines.wrapped(name, width: width)
        let first = isBelow ? (above + [spaces(start)]).joined(separator: "\n") : names
        return first + lines.joined(separator: "\n" + spaces(start)) + "\n"
    }

    private func colored(_ text: String, _ color: Int?) -> String {
        guard screen.hasColor, let color else { return text }
        return "\u{1B}[\(color)m\(text)\u{1B}[0m"
    }

    private func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
