import CommandSyntax
import HTTPCore
import Platform
import TestSupport
import Testing

@testable import Daemon
@testable import Settings

/// How links stand in documents, and how many hosts they make known.
@Suite struct LinkFormTests {
    private static func rules(of preset: RulePreset, _ hosts: LinkedHosts) throws -> LinkedRules {
        let index = try #require(PackageIndexURL("https://index.example/simple"))
        let text = "[[rule]]\nmatch = \"**/packages/*.whl\"\nttl = \"1h\"\n"
        var reader = SettingsReader()
        reader.read(Array(text.utf8), name: "respite.toml")
        let rule = try #require(try reader.finish().values.rules.first)
        let linked = LoadedPreset.LinkedRule(index: 0, settings: rule)
        return LinkedRules(LoadedPreset(preset: preset, index: index, rules: 0..<1, linkedRules: [linked]), hosts)
    }

    @Test(
        "quotes, signs of HTML, blanks, a fragment and what comes behind them belong to no link",
        arguments: [
            "'https://files.example/x'", "\"https://files.example\"", "https://files.example>",
            "https://files.example&",
            "https://files.example ", "https://files.example\"'> &", "https://files.example\"rest",
            "https://files.example#rest",
            "https://files.example rest", "https:\\/\\/files.example\\/x", "\"'https://files.example/a/b/c",
            "https://files.example/x#sha256=1\"", "https://files.example> ", "https://files.example' ",
            "https://files.example& ", "'https://files.example'", "https://files.example>\"",
        ]
    )
    func forms(text: String) throws {
        let hosts = LinkedHosts()
        try Self.rules(of: .pip, hosts).links(to: Array(text.utf8))
        #expect(hosts.contains(try TargetURI(parsing: "https://files.example/"), of: .pip))
    }

    @Test(
        "what is no link makes no host known",
        arguments: ["", "\"", "files.example/x", "https://", "ftp://files.example/", "!https://files.example/"]
    )
    func noLinks(text: String) throws {
        let hosts = LinkedHosts()
        let calls = SharedValue(0)
        hosts.whenChanged { calls.update { $0 += 1 } }
        try Self.rules(of: .pip, hosts).links(to: Array(text.utf8))
        #expect(!hosts.contains(try TargetURI(parsing: "https://files.example/"), of: .pip) && calls.current == 0)
    }

    @Test(
        "pages of pip and cargo link to files alone; in other documents a link has to fit a rule",
        arguments: RulePreset.allCases
    )
    func presets(preset: RulePreset) throws {
        let hosts = LinkedHosts()
        let rules = try Self.rules(of: preset, hosts)
        rules.links(to: Array("https://any.example/page".utf8))
        rules.links(to: Array("https://files.example/packages/a.whl".utf8))
        let takesAll = preset == .pip || preset == .cargo
        #expect(hosts.contains(try TargetURI(parsing: "https://any.example/"), of: preset) == takesAll)
        #expect(hosts.contains(try TargetURI(parsing: "https://files.example/"), of: preset))
        #expect(!hosts.contains(try TargetURI(parsing: "http://files.example/"), of: preset))
    }

    @Test("of a file with more hosts than are kept the first ones count")
    func manyLines() throws {
        let directory = TemporaryDirectory()
        #expect(LinkedHosts.limit == 1000)
        let lines = (0...LinkedHosts.limit).map { "pip https://h\($0).example:443\n" }
        try directory.write(lines.joined(), to: "linked-hosts")
        let hosts = LinkedHosts()
        hosts.load(from: directory.path)
        func isKnown(_ number: Int) throws -> Bool {
            hosts.contains(try TargetURI(parsing: "https://h\(number).example/"), of: .pip)
        }
        #expect(try isKnown(0) && isKnown(LinkedHosts.limit - 1) && !isKnown(LinkedHosts.limit))
        // It is read once.
        try directory.write("pip https://other.example:443\n", to: "linked-hosts")
        hosts.load(from: directory.path)
        #expect(!hosts.contains(try TargetURI(parsing: "https://other.example/"), of: .pip))
    }

    @Test("hosts are saved once, and nowhere without a directory")
    func saving() throws {
        let directory = TemporaryDirectory()
        let hosts = LinkedHosts()
        hosts.load(from: directory.path)
        hosts.insert(try TargetURI(parsing: "http://a.example:81/x"), of: .npm)
        hosts.insert(try TargetURI(parsing: "http://a.example:81/y"), of: .npm)
        hosts.save()
        hosts.save()
        let text = String(decoding: try SmallFile.read(directory.path("linked-hosts"), limit: 1000), as: UTF8.self)
        #expect(text == "npm http://a.example:81\n")
        let memory = LinkedHosts()
        memory.load(from: nil)
        memory.insert(try TargetURI(parsing: "http://a.example/"), of: .npm)
        memory.save()
        #expect(memory.contains(try TargetURI(parsing: "http://a.example/z"), of: .npm))
    }
}
