/// Rows of cells: aligned for people, separated by tabs for programs.
package struct Table {
    package struct Column {
        package var title = ""
        /// The least width, so that rows that are written in several parts stay aligned.
        package var width = 0
        /// The greatest width, to which longer values are shortened; nil: no limit.
        package var most: Int?
        /// Whether values are aligned on the right, as numbers are.
        package var isNumber = false
        /// A narrow terminal leaves out the column with the highest rank first; 0: the column always stays.
        package var rank = 0

        package init(title: String = "", width: Int = 0, most: Int? = nil, isNumber: Bool = false, rank: Int = 0) {
            (self.title, self.width, self.most) = (title, width, most)
            (self.isNumber, self.rank) = (isNumber, rank)
        }
    }

    package struct Cell {
        /// The text for people: `2.0 KiB`.
        package var human: String
        /// The text for programs: `2048`.
        package var plain: String
        /// The number of an ECMA-48 colour, such as 32 for green.
        package var color: Int?
        /// The text for people with a narrow terminal; nil: `human`.
        package var short: String?

        package init(_ human: String, plain: String? = nil, color: Int? = nil, short: String? = nil) {
            self.human = Console.printable(human)
            self.plain = Console.printable(plain ?? human)
            self.color = color
            self.short = short.map(Console.printable)
        }

        package static let none = Cell("-")
    }

    /// Without columns, a table is a list of names and values: people see no titles, and long values are wrapped.
    package var columns: [Column] = []

    package init(_ columns: [Column] = []) { self.columns = columns }

    package init(titles: [String], widths: [Int]) { columns = zip(titles, widths).map { Column(title: $0, width: $1) } }

    /// The text of some rows.
    package func text(_ rows: [[Cell]], on screen: Screen) -> String {
        guard screen.isTerminal else { return Self.plain(rows) }
        return TableLayout(self, rows, on: screen).text(rows)
    }

    /// The line of column titles; empty for programs.
    package func heading(on screen: Screen) -> String {
        guard screen.isTerminal, !columns.isEmpty else { return "" }
        return TableLayout(self, [], on: screen).heading
    }

    /// The lines for programs.
    package static func plain(_ rows: [[Cell]]) -> String {
        rows.map { row in row.map(\.plain).joined(separator: "\t") + "\n" }.joined()
    }
}
