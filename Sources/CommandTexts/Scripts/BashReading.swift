import CommandSyntax

/// The part of the completion for bash that reads the line, and answers.
package enum BashReading {
    package static let text = #"""

        _respite() {
            local current=${COMP_WORDS[COMP_CWORD]} command= option= kind= words= before= count=0 program=0 index word
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
                if [[ $count == "$before" && ($word == -- || $word != -*) ]]; then
                    program=$index
                    if [[ $word == -- ]]; then ((program++)); fi
                    break
                fi
                if [[ $word == -* ]]; then
                    _respite_options "$command"
                    if [[ " $words " == *" $word= "* ]]; then option=$word; fi
                elif [[ -z $command || $command == @(GROUPS) ]]; then
                    command+=${command:+ }$word
                    _respite_program "$command"
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
            elif [[ $count == "$before" ]]; then
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
