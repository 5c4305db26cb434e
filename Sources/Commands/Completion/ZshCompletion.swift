import CommandSyntax
import Terminal

/// The script for zsh, a function that its completion system loads, or that `source` defines.
enum ZshCompletion {
    static var script: String {
        let groups = CommandGroup.all.map { group in
            """
                \(group.name))
                    if ((CURRENT == 2)); then
                        names=(\(descriptions(CompletionCommand.parts(of: group))))
                        _describe -t commands part names
                        return
                    fi
                    command+=" $words[2]"
                    shift words
                    ((CURRENT--))
                    ;;

            """
        }
        return """
            #compdef respite
            # Completion of respite(1) for zsh, made by `respite completion zsh`.

            _respite_settings() {
                local -a names=(\(CompletionValue.settingNames.map { ShellText.quoted($0) }.joined(separator: " ")))
                compadd "$@" -S '' -a names
            }

            # Completes a program and its arguments, before which $1 operands stand.
            _respite_program() {
                local -i left=$1
                while ((CURRENT > 1)) && [[ $left -gt 0 || $words[1] == -- ]]; do
                    [[ $words[1] == -- ]] || ((left--))
                    shift words
                    ((CURRENT--))
                done
                _normal
            }

            _respite() {
                local curcontext=$curcontext state command
                local -a line names
                typeset -A opt_args
                _arguments -C '(- *)'{-h,--help}'[lists the commands]' '(- *)'{-V,--version}'[prints the version]' \\
                    '1: :->command' '*:: :->arguments' && return
                if [[ $state == command ]]; then
                    names=(\(descriptions(CompletionCommand.names)))
                    _describe -t commands command names
                    return
                fi
                command=$words[1]
                case $command in
            \(groups.joined())    esac
                case $command in
            \(CommandSpecification.listed.map(arguments).joined())    esac
            }

            if [[ $funcstack[1] == _respite ]]; then
                _respite "$@"
            elif (($+functions[compdef])); then
                compdef _respite respite
            fi

            """
    }

    private static func descriptions(_ names: [(name: String, brief: String)]) -> String {
        names.map { ShellText.quoted("\($0.name):\(escaped($0.brief))") }.joined(separator: " ")
    }

    /// The line for one command.
    private static func arguments(of command: CommandSpecification) -> String {
        let operands = CompletionOperands(command)
        var words = ["-s", "-S"] + command.options.map(word) + ["'(- *)'{-h,--help}'[describes the command]'"]
        for (index, value) in operands.first.enumerated() { words.append("'\(index + 1):\(operand(value))'") }
        switch operands.rest {
        case .program?: words.append("'(-)*::program: _respite_program \(operands.first.count)'")
        case let rest?: words.append("'*:\(operand(rest))'")
        case nil: break
        }
        return "    '\(command.name)') _arguments \(words.joined(separator: " ")) ;;\n"
    }

    /// `'(-l --long)'{-l,--long}'[also the media type]'`.
    private static func word(_ option: CommandOption) -> String {
        let value = option.valueName.map { ":" + action(CompletionValue(option), $0) }
        let text = "[\(escaped(option.summary))]" + (option.isValueOptional ? ":" : "") + (value ?? "")
        let sign = value == nil ? "" : option.isValueOptional ? "=-" : "="
        let name = "--\(option.name)\(sign)"
        guard let short = option.short else { return ShellText.quoted((option.repeats ? "*" : "") + name + text) }
        let start = option.repeats ? "'*'" : "'(-\(short) --\(option.name))'"
        return "\(start){-\(short)\(value == nil ? "" : "+"),\(name)}\(ShellText.quoted(text))"
    }

    /// A message in place of values would keep zsh from completing options.
    private static func operand(_ value: CompletionValue) -> String {
        value == .anything ? "operand:{true}" : action(value, "operand")
    }

    /// `ORDER:(url state)`.
    private static func action(_ value: CompletionValue, _ name: String) -> String {
        let name = escaped(name)
        return switch value {
        case .anything, .program: "\(name): "
        case .files: "\(name):_files"
        case .directories: "\(name):_files -/"
        case .words(CompletionValue.settingNames): "\(name):_respite_settings"
        case .words(let words): "\(name):(\(words.joined(separator: " ")))"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.map { "\\[]:".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
