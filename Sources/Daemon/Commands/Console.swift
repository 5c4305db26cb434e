import Observability

/// The program's standard output and error.
enum Console {
    /// Writes to standard output, as it is.
    static func write(_ text: String) { print(text, terminator: "") }

    /// Writes one message to standard error.
    static func complain(_ text: String) { StandardError.write(Array((text + "\n").utf8)) }
}
