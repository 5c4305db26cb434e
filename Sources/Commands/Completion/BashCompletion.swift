import CommandSyntax

/// The script for bash.
///
/// It needs nothing but bash itself; for the command of `run` it uses the package bash-completion if that is there.
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

            """ + reading
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

    /// Reads the line, and answers.
    private static let reading = #"""

        _respite() {
            local current=${COMP_WORDS[COMP_CWORD]} command= option= kind= words= count=0 program=0 index word
            COMPREPLY=()
            for ((index = 1; index < COMP_CWORD; index++)); do
                word=${COMP_WORDS[index]}
                # Bash makes words of `=` and `:`. Behind an option, `=` is as good as a space.
                if [[ $word == = && -n $option ]]; then continue; fi
                if [[ $word == [=:] ]]; then
                    ((++index == COMP_CWORD)) && return
                    continue
                fi
                if [[ -n $option ]]; then
                    option=
                    continue
                fi
                if [[ $command == run && ($word == -- || $word != -*) ]]; then
                    program=$index
                    if [[ $word == -- ]]; then ((program++)); fi
                    break
                fi
                if [[ $word == -* ]]; then
                    _respite_options "$command"
                    if [[ " $words " == *" $word= "* ]]; then option=$word; fi
                elif [[ -z $command || $command == @(GROUPS) ]]; then
                    command+=${command:+ }$word
                else
                    ((count++))
                fi
            done
            words=
            if ((program)); then
                if declare -F _command_offset >/dev/null; then
                    _command_offset "$program"
                elif ((program == COMP_CWORD)); then
                    mapfile -t COMPREPLY < <(compgen -c -- "$current")
                else
                    mapfile -t COMPREPLY < <(compgen -f -- "$current")
                fi
                return
            fi
            if [[ $current == = && -n $option ]]; then current=; fi
            if [[ $current == [=:] ]]; then return; fi
            if [[ -n $option ]]; then
                _respite_values "$command" "$option"
            elif [[ $current == -* ]]; then
                _respite_options "$command"
                words=${words//=/}
            elif [[ -z $command || $command == @(GROUPS) ]]; then
                _respite_commands "$command"
            elif [[ $command == run ]]; then
                mapfile -t COMPREPLY < <(compgen -c -- "$current")
                return
            else
                _respite_values "$command" "$count"
            fi
            case $kind in
            files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
            directories) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
            *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
            esac
            if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
        }

        complete -F _respite respite

        """#.replacing("GROUPS", with: CommandGroup.all.map(\.name).joined(separator: "|"))
}
