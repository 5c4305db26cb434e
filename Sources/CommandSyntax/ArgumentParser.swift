/// Parses the arguments of one command line.
struct ArgumentParser {
    var rest: ArraySlice<String>
    private var options: [String: [String]] = [:]
    private var operands: [String] = []
    private var wantsHelp = false

    init(rest: ArraySlice<String>) { self.rest = rest }

    mutating func parse() throws(UsageError) -> ParsedCommand {
        let command = try command()
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                rest = []
            } else if argument == "--help" || argument == "-h" {
                wantsHelp = true
            } else if argument.hasPrefix("-"), argument != "-" {
                try option(Self.long(argument, command), of: command)
            } else {
                operands.append(argument)
                guard command.operands.programIndex == operands.count - 1 else { continue }
                operands += rest
                rest = []
            }
        }
        if !wantsHelp, let fault = command.operands.fault(count: operands.count) { throw error(fault, command) }
        return ParsedCommand(specification: command, operands: operands, options: options, wantsHelp: wantsHelp)
    }

    /// Reads a command's name of one or two words; between two, options may stand.
    private mutating func command() throws(UsageError) -> CommandSpecification {
        guard let first = rest.popFirst() else { return try .named("help") }
        switch first {
        case "--help", "-h": return try .named("help")
        case "--version", "-V": rest = []; return try .named("version")
        default: break
        }
        guard !first.hasPrefix("-") else {
            throw CommandSpecification.usageError("`\(first)` stands before the command; options stand behind it")
        }
        guard let group = CommandGroup.named(first) else { return try .named(first) }
        if let index = group.partIndex(in: rest) { return try .named("\(first) \(rest.remove(at: index))") }
        guard rest.allSatisfy({ ["--help", "-h"].contains($0) }) else {
            throw CommandSpecification.usageError("`\(first)` needs one of its parts: \(group.parts)")
        }
        rest = [first]
        return try .named("help")
    }

    /// `--header` for `-H`.
    private static func long(_ argument: String, _ command: CommandSpecification) -> String {
        guard argument.count == 2, let letter = argument.last else { return argument }
        return command.options.first { $0.short == letter }.map { "--\($0.name)" } ?? argument
    }

    private mutating func option(_ argument: String, of command: CommandSpecification) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first?.drop { $0 == "-" } ?? "")
        guard argument.hasPrefix("--"), let option = command.options.first(where: { $0.name == name }) else {
            let nearest = NearestName.find(name, in: command.options.map(\.name))
            let hint = nearest.map { "; did you mean `--\($0)`?" } ?? ""
            throw error("unknown option `\(parts.first ?? "")`\(hint)", command)
        }
        guard option.repeats || options[name] == nil else { throw error("`--\(name)` is given twice", command) }
        let attached = parts.count == 2 ? String(parts[1]) : nil
        switch (option.valueName, attached) {
        case (nil, nil): options[name] = []
        case (nil, _): throw error("`--\(name)` takes no value", command)
        case (_, let value?): options[name, default: []].append(value)
        case (_?, nil) where option.isValueOptional: options[name, default: []] += hostPattern()
        case (let valueName?, nil):
            guard let value = rest.popFirst() else { throw error("`--\(name)` needs \(valueName)", command) }
            options[name, default: []].append(value)
        }
    }

    /// A pattern of hosts that stands as a word of its own, directly before `--` or another
    /// option: `--intercept HOST --`.
    private mutating func hostPattern() -> [String] {
        guard let word = rest.first, word.contains(where: { ".*:".contains($0) }), !word.contains("/"),
            !word.hasPrefix("-"), rest.dropFirst().first?.hasPrefix("--") == true
        else { return [] }
        rest = rest.dropFirst()
        return [word]
    }

    private func error(_ message: String, _ command: CommandSpecification) -> UsageError {
        let usage = "\(command.usage); see `respite \(command.name) --help`"
        return UsageError(userMessage: message, usage: usage, command: command.name)
    }
}
