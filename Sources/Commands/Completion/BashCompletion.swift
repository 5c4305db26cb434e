import CommandSyntax
import CommandTexts

/// The script for bash.
///
/// It needs nothing but bash itself. The package bash-completion, if it is there, completes the command behind `run`,
/// `record` and `replay`.
enum BashCompletion {
    static var script: String {
        let groups = CommandGroup.all.map { group in
            "    \(group.name)) words='\(words(CompletionCommand.parts(of: group).map(\.name)))' ;;\n"
        }
        return """
            # Completion of respite(1) for bash, made by `respite completion bash`.

            # Sets `words` to the options of the command $1; those with a value end in `=`.
            _respite_options() {
                case $1 in
            \(options)    *) words=--help ;;
                esac
            }

            # Sets `words` or `kind` to what may stand at $2 of the command $1: at an option, or an operand's number.
            _respite_values() {
                case "$1 $2" in
            \(values)    esac
            }

            # Sets `words` to the commands, or to the parts of the group $1.
            _respite_commands() {
                case $1 in
            \(groups.joined())    *) words='\(words(CompletionCommand.names.map(\.name)))' ;;
                esac
            }

            # Sets `before` to the number of operands before the program that the command $1 runs; empty: it runs none.
            _respite_program() {
                case $1 in
            \(programs)    *) before= ;;
                esac
            }

            """ + BashReading.text
    }

    private static func words(_ words: [String]) -> String { words.joined(separator: " ") }

    private static var options: String {
        CommandSpecification.listed.map { command in
            let words = command.options.flatMap { option in
                let sign = option.valueName != nil && !option.isValueOptional ? "=" : ""
                return (option.short.map { ["-\($0)\(sign)"] } ?? []) + ["--\(option.name)\(sign)"]
            }
            return "    '\(command.name)') words='\(Self.words(words + ["--help"]))' ;;\n"
        }.joined()
    }

    private static var programs: String {
        CommandSpecification.listed.compactMap { command in
            let operands = CompletionOperands(command)
            return operands.rest == .program ? "    '\(command.name)') before=\(operands.first.count) ;;\n" : nil
        }.joined()
    }

    /// The places that have the same values stand in one line.
    private static var values: String {
        var places: [CompletionValue: [String]] = [:]
        var order: [CompletionValue] = []
        func add(_ value: CompletionValue, at place: String) {
            guard value != .anything, value != .program else { return }
            if places[value] == nil { order.append(value) }
            places[value, default: []].append(place)
        }
        for command in CommandSpecification.listed {
            for option in command.options {
                for name in ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? []) {
                    add(CompletionValue(option), at: "'\(command.name) \(name)'")
                }
            }
            let operands = CompletionOperands(command)
            for (index, value) in operands.first.enumerated() { add(value, at: "'\(command.name) \(index)'") }
            if let rest = operands.rest { add(rest, at: "'\(command.name) '[0-9]*") }
        }
        return order.map { "    \((places[$0] ?? []).joined(separator: "|"))) \(assignment($0)) ;;\n" }.joined()
    }

    private static func assignment(_ value: CompletionValue) -> String {
        switch value {
        case .words(let words): "words='\(Self.words(words))'"
        case .files: "kind=files"
        case .directories: "kind=directories"
        case .anything, .program: ":"
        }
    }
}
