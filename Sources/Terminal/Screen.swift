import Platform

/// Where the output of a command goes: to a terminal with its abilities, or to a file or program.
package struct Screen: Equatable {
    /// Whether people read the output, rather than programs.
    package var isTerminal: Bool
    /// Whether the terminal shows colours, and the user wants them (https://no-color.org).
    package var hasColor: Bool
    /// How many characters a line has; nil: no limit.
    package var width: Int?

    /// A file or program: no colours, and no limit of width.
    package static let none = Screen(isTerminal: false, columns: nil, environment: [:])

    /// Standard output of this process.
    package static var output: Screen {
        Screen(
            isTerminal: StandardOutput.isTerminal,
            columns: StandardOutput.columns,
            environment: ProcessContext.current.environment
        )
    }

    /// Standard error of this process.
    package static var errors: Screen {
        Screen(
            isTerminal: StandardError.isTerminal,
            columns: StandardError.columns,
            environment: ProcessContext.current.environment
        )
    }

    /// - Parameter columns: the width that the terminal has; the variable COLUMNS overrides it.
    package init(isTerminal: Bool, columns: Int?, environment: [String: String]) {
        self.isTerminal = isTerminal
        hasColor = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        let wanted = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        width = isTerminal ? wanted ?? columns : nil
    }
}
