/// Writes a table to standard output part by part.
package struct TablePrinter {
    package let screen = Screen.output
    private let table: Table
    private let hasHeading: Bool
    private var layout: TableLayout?

    package init(_ table: Table, hasHeading: Bool = true) {
        self.table = table
        self.hasHeading = hasHeading
    }

    /// Writes some rows; above the first ones, people get the titles.
    package mutating func write(_ rows: [[Table.Cell]]) {
        guard !rows.isEmpty else { return }
        guard screen.isTerminal else { return Console.write(Table.plain(rows)) }
        let layout = layout ?? TableLayout(table, rows, on: screen)
        if self.layout == nil, hasHeading { Console.write(layout.heading) }
        self.layout = layout
        Console.write(layout.text(rows))
    }
}
