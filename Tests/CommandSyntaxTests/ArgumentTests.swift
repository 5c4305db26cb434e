@testable import CommandSyntax
import Testing

/// How arguments become options and operands, and which names are meant.
@Suite struct ArgumentTests {
    @Test(
        "hosts to intercept may stand as a word of their own, directly before -- or another option",
        arguments: [
            (["--intercept", "a.example", "--", "x"], ["a.example"], ["x"]),
            (["--intercept", "*", "--quiet", "x"], ["*"], ["x"]),
            (["--intercept", "a:443", "--", "x"], ["a:443"], ["x"]),
            (["--intercept=a.example", "x"], ["a.example"], ["x"]), (["--intercept=", "x"], [""], ["x"]),
            (["--intercept", "x"], [], ["x"]), (["--intercept", "--", "a.example"], [], ["a.example"]),
            (["--intercept", "./x.sh", "--", "y"], [], ["./x.sh", "--", "y"]),
            (["--intercept", "plain", "--", "y"], [], ["plain", "--", "y"]),
            (["--intercept", "x.sh", "-v"], [], ["x.sh", "-v"]), (["--intercept", "a.example"], [], ["a.example"]),
            (["--intercept", "a.example", "--intercept", "b.example", "--", "x"], ["a.example", "b.example"], ["x"]),
        ]
    )
    func intercepted(arguments: [String], hosts: [String], operands: [String]) throws {
        let command = try ParsedCommand.parse(["run"] + arguments)
        #expect(command.has("intercept") && command.values(of: "intercept") == hosts && command.operands == operands)
    }

    @Test("a program's name ends the options, behind a file, too")
    func programs() throws {
        let record = try ParsedCommand.parse(["record", "--scrub=a", "file", "program", "--scrub", "-x"])
        #expect(record.operands == ["file", "program", "--scrub", "-x"] && record.values(of: "scrub") == ["a"])
        let late = try ParsedCommand.parse(["run", "-", "--quiet"])
        #expect(late.operands == ["-", "--quiet"] && !late.has("quiet"))
        #expect(try ParsedCommand.parse(["match", "a", "--host", "b", "-h"]).wantsHelp)
        #expect(try ParsedCommand.parse(["match", "--", "--host", "-h"]).operands == ["--host", "-h"])
    }

    @Test(
        "a command has as many operands as it takes, with a word for each that is missing",
        arguments: [
            (.none, [nil, "-", "-", "-"]), (.optional("A"), [nil, nil, "-", "-"]), (.one("A"), ["A", nil, "-", "-"]),
            (.many("A"), ["A", nil, nil, nil]), (.any("A"), [nil, nil, nil, nil]),
            (.two("A", "B"), ["A", "B", nil, "-"]),
            (.oneAndMany("A", "B"), ["A", "B", nil, nil]), (.upToTwo("A", "B"), [nil, nil, nil, "-"]),
            (.program("A"), ["A", nil, nil, nil]), (.fileAndProgram("A", "B"), ["A", "B", nil, nil]),
        ] as [(CommandSpecification.Operands, [String?])]
    )
    func operands(operands: CommandSpecification.Operands, faults: [String?]) {
        let expected = faults.map { $0.map { $0 == "-" ? "too many arguments" : "\($0) is missing" } }
        #expect((0...3).map { operands.fault(count: $0) } == expected)
    }

    @Test("options that stand for settings are known by what was given")
    func settings() throws {
        let command = try ParsedCommand.parse([
            "serve", "--mode", "online", "--listen", "a", "--listen", "b", "--set", "x=y",
        ])
        #expect(command.settingOptions.map { "\($0.option) \($0.setting)" } == ["listen listen", "mode mode"])
        #expect(command.value(of: "listen") == "b" && command.values(of: "listen") == ["a", "b"])
        #expect(!command.has("config") && command.value(of: "config") == nil && command.values(of: "config") == [])
        #expect(try ParsedCommand.parse(["serve"]).settingOptions.isEmpty)
    }

    @Test("an option that may be repeated is, and any other is given once")
    func repeated() throws {
        let error = #expect(throws: UsageError.self) {
            try ParsedCommand.parse(["serve", "--store", "a", "--store=b"])
        }
        #expect(
            error?.description
                == "respite: `--store` is given twice\nusage: respite serve [options]; see `respite serve --help`"
        )
        #expect(error?.command == "serve")
        let unknown = #expect(throws: UsageError.self) { try ParsedCommand.parse(["serve", "--stor"]) }
        #expect(unknown?.userMessage == "unknown option `--stor`; did you mean `--store`?")
        let value = #expect(throws: UsageError.self) { try ParsedCommand.parse(["serve", "--xyzzyx=1"]) }
        #expect(value?.userMessage == "unknown option `--xyzzyx`")
        let single = #expect(throws: UsageError.self) { try ParsedCommand.parse(["serve", "-store", "a"]) }
        #expect(single?.userMessage == "unknown option `-store`; did you mean `--store`?")
    }

    @Test(
        "of a command that is unknown the nearest one is named, or the parts of its group",
        arguments: [
            ("serv", "; did you mean `serve`?"), ("trust", "; did you mean `ca trust`?"),
            ("config shw", "; did you mean `config show`?"),
            ("config frobnicate", "; the parts of `config` are check, show, schema"), ("config a b", ""),
            ("xyzzyx", ""), ("cassete", "; did you mean `cassette`?"), ("none frob", ""),
        ]
    )
    func commands(name: String, hint: String) {
        let error = #expect(throws: UsageError.self) { try CommandSpecification.named(name) }
        #expect(error?.userMessage == "unknown command `\(name)`\(hint)")
        #expect(error?.usage == "respite COMMAND [options]; see `respite help`" && error?.command == nil)
    }

    @Test("commands that are hidden are neither listed nor suggested")
    func hidden() {
        #expect(CommandSpecification.listed.map(\.name) == CommandSpecification.all.filter { !$0.isHidden }.map(\.name))
        #expect(CommandSpecification.listed.count < CommandSpecification.all.count)
        #expect(CommandGroup.all.flatMap(\.members).allSatisfy { !$0.isHidden })
    }

    @Test(
        "a name is meant if no more than a third of its letters, or two, are other ones",
        arguments: [
            ("abcdefghi", "abcdefxyz", true), ("abcdefghi", "abcdewxyz", false), ("abcdef", "abcdxy", true),
            ("abcdef", "abcxyz", false), ("ab", "ax", true), ("ab", "xy", false), ("abc", "axy", true),
            ("abc", "xyz", false),
            ("ba", "ab", true), ("a", "b", false), ("", "a", false), ("abcd", "badc", true), ("abcd", "bacd", true),
            ("abc", "abcde", true), ("abcde", "abc", true), ("abc", "abcdef", false),
        ]
    )
    func near(name: String, other: String, isMeant: Bool) {
        #expect((NearestName.find(name, in: [other]) != nil) == isMeant)
    }

    @Test("of names as near the one with the longest equal beginning is meant, else the first")
    func nearest() {
        #expect(NearestName.find("abcd", in: ["xbcd", "abcx", "axcd"]) == "abcx")
        #expect(NearestName.find("abcd", in: ["abxx", "abcx"]) == "abcx")
        #expect(NearestName.find("abcd", in: ["xbcd", "ybcd"]) == "xbcd")
        #expect(NearestName.find("abcd", in: []) == nil)
    }

    @Test("names of more than 200 bytes are like none")
    func long() {
        let most = String(repeating: "a", count: 200)
        #expect(NearestName.find(most, in: [most + "b"]) != nil && NearestName.find(most + "a", in: [most]) == nil)
    }

    @Test(
        "edits are letters that come, go, change or swap with the next one",
        arguments: [
            ("", "", 0), ("a", "", 1), ("", "ab", 2), ("ab", "ba", 1), ("abc", "ca", 3), ("abcd", "acbd", 1),
            ("abcd", "badc", 2),
            ("sunday", "saturday", 3), ("aa", "aa", 0), ("aab", "aba", 1), ("abab", "baba", 2), ("xabc", "abcx", 2),
            ("ab", "aab", 1), ("abc", "c", 2), ("flaw", "lawn", 2),
        ]
    )
    func edits(first: String, second: String, count: Int) {
        #expect(NearestName.edits(from: first, to: second) == count)
        #expect(NearestName.edits(from: second, to: first) == count)
    }

    @Test("an option is shown with its letter, its value and whether it may be repeated")
    func usage() {
        #expect(CommandOption("a", "").usage == "--a")
        #expect(CommandOption("a", short: "A", value: "V", repeats: true, "").usage == "-A, --a V…")
        #expect(CommandOption("a", value: "V", "").usage == "--a V")
        #expect(CommandOption("a", optionalValue: "=V", "").usage == "--a[=V]")
    }
}
