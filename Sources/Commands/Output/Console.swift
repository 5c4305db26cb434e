import Glibc
import Platform

/// Standard output and standard error of the program.
enum Console {
    /// Writes text to standard output, without a line end of its own.
    static func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes bytes to standard output.
    ///
    /// If they cannot be written, the program ends: by SIGPIPE if nobody reads them, else with a sentence and exit code 1.
    static func write(_ bytes: [UInt8]) {
        do {
            try StandardOutput.write(bytes)
        } catch {
            complain("respite: \(error)")
            exit(1)
        }
    }

    /// Writes one message, and a line end, to standard error.
    static func complain(_ text: String) { StandardError.write(Array((text + "\n").utf8)) }

    /// Writes rows of a table: aligned on a terminal, separated by tabs elsewhere.
    static func write(_ rows: [[Table.Cell]], in table: Table = Table()) {
        write(table.text(rows, on: .output))
    }

    /// Writes the column titles of a table, on a terminal only.
    static func writeHeading(of table: Table) { write(table.heading(on: .output)) }

    /// Whether standard output is a terminal, so that people read it rather than programs.
    static var isTerminal: Bool { StandardOutput.isTerminal }

    /// Asks a question that is answered by y or yes; nil: there is no terminal to ask at.
    static func confirm(_ question: String) -> Bool? {
        guard StandardInput.isTerminal, StandardError.isTerminal else { return nil }
        StandardError.write(Array("\(question) [y/N] ".utf8))
        return ["y", "yes"].contains(readLine()?.lowercased())
    }

    /// Text from a peer without characters that could move a terminal's cursor or hide other text (H-159).
    static func printable(_ text: String) -> String { TerminalText.printable(text) }
}
