import LibC
import Platform
import Synchronization

/// Standard output and standard error of the program.
package enum Console {
    /// Writes text to standard output, without a line end of its own.
    package static func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes bytes to standard output.
    ///
    /// If they cannot be written, the program ends: by SIGPIPE if nobody reads them, else with a message and code 1.
    package static func write(_ bytes: [UInt8]) {
        switch page.withLock({ $0?.write(bytes) }) {
        case nil: writeNow(bytes)
        case true?: break
        case false?:
            // The pager has ended: either nobody wants to read on, which is no fault, or there is no such pager.
            if endPaging() { exit(0) }
        }
    }

    private static func writeNow(_ bytes: [UInt8]) {
        do {
            try StandardOutput.write(bytes)
        } catch {
            complain("respite: \(error)")
            exit(1)
        }
    }

    // MARK: Pages

    /// Where output goes; nil: to standard output at once.
    private static let page = Mutex<PagedOutput?>(nil)

    /// From now on a pager shows the output, if it goes to a terminal and is longer than the screen.
    package static func beginPaging() {
        guard isTerminal else { return }
        let environment = ProcessContext.current.environment
        let (rows, columns) = (StandardOutput.rows ?? 24, StandardOutput.columns ?? 80)
        page.withLock { $0 = PagedOutput(environment: environment, rows: rows, columns: columns) }
    }

    /// Waits until the pager has ended, if there is one.
    ///
    /// - Returns: whether a pager has shown what was written.
    @discardableResult
    package static func endPaging() -> Bool {
        let last = page.withLock { paged in
            let rest = paged?.finish() ?? []
            let complaints = paged?.complaints ?? []
            paged = nil
            return (rest, complaints)
        }
        if !last.0.isEmpty { writeNow(last.0) }
        for complaint in last.1 { complain(complaint) }
        return last.0.isEmpty
    }

    // MARK: Messages

    /// Writes one message, and a line end, to standard error.
    package static func complain(_ text: String) {
        let isLater = page.withLock { paged in
            paged?.complain(text)
            return paged != nil
        }
        if !isLater { StandardError.write(Array((text + "\n").utf8)) }
    }

    /// Writes rows of a table: aligned on a terminal, separated by tabs elsewhere.
    package static func write(_ rows: [[Table.Cell]], in table: Table = Table()) {
        write(table.text(rows, on: .output))
    }

    /// Writes the column titles of a table, on a terminal only.
    package static func writeHeading(of table: Table) { write(table.heading(on: .output)) }

    /// Whether standard output is a terminal, so that people read it rather than programs.
    package static var isTerminal: Bool { StandardOutput.isTerminal }

    /// Asks a question, and returns whether the answer is y or yes; nil if there is no terminal to ask at.
    package static func confirm(_ question: String) -> Bool? {
        guard StandardInput.isTerminal, StandardError.isTerminal else { return nil }
        StandardError.write(Array("\(question) [y/N] ".utf8))
        return ["y", "yes"].contains(readLine()?.lowercased())
    }

    /// Text from a peer without characters that could move a terminal's cursor or hide other text (H-159).
    package static func printable(_ text: String) -> String { TerminalText.printable(text) }
}
