import CommandSyntax
import Glibc
import TestSupport
import Testing

/// The completion scripts, in the shells for which they are.
struct CompletionTests {
    /// A line that is typed, and what its last word becomes.
    struct Line: Sendable, CustomTestStringConvertible {
        var typed: String
        var word: String

        init(_ typed: String, _ word: String) { (self.typed, self.word) = (typed, word) }

        var testDescription: String { typed }

        /// The arguments behind `respite` after the completion.
        var completed: String {
            (typed.split(separator: " ").dropFirst().dropLast() + [word[...]]).joined(separator: " ")
        }
    }

    private static let lines = [
        Line("respite vers", "version"), Line("respite config che", "check"), Line("respite ls --rev", "--reverse"),
        Line("respite ls --sort hi", "hits"), Line("respite ls --sort=hi", "--sort=hits"),
        Line("respite explain -X HEA", "HEAD"), Line("respite mode offl", "offline"),
        Line("respite mode github repl", "replay"), Line("respite log cache stal", "staleness"),
        Line("respite completion fi", "fish"), Line("respite env --for carg", "cargo"),
        Line("respite ca export --format d", "der"), Line("respite ca export --bun", "--bundle"),
        Line("respite serve --rules mav", "maven"), Line("respite serve --set storage.direc", "storage.directory="),
        Line("respite config check FIL", "FILE.toml"), Line("respite put http://h.example/ FIL", "FILE.toml"),
        Line("respite status --store FOL", "FOLDER"), Line("respite help inval", "invalidate"),
        Line("respite run -- base6", "base64"), Line("respite record FIL", "FILE.toml"),
        Line("respite replay --on-m", "--on-miss"), Line("respite record FILE.toml base6", "base64"),
        Line("respite replay FILE.toml -- base6", "base64"), Line("respite run base64 FIL", "FILE.toml"),
        Line("respite record FILE.toml -- base64 FIL", "FILE.toml"),
        Line("respite record -- FILE.toml base6", "base64"),
        Line("respite record --no-proxy h FILE.toml base6", "base64"), Line("respite run --for pip base6", "base64"),
    ]

    /// A directory with the script of a shell, and with what completion of files finds.
    private static func directory(_ shell: CompletionShell) throws -> (home: TemporaryDirectory, script: String) {
        let home = TemporaryDirectory()
        let outcome = try Command.run([DaemonProcess.executable, "completion", shell.rawValue])
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        _ = try home.write("", to: "FILE.toml")
        mkdir(home.path + "/FOLDER", 0o755)
        // zsh looks for a file of the function's name.
        return (home, try home.write(outcome.output, to: "_respite"))
    }

    @Test("each shell accepts its script without a word", arguments: CompletionShell.allCases)
    func syntax(shell: CompletionShell) throws {
        let (home, script) = try Self.directory(shell)
        defer { withExtendedLifetime(home) {} }
        let outcome = try Command.run([shell.rawValue, "-n", script])
        #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test(
        "a tab completes commands, options, values and files in bash and zsh",
        arguments: [CompletionShell.bash, .zsh]
    )
    func tab(shell: CompletionShell) throws {
        let (home, script) = try Self.directory(shell)
        let terminal = try TestTerminal(columns: 200)
        let program = shell == .bash ? ["bash", "--norc", "-i"] : ["zsh", "-f", "-i"]
        let variables = ["HOME=\(home.path)", "TERM=xterm"]
        let command = try terminal.start(["setsid", "--ctty"] + program, environment: variables)
        defer { command.send(signal: SIGKILL) }
        let load =
            shell == .bash
            ? "source '\(script)'" : "fpath=('\(home.path)' $fpath); autoload -U compinit; compinit -u -D"
        terminal.type("\(load); cd; respite() { printf '<%s>\\n' \"$*\"; }; printf 'rea%s\\n' dy\n")
        _ = try terminal.output(through: "ready\r\n")
        for line in Self.lines {
            terminal.type("\(line.typed)\t\n")
            let shown = try terminal.output(through: ">\r\n")
            #expect(shown.contains("<\(line.completed)"), "\(line.typed): \(shown)")
            terminal.forget()
        }
    }

    @Test("fish completes the same", arguments: lines)
    func fish(line: Line) throws {
        let (home, script) = try Self.directory(.fish)
        let text = "source '\(script)'; cd '\(home.path)'; complete -C '\(line.typed)'"
        let outcome = try Command.run(["fish", "--no-config", "-c", text], environment: ["HOME=\(home.path)"])
        let words = outcome.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
        #expect(words.contains { $0 == line.word || $0 == line.word + "/" }, "\(outcome)")
        #expect(words.count == 1 && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test("bash offers all options of a command behind a dash, and no words behind a URL's colon")
    func bashLists() throws {
        let (home, script) = try Self.directory(.bash)
        defer { withExtendedLifetime(home) {} }
        func offered(_ words: [String]) throws -> [String] {
            let array = words.map { "'\($0)'" }.joined(separator: " ")
            let text =
                "source '\(script)'; COMP_WORDS=(\(array)) COMP_CWORD=\(words.count - 1); _respite; printf '%s\\n' \"${COMPREPLY[@]}\""
            let outcome = try Command.run(["bash", "--norc", "-c", text])
            #expect(outcome.errors.isEmpty, "\(outcome)")
            return outcome.output.split(separator: "\n").map(String.init)
        }
        let options = try CommandSpecification.named("ls").options.map { "--\($0.name)" }
        #expect(
            try offered(["respite", "ls", "-"]) == ["-l"] + options.prefix(2) + ["-r"] + options.dropFirst(2) + [
                "--help"
            ]
        )
        let names = CommandSpecification.listed.compactMap { $0.name.split(separator: " ").first.map(String.init) }
        #expect(try Set(offered(["respite", ""])) == Set(names))
        #expect(try offered(["respite", "ca", ""]) == ["create", "show", "trust", "untrust", "export"])
        #expect(try offered(["respite", "put", "http", ":", "//h"]).isEmpty)
        #expect(try offered(["respite", "ls", "--sort", "="]).contains("hits"))
    }
}
