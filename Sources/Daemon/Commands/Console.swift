import Observability
import Platform
import Settings

/// The program's standard output and error.
enum Console {
    /// Writes to standard output, as it is.
    static func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes bytes to standard output; false if nobody takes them any more.
    @discardableResult
    static func write(_ bytes: [UInt8]) -> Bool { StandardOutput.write(bytes) }

    /// Writes one message to standard error.
    static func complain(_ text: String) { StandardError.write(Array((text + "\n").utf8)) }

    /// Whether a person reads standard output: tables then, else lines for programs.
    static var isTerminal: Bool { StandardOutput.isTerminal }

    /// Whether colours are wanted (https://no-color.org).
    static var hasColor: Bool {
        isTerminal && (ProcessContext.current.environment["NO_COLOR"] ?? "").isEmpty
    }

    /// Text of a peer without what could move a terminal's cursor or hide something (H-159).
    static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isPrintable($0) ? $0 : "\u{FFFD}" }))
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }
}
