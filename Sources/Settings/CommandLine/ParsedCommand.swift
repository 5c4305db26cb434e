/// A command line that fits its command's specification.
public struct ParsedCommand: Sendable {
    public let specification: CommandSpecification
    public let operands: [String]
    /// `--help` was given; nothing else was checked.
    public let wantsHelp: Bool
    private let options: [String: [String]]

    /// The subcommand: `serve`, `config show`.
    public var name: String { specification.name }

    /// All values of an option, in order.
    public func values(of option: String) -> [String] { options[option] ?? [] }

    /// The last value of an option.
    public func value(of option: String) -> String? { options[option]?.last }

    /// An option without value was given.
    public func has(_ option: String) -> Bool { options[option] != nil }

    /// The options given that stand for a setting.
    var settingOptions: [(option: String, setting: String)] {
        specification.options.compactMap { option in
            option.setting.flatMap { options[option.name] == nil ? nil : (option.name, $0) }
        }
    }

    /// Reads the arguments behind the program's name; none at all mean `help`.
    ///
    /// Options may stand before and behind operands, as `--name value` or `--name=value`; `--` ends them.
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
    /// How it is done right.
    public var usage: String

    public var description: String { "respite: \(userMessage)\nusage: \(usage)" }
}
