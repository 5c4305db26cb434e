import Platform

/// Standard output and standard error of the program.
enum Console {
    /// Writes text to standard output, without a line end of its own.
    static func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes bytes to standard output.
    ///
    /// - Returns: false if the reading end of standard output is closed.
    @discardableResult
    static func write(_ bytes: [UInt8]) -> Bool { StandardOutput.write(bytes) }

    /// Writes one message, and a line end, to standard error.
    static func complain(_ text: String) { StandardError.write(Array((text + "\n").utf8)) }

    /// Writes rows of a table: aligned on a terminal, separated by tabs elsewhere.
    static func write(_ rows: [[Table.Cell]], in table: Table = Table()) {
        write(table.text(rows, isTerminal: isTerminal, hasColor: hasColor))
    }

    /// Writes the column titles of a table, on a terminal only.
    static func writeHeading(of table: Table) {
        write(table.heading(isTerminal: isTerminal, hasColor: hasColor))
    }

    /// Whether standard output is a terminal, so that people read it rather than programs.
    static var isTerminal: Bool { StandardOutput.isTerminal }

    /// Whether output has colours (https://no-color.org).
    static var hasColor: Bool {
        isTerminal && (ProcessContext.current.environment["NO_COLOR"] ?? "").isEmpty
    }

    /// Text from a peer without characters that could move a terminal's cursor or hide other text (H-159).
    static func printable(_ text: String) -> String { TerminalText.printable(text) }
}
