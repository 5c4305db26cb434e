import CommandSyntax
import Testing

@testable import Commands

/// The lines of the completion scripts, where each kind of option and operand has its own.
@Suite struct CompletionScriptTests {
    private static let modes = "online auto offline replay"
    private static let methods = "GET HEAD OPTIONS POST PUT PATCH DELETE"
    private static let tools = ClientTool.allCases.map(\.rawValue).joined(separator: " ")

    private static func lines(_ shell: CompletionShell) -> [String] {
        CompletionCommand.script(for: shell).split(separator: "\n").map(String.init)
    }

    @Test("bash's options end in an equals sign if their value may be the next word, and --help is always there")
    func bashOptions() {
        let lines = Self.lines(.bash)
        let exact: [String] = [
            "    'version') words='--help' ;;", "    'passwd') words='--delete --help' ;;",
            "    'ca show') words='--config= --ca-directory= --set= --json --help' ;;",
            "    'explain') words='-H= --header= -X= --method= --request= --no-pager --config= --admin= --store= "
                + "--token-file= --set= --json --help' ;;",
            "    'run') words='--for= --index= --no-proxy= --own --intercept --rules= -q --quiet --mode= --set= --config= "
                + "--admin= --store= --token-file= --help' ;;",
        ]
        for line in exact { #expect(lines.filter { $0 == line }.count == 1, "\(line)") }
    }

    @Test("bash knows how many operands stand before a program")
    func bashPrograms() {
        let lines = Self.lines(.bash)
        let counts = lines.filter { $0.contains(" before=") && $0.hasSuffix(" ;;") }
        #expect(
            counts == [
                "    'run') before=0 ;;", "    'record') before=1 ;;", "    'replay') before=1 ;;", "    *) before= ;;",
            ]
        )
    }

    @Test("in bash places with the same values share a line, and those that only the user knows have none")
    func bashValues() throws {
        let script = CompletionCommand.script(for: .bash)
        let head = try #require(script.firstRange(of: "_respite_values() {\n    case \"$1 $2\" in\n"))
        let values = script[head.upperBound...].prefix { $0 != "}" }.split(separator: "\n").dropLast()
        let exact: [String] = [
            "    'serve --mode'|'run --mode'|'mode 0'|'mode 1'|'config check --mode'|'config show --mode') "
                + "words='\(Self.modes)' ;;",
            "    'run --for'|'env --for') words='\(Self.tools)' ;;",
            "    'explain --method'|'explain -X'|'config show --method') words='\(Self.methods)' ;;",
            "    'ca export --format') words='pem der' ;;", "    'completion 0') words='bash zsh fish' ;;",
        ]
        for line in exact { #expect(values.filter { $0 == line }.count == 1, "\(line)") }
        #expect(values.filter { $0.hasPrefix("    'log '[0-9]*) words='network ") }.count == 1)
        let assignments = values.compactMap { $0.split(separator: ")", maxSplits: 1).last }
        #expect(assignments.count == values.count && Set(assignments).count == values.count)
        for place in ["'run '", "'ls --limit'", "'explain --request'", "'put 0'", "'ca create --for'", "'ls --long'"] {
            #expect(!values.contains { $0.contains(place) }, "\(place)")
        }
        #expect(values.contains { $0.contains("'put 1'|") && $0.hasSuffix(" kind=files ;;") })
        #expect(values.contains { $0.contains("'put --store'|") && $0.hasSuffix(" kind=directories ;;") })
    }

    @Test("zsh's words have exclusions, repetition and operands; of a program its own completion follows")
    func zsh() throws {
        let lines = Self.lines(.zsh)
        let help = "'(- *)'{-h,--help}'[describes the command]'"
        let exact: [String] = [
            "    'version') _arguments -s -S \(help) ;;",
            "    'completion') _arguments -s -S \(help) '1:operand:(bash zsh fish)' ;;",
        ]
        for line in exact { #expect(lines.filter { $0 == line }.count == 1, "\(line)") }
        let commands: [(String, [String])] = [
            (
                "explain",
                [
                    "'*'{-H+,--header=}'[", "'(-X --method)'{-X+,--method=}'[", "]:METHOD:(\(Self.methods))'",
                    "'--request=[", "]:ID: '", "'*--set=[any setting]:KEY=VALUE:_respite_settings'",
                    "'--json[as JSON]'", " '1:operand:{true}' ;;",
                ]
            ),
            (
                "run",
                [
                    "'*--for=[", "]:TOOL:(\(Self.tools))'", "'*--intercept=-[", "]::=HOSTS: '", "]:FILE:_files'",
                    "'(-q --quiet)'{-q,--quiet}'[", "]:DIR:_files -/'",
                    " '(-)*::program: _respite_program 0' ;;",
                ]
            ),
            ("record", [" '1:operand:_files' '(-)*::program: _respite_program 1' ;;"]),
            ("mode", [" '1:operand:(\(Self.modes))' '2:operand:(\(Self.modes))' ;;"]),
            ("put", [" '1:operand:{true}' '2:operand:_files' ;;"]), ("log", [" '*:operand:(network "]),
        ]
        for (name, parts) in commands {
            let line = try #require(lines.first { $0.hasPrefix("    '\(name)') _arguments -s -S ") })
            for part in parts { #expect(line.contains(part), "\(name): \(part)") }
        }
    }

    @Test("fish has a line for each option and operand, and knows which options are followed by their value")
    func fish() throws {
        let lines = Self.lines(.fish)
        func start(_ command: String) -> String { "complete -c respite -n '__respite_is \"\(command)\"" }
        let exact: [String] = [
            start("mode") + " 0' -a '\(Self.modes)'", start("mode") + " 1' -a '\(Self.modes)'",
            start("put") + " 1' -F",
            start("record") + " 0' -F",
            start("completion") + " 0' -a 'bash zsh fish'", start("ls") + "' -l json -d 'as JSON'",
        ]
        for line in exact { #expect(lines.filter { $0 == line }.count == 1, "\(line)") }
        let starts: [String] = [
            start("explain") + "' -l method -s X -x -a '\(Self.methods)' -d '", start("ls") + "' -l long -s l -d '",
            start("explain") + "' -l request -x -d '", start("run") + "' -l intercept -d '",
            start("run") + "' -l config -r -F -d '",
            start("run") + "' -a '(__fish_complete_subcommand --fcs-skip=2 -",
            start("record") + "' -a '(__fish_complete_subcommand --fcs-skip=3 -",
            start("run") + "' -l store -x -a '(__fish_complete_directories)' -d '", start("log") + "' -a 'network ",
        ]
        for part in starts { #expect(lines.filter { $0.hasPrefix(part) }.count == 1, "\(part)") }
        for (command, operand) in [("put", " 0'"), ("put", "' -F"), ("explain", " 0'"), ("ls", " 0'"), ("ls", "' -a")] {
            #expect(!lines.contains { $0.hasPrefix(start(command) + operand) }, "\(command)\(operand)")
        }
        let valued = try #require(lines.first { $0.contains("contains -- $word ") }).split(separator: " ")
        for word in ["--sort", "--method", "-X", "-H", "--config", "--for"] {
            #expect(valued.filter { $0.prefix { $0 != ";" } == word }.count == 1, "\(word)")
        }
        for word in ["--intercept", "--json", "--long", "-l", "--quiet", "-q"] {
            #expect(!valued.contains { $0.prefix { $0 != ";" } == word }, "\(word)")
        }
    }
}
