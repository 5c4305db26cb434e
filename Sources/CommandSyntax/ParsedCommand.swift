/// A command line that is valid for its command.
public struct ParsedCommand: Sendable {
    public let specification: CommandSpecification
    public let operands: [String]
    /// Whether `--help` was given; then nothing else is checked.
    public let wantsHelp: Bool
    private let options: [String: [String]]

    /// The subcommand: `serve`, `config show`.
    public var name: String { specification.name }

    /// All values of an option, in order.
    public func values(of option: String) -> [String] { options[option] ?? [] }

    /// The last value of an option.
    public func value(of option: String) -> String? { options[option]?.last }

    /// Whether an option without value was given.
    public func has(_ option: String) -> Bool { options[option] != nil }

    /// The given options that set a setting.
    public var settingOptions: [(option: String, setting: String)] {
        specification.options.compactMap { option in
            option.setting.flatMap { options[option.name] == nil ? nil : (option.name, $0) }
        }
    }

    /// Reads the arguments after the program's name; without arguments it is `help`.
    ///
    /// Options may come before and after operands, as `--name value` or `--name=value`; `--` ends them.
    public static func parse(_ arguments: [String]) throws(UsageError) -> ParsedCommand {
        var parser = ArgumentParser(rest: arguments[...])
        return try parser.parse()
    }

    init(specification: CommandSpecification, operands: [String], options: [String: [String]], wantsHelp: Bool) {
        self.specification = specification
        self.operands = operands
        self.options = options
        self.wantsHelp = wantsHelp
    }
}

/// Why a command line cannot be understood; the exit code for it is 2.
public struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A sentence, with the nearest valid name if there is one.
    public var userMessage: String
    /// The correct usage.
    public var usage: String
    /// The command that was meant; nil if none is known.
    public var command: String?

    public var description: String { "respite: \(userMessage)\nusage: \(usage)" }
}
