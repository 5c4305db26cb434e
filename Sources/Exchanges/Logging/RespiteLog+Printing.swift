import Platform

extension RespiteLog {
    /// The width of the longest category name.
    private static let width = Category.allCases.reduce(0) { max($0, "\($1)".count) }

    /// The line the default handler prints.
    ///
    /// Line ends within the message are indented, so that each entry stands out.
    /// - Parameter thread: a short tag that distinguishes threads whose messages are interleaved.
    static func line(_ category: Category, _ message: String, thread: String) -> String {
        let name = "\(category)"
        let padding = String(repeating: " ", count: max(0, width - name.count))
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        return "respite:\(name)\(padding) │ [\(thread)] \(lines.joined(separator: "\n    "))"
    }

    /// Prints the line.
    ///
    /// No thread is the main one here, so each is tagged.
    @Sendable static func printMessage(_ category: Category, _ message: String) {
        let tag = String((Thread.currentIdentifier >> 12) & 0xfffff, radix: 16)
        print(line(category, message, thread: tag))
    }
}
