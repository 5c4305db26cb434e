/// Rows of cells: aligned for people, separated by tabs for programs.
struct Table {
    struct Cell {
        /// The text for people: `2.0 KiB`.
        var human: String
        /// The text for programs: `2048`.
        var plain: String
        /// The number of an ECMA-48 colour, such as 32 for green.
        var color: Int?

        init(_ human: String, plain: String? = nil, color: Int? = nil) {
            self.human = Console.printable(human)
            self.plain = Console.printable(plain ?? human)
            self.color = color
        }

        static let none = Cell("-")
    }

    /// Column titles, shown only to people.
    var titles: [String] = []
    /// The minimum width of each column, so that all pages of a table look alike.
    var widths: [Int] = []

    /// The text of some rows; the last cell of a row is neither padded nor cut.
    func text(_ rows: [[Cell]], isTerminal: Bool, hasColor: Bool) -> String {
        guard isTerminal else {
            return rows.map { row in row.map(\.plain).joined(separator: "\t") + "\n" }.joined()
        }
        let count = max(titles.count, rows.map(\.count).max() ?? 0)
        let columns = (0..<count).map { column in
            rows.reduce(widths.indices.contains(column) ? widths[column] : 0) { width, row in
                max(width, row.indices.contains(column) ? row[column].human.count : 0)
            }
        }
        return rows.map { line($0, columns, hasColor: hasColor) }.joined()
    }

    /// The line of column titles; empty for programs.
    func heading(isTerminal: Bool, hasColor: Bool) -> String {
        guard isTerminal, !titles.isEmpty else { return "" }
        return line(titles.map { Cell($0, color: 1) }, widths, hasColor: hasColor)
    }

    private func line(_ row: [Cell], _ columns: [Int], hasColor: Bool) -> String {
        var text = ""
        for (column, cell) in row.enumerated() {
            let isLast = column == row.count - 1
            let width = columns.indices.contains(column) ? columns[column] : 0
            let padding = isLast ? 0 : max(0, width - cell.human.count) + 2
            let shown = hasColor ? cell.color.map { "\u{1B}[\($0)m\(cell.human)\u{1B}[0m" } : nil
            text += (shown ?? cell.human) + String(repeating: " ", count: padding)
        }
        return text + "\n"
    }
}

extension Table.Cell {
    /// A number of bytes; with a unit for people.
    static func bytes(_ count: Int64?) -> Table.Cell {
        guard let count else { return .none }
        return Table.Cell(readable(bytes: count), plain: "\(count)")
    }

    /// A time in seconds; in its two largest units for people.
    static func seconds(_ seconds: Int64?) -> Table.Cell {
        guard let seconds else { return .none }
        return Table.Cell(readable(seconds: seconds), plain: "\(seconds)")
    }

    static func state(_ word: String?) -> Table.Cell {
        guard let word else { return .none }
        let colors = ["fresh": 32, "stale": 33, "loading": 36, "error": 31]
        return Table.Cell(word, color: colors[word])
    }

    static func readable(bytes count: Int64) -> String {
        var value = Double(count)
        var units = ["B", "KiB", "MiB", "GiB", "TiB"][...]
        while value >= 1024, units.count > 1 {
            value /= 1024
            units.removeFirst()
        }
        let unit = units.first ?? "B"
        if unit == "B" || value >= 100 { return "\(Int64(value.rounded())) \(unit)" }
        let tenths = Int64((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    static func readable(seconds: Int64) -> String {
        let sign = seconds < 0 ? "-" : ""
        let units: [(Int64, String)] = [(86_400, "d"), (3600, "h"), (60, "m"), (1, "s")]
        var rest = Int64(clamping: seconds.magnitude)
        var parts: [String] = []
        for (size, name) in units where rest >= size && parts.count < 2 {
            parts.append("\(rest / size)\(name)")
            rest %= size
        }
        return parts.isEmpty ? "0s" : sign + parts.joined(separator: " ")
    }
}
