@testable import CommandSyntax
import Testing

private func usageError(_ arguments: [String]) -> UsageError? {
    do {
        _ = try ParsedCommand.parse(arguments)
        return nil
    } catch {
        return error
    }
}

@Suite struct CommandLineTests {
    @Test("options come before and behind operands, in both forms, and -- ends them")
    func forms() throws {
        let command = try ParsedCommand.parse([
            "purge", "--admin=127.0.0.1:1", "http://a.example/", "--json", "--", "--b",
        ])
        #expect(command.name == "purge")
        #expect(command.value(of: "admin") == "127.0.0.1:1")
        #expect(command.has("json"))
        #expect(command.operands == ["http://a.example/", "--b"])
    }

    @Test("a letter behind one dash stands for an option")
    func letters() throws {
        let command = try ParsedCommand.parse(["explain", "http://a.example/", "-H", "A: b", "--header=C: d"])
        #expect(command.values(of: "header") == ["A: b", "C: d"])
        #expect(try ParsedCommand.parse(["explain", "http://a.example/", "-X", "POST"]).value(of: "method") == "POST")
        // A value may be empty, or have the character itself.
        let empty = try ParsedCommand.parse(["explain", "--header=", "http://a.example/", "--method=A=B"])
        #expect(empty.values(of: "header") == [""] && empty.value(of: "method") == "A=B")
        #expect(empty.operands == ["http://a.example/"])
        #expect(usageError(["explain", "http://a.example/", "-Y", "A: b"])?.userMessage == "unknown option `-Y`")
    }

    @Test("what stands behind a program to be run is its own")
    func programs() throws {
        let command = try ParsedCommand.parse(["run", "-q", "--for", "pip", "pip", "-q", "--json", "--", "--help"])
        #expect(command.has("quiet") && command.values(of: "for") == ["pip"])
        #expect(command.operands == ["pip", "-q", "--json", "--", "--help"])
        #expect(try ParsedCommand.parse(["run", "--", "-x"]).operands == ["-x"])
        #expect(usageError(["run", "--"])?.userMessage == "COMMAND is missing")
    }

    @Test("two words name a command of a group; no argument means help")
    func groups() throws {
        #expect(try ParsedCommand.parse(["config", "show", "--json"]).name == "config show")
        #expect(try ParsedCommand.parse([]).name == "help")
        #expect(try ParsedCommand.parse(["--version"]).name == "version")
        #expect(try ParsedCommand.parse(["help", "serve"]).operands == ["serve"])
        #expect(try ParsedCommand.parse(["show", "--help"]).wantsHelp)
    }

    @Test(
        "options may stand between the two words of a command, with their values",
        arguments: [
            ["config", "--json", "show"], ["config", "show", "--json"], ["config", "--set", "a=b", "--json", "show"],
            ["config", "--set=a=b", "--json", "show"], ["config", "--json", "--config", "check", "show"],
        ]
    )
    func optionsBetween(arguments: [String]) throws {
        let command = try ParsedCommand.parse(arguments)
        #expect(command.name == "config show" && command.has("json") && command.operands.isEmpty)
        #expect(
            command.values(of: "set") == (arguments.contains("a=b") || arguments.contains("--set=a=b") ? ["a=b"] : [])
        )
    }

    @Test("an option has a value in all commands of a group or in none, since it may stand before the second word")
    func groupOptions() {
        for group in CommandGroup.all {
            var hasValue: [String: Bool] = [:]
            for option in group.members.flatMap(\.options) {
                #expect(hasValue[option.name, default: option.valueName != nil] == (option.valueName != nil))
                hasValue[option.name] = option.valueName != nil
            }
        }
    }

    @Test(
        "help is asked for before the command, behind it and between its words; a group without a part lists its parts",
        arguments: [
            (["--help"], "help", []), (["-h"], "help", []), (["-h", "ls"], "help", ["ls"]),
            (["help", "ca", "trust"], "help", ["ca", "trust"]), (["ca"], "help", ["ca"]),
            (["config", "--help"], "help", ["config"]), (["config", "-h"], "help", ["config"]),
        ] as [([String], String, [String])]
    )
    func help(arguments: [String], name: String, operands: [String]) throws {
        let command = try ParsedCommand.parse(arguments)
        #expect(command.name == name && command.operands == operands && !command.wantsHelp)
    }

    @Test("help between the two words is that of the command")
    func helpBetween() throws {
        let command = try ParsedCommand.parse(["config", "--help", "show"])
        #expect(command.name == "config show" && command.wantsHelp)
    }

    @Test(
        "what does not fit is an error with the nearest name",
        arguments: [
            (["serv"], "unknown command `serv`; did you mean `serve`?"),
            (["config", "shw"], "unknown command `config shw`; did you mean `config show`?"),
            (["config", "frob"], "unknown command `config frob`; the parts of `config` are check, show, schema"),
            (["conf"], "unknown command `conf`; did you mean `config`?"),
            (["trust"], "unknown command `trust`; did you mean `ca trust`?"),
            (["config", "--json"], "`config` needs one of its parts: check, show, schema"),
            (["--json", "status"], "`--json` stands before the command; options stand behind it"),
            (["serve", "--listn", "x"], "unknown option `--listn`; did you mean `--listen`?"),
            (["serve", "-x"], "unknown option `-x`"),
            (["serve", "--listen"], "`--listen` needs ADDR"),
            (["serve", "--store=a", "--store=b"], "`--store` is given twice"),
            (["serve", "extra"], "too many arguments"),
            (["show"], "URL is missing"),
            (["status", "--json=1"], "`--json` takes no value"),
        ] as [([String], String)]
    )
    func errors(arguments: [String], message: String) throws {
        let error = try #require(usageError(arguments))
        #expect(error.userMessage.hasPrefix(message), "\(error.userMessage)")
    }
}
