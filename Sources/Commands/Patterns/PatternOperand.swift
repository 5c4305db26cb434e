import HTTPCore
import Terminal

/// An operand that is a URL, or a pattern of URLs.
enum PatternOperand {
    /// Fails with exit code 2 if `text` is neither a URL nor a pattern, and warns if no URL fits it.
    static func check(_ text: String) throws(CommandFailure) {
        guard URLGlob.isPattern(text) else {
            _ = try TargetURI(operand: text)
            return
        }
        try checkFilter(text)
    }

    /// Checks the patterns among the terms of a filter.
    static func checkFilter(_ filter: String) throws(CommandFailure) {
        for term in filter.split(separator: " ") where URLGlob.isPattern(term) {
            let text = String(term)
            do throws(URLGlob.SyntaxError) {
                if let warning = try URLGlob(text).warning() {
                    Console.complain("respite: warning: \(Console.printable(warning.message(for: text)))")
                }
            } catch {
                throw CommandFailure(pattern: text, error)
            }
        }
    }
}

extension CommandFailure {
    /// A pattern that does not parse, with a mark below the place; exit code 2.
    init(pattern: String, _ error: URLGlob.SyntaxError) {
        let before = String(repeating: " ", count: error.column(in: pattern) - 1)
        self.init("\(error.userMessage)\n    \(Console.printable(pattern))\n    \(before)^", exitCode: 2)
    }
}
