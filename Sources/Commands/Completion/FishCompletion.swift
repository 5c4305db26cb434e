import CommandSyntax
import Terminal

/// The script for fish.
enum FishCompletion {
    static var script: String {
        """
        # Completion of respite(1) for fish, made by `respite completion fish`.

        # Prints the command that was typed, and then how many operands it has.
        function __respite_typed
            set -l words (commandline -opc)
            set -l command
            set -l count 0
            set -l is_value 0
            for word in $words[2..-1]
                if test $is_value = 1
                    set is_value 0
                else if string match -q -- '-*' $word
                    contains -- $word \(valued.joined(separator: " ")); and set is_value 1
                else if test -z "$command"
                    set command $word
                else if contains -- "$command" \(CommandGroup.all.map(\.name).joined(separator: " "))
                    set command "$command $word"
                else
                    set count (math $count + 1)
                end
            end
            echo $command
            echo $count
        end

        # Whether the command is $argv[1], with $argv[2] operands if that is given.
        function __respite_is
            set -l typed (__respite_typed)
            test "$typed[1]" = "$argv[1]"; or return
            not set -q argv[2]; or test "$typed[2]" = "$argv[2]"
        end

        complete -c respite -f
        \(names)
        """ + CommandSpecification.listed.map(lines).joined()
    }

    /// The options that have a value in the next word.
    private static var valued: [String] {
        var seen: Set<String> = []
        let options = CommandSpecification.listed.flatMap(\.options).filter {
            $0.valueName != nil && !$0.isValueOptional
        }
        let names = options.flatMap { ["--\($0.name)"] + ($0.short.map { ["-\($0)"] } ?? []) }
        return names.filter { seen.insert($0).inserted }
    }

    /// The same; the function of fish reads a first word that begins with `--` as an option of its own.
    private static var skipped: String {
        let (long, short) = (valued.filter { $0.hasPrefix("--") }, valued.filter { !$0.hasPrefix("--") })
        return (short + long).joined(separator: " ")
    }

    private static var names: String {
        func line(_ command: String, _ each: (name: String, brief: String)) -> String {
            "complete -c respite -n '__respite_is \"\(command)\"' -a \(each.name) -d \(ShellText.fishQuoted(each.brief))\n"
        }
        let parts = CommandGroup.all.map { group in
            CompletionCommand.parts(of: group).map { line(group.name, $0) }.joined()
        }
        return CompletionCommand.names.map { line("", $0) }.joined() + parts.joined()
    }

    /// The lines for one command.
    private static func lines(of command: CommandSpecification) -> String {
        let start = "complete -c respite -n '__respite_is \"\(command.name)\""
        let operands = CompletionOperands(command)
        var lines = command.options.map { option in
            let short = option.short.map { " -s \($0)" } ?? ""
            // An optional value is never a word of its own.
            let value = option.valueName == nil || option.isValueOptional ? "" : " -x" + action(CompletionValue(option))
            return "\(start)' -l \(option.name)\(short)\(value) -d \(ShellText.fishQuoted(option.summary))"
        }
        for (index, value) in operands.first.enumerated() where value != .anything {
            lines.append("\(start) \(index)'\(action(value))")
        }
        if let rest = operands.rest, rest != .anything {
            lines.append("\(start)'\(action(rest, behind: operands.first.count))")
        }
        return lines.map { $0.replacing("-x -F", with: "-r -F") + "\n" }.joined()
    }

    /// - Parameter count: how many operands stand before a program.
    private static func action(_ value: CompletionValue, behind count: Int = 0) -> String {
        switch value {
        case .anything: ""
        case .files: " -F"
        case .directories: " -a '(__fish_complete_directories)'"
        case .program: " -a '(__fish_complete_subcommand --fcs-skip=\(2 + count) \(skipped))'"
        case .words(let words): " -a \(ShellText.fishQuoted(words.joined(separator: " ")))"
        }
    }
}
