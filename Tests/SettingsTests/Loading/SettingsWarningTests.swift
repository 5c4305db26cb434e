@testable import CommandSyntax
import Glibc
import HTTPCore
import Platform
import Testing
import TestSupport

@testable import Settings

@Suite struct SettingsWarningTests {
    private static func warnings(_ text: String) throws -> [String] { try load(text).warnings.map(\.summary) }

    // MARK: Secrets

    private static let secrets = """
        upstream.proxy = "http://me:hunter2@proxy.example:3128"
        [service.x]
        base = "http://x.example"
        proxy = "http://me:hunter2@proxy.example:3128"
        headers = { Authorization = "Bearer hunter2", Accept = "a/b", X-Api-Key = { file = "key" } }
        [service.y]
        base = "http://y.example"
        headers = { Authorization = "Bearer ${TOKEN}" }
        """

    /// Reads a file of secrets with a mode.
    private static func read(_ mode: UInt32, in directoryMode: UInt32 = 0o755) throws -> [SettingsWarning] {
        let directory = TemporaryDirectory()
        let path = try directory.write(secrets, to: "respite.toml", mode: mode)
        chmod(directory.path, directoryMode)
        let command = try ParsedCommand.parse(["serve", "--config", path])
        let context = ProcessContext(environment: ["TOKEN": "hunter2"], isRoot: false)
        return try LoadedSettings.load(command, context: context).warnings
    }

    @Test("a secret in a file that everybody can read is told by its key, with the remedy, and is not shown")
    func readable() throws {
        let warnings = try Self.read(0o644)
        #expect(warnings.map { $0.place?.line } == [1, 4, 5])
        for (warning, key) in zip(warnings, ["upstream.proxy", "service.x.proxy", "service.x.headers.Authorization"]) {
            #expect(warning.message.hasPrefix("`\(key)` has a "))
            #expect(warning.message.contains("everybody on this machine can read this file"))
            #expect(warning.message.contains("file = \"PATH\"") && warning.message.contains("or `chmod o-r /"))
            #expect(!warning.description.contains("hunter2"))
        }
    }

    @Test(
        "a file that is closed to others has no such warning, and neither has one in a closed directory",
        arguments: [(0o600, 0o755), (0o640, 0o755), (0o644, 0o700)] as [(UInt32, UInt32)]
    )
    func closed(file: UInt32, directory: UInt32) throws {
        #expect(try Self.read(file, in: directory) == [])
    }

    @Test("a secret in an option is in the list of processes")
    func option() throws {
        let loaded = try load(
            "[service.x]\nbase = \"http://x.example\"\n",
            options: ["service.x.headers.X-Token=hunter2"]
        )
        #expect(
            loaded.warnings.map(\.description) == [
                "--set: `service.x.headers.X-Token` has a secret, which everybody on this machine can read in the list of "
                    + "processes: write { file = \"PATH\" } and move it there"
            ]
        )
    }

    // MARK: Rules without effect

    private static func rule(_ text: String, match: String = "http://a.example/**") -> String {
        "[[rule]]\nmatch = \"\(match)\"\n\(text)\n"
    }

    private static let forwardOnly = "[[listener]]\naddress = \"127.0.0.1:1\"\nroutes = \"forward\"\n"

    private static func file(_ parts: String...) -> String { parts.joined() }

    private static let idle: [(String, String)] = [
        (
            rule("ttl = \"1h\"\nmethods = \"POST\""),
            "3:1: `rule.ttl` has no effect for POST: only responses to GET and HEAD are stored"
        ),
        (
            rule("methods = [\"POST\", \"PUT\"]\nvary-add = \"X\"\nttl = \"1h\"\nrate-limit = \"1/s\""),
            "5:1: `rule.ttl`, `rule.vary-add` have no effect for POST, PUT: only responses to GET and HEAD are stored"
        ),
        (
            rule("methods = \"POST\"\nretry = true"),
            "4:1: `rule.retry` has no effect for POST: such a request is never repeated, since that could do its work twice"
        ),
        (
            rule("methods = \"CONNECT\"\ncontent-types = \"text/html\"\nttl = \"1h\""),
            "3:1: rule 1 has no effect: CONNECT opens a tunnel, in which nothing is read; `intercept.hosts` names the hosts whose tunnels are"
        ),
        (rule("methods = \"TRACE\"\nrate-limit = \"1/s\""), "3:1: rule 1 has no effect: TRACE is never allowed"),
        (
            rule("content-types = \"text/html\""),
            "1:1: rule 1 (http://a.example/**) changes nothing: it says which URLs it is for, and no more"
        ),
        (
            file(forwardOnly, rule("ttl = \"1h\"", match: "https://a.example/**")),
            "5:1: rule 1 has no effect on https URLs that go through CONNECT, in whose tunnels nothing is read; name \"prefix\" in `routes` of a [[listener]], or the hosts in `intercept.hosts`"
        ),
        (
            file(rule("ttl = \"1h\"", match: "http://a.example/x/*"), rule("ttl = \"2h\"\nretry = true")),
            "1:1: rule 1 (http://a.example/x/*) has no effect: rule 2 (respite.toml:4:1) comes later, is for the same URLs and sets the same"
        ),
        (
            file(rule("ttl = \"1h\"\nstale-if-error = \"1h\"\nvary-add = \"X\""), rule("never-cache = true")),
            "1:1: rule 1 (http://a.example/**) has no effect: rule 2 (respite.toml:6:1) comes later, is for the same URLs and sets the same"
        ),
    ]

    @Test("a rule that can have no effect is told with its place and the reason", arguments: idle)
    func ineffective(_ text: String, _ warning: String) throws {
        #expect(try Self.warnings(text) == ["respite.toml:" + warning])
    }

    @Test(
        "a rule that denies tunnels has an effect",
        arguments: [
            rule("methods = \"CONNECT\"\ndeny = \"no\""),
            forwardOnly + rule("deny = \"no\"", match: "https://a.example/**"),
        ]
    )
    func denyingTunnels(_ text: String) throws {
        #expect(try Self.warnings(text) == [])
    }

    @Test(
        "a rule that is for a part of an origin, for other methods or against a denial does nothing in tunnels",
        arguments: [
            forwardOnly + rule("deny = \"no\"", match: "https://a.example/x/**"),
            forwardOnly + rule("deny = \"no\"\nmethods = \"GET\"", match: "https://a.example/**"),
            forwardOnly + rule("deny = false", match: "https://a.example/**"),
            rule("methods = \"CONNECT\"\ndeny = \"no\"", match: "https://a.example/x"),
        ]
    )
    func notDenyingTunnels(_ text: String) throws {
        let warnings = try Self.warnings(text)
        #expect(warnings.count == 1 && warnings[0].contains("rule 1 has no effect"), "\(warnings)")
    }

    @Test("a rule is compared with later rules for its URLs alone, however many rules there are")
    func manyRules() throws {
        var texts = (0..<990).map { Self.rule("ttl = \"1h\"", match: "http://h\($0).example/a/**") }
        texts.insert(Self.rule("ttl = \"1h\"", match: "http://h7.example/a/b*"), at: 3)
        texts.append(Self.rule("ttl = \"1h\"", match: "http://h9.example/a/**"))
        texts.append(Self.rule("retry = true", match: "http://h9.example/**"))
        let rules = try load(texts.joined()).values.locatedRules
        let overrides = RuleOverrides(rules)
        #expect(rules.count == 993)
        #expect(rules.indices.reduce(0) { $0 + overrides.candidates(over: $1).count } == 4)
        let found = rules.indices.compactMap { index in overrides.winner(over: index).map { [index, $0] } }
        #expect(found == [[3, 8], [10, 991]])
        #expect(try Self.warnings(texts.joined()).count == 2)
    }

    private static let busy: [String] = [
        rule("ttl = \"1h\"\nmethods = [\"POST\", \"GET\"]"), rule("methods = \"POST\"\nrate-limit = \"1/s\""),
        rule("methods = [\"PUT\", \"POST\"]\nretry = true"),
        file(rule("ttl = \"1h\""), rule("ttl = \"2h\"", match: "http://a.example/x/**")),
        file(rule("ttl = \"1h\"\nretry = true"), rule("ttl = \"2h\"")),
        file(rule("ttl = \"1h\""), rule("ttl = \"2h\"\ncontent-types = \"text/html\"")),
        file(rule("ttl = \"1h\""), rule("ttl = \"2h\"\nstatus = 200")),
        file(rule("ttl = \"1h\""), rule("ttl = \"2h\"\nmethods = \"GET\"")),
        file(rule("vary-add = \"X\""), rule("vary-add = \"Y\"")),
        file(rule("transform = [{ charset = \"utf-8\" }]"), rule("transform = [{ json = \"minify\" }]")),
        file(
            rule("ttl = \"1h\"", match: "http://a.example.test/**"),
            rule("ttl = \"2h\"", match: "http://a.example**")
        ),
        rule("ttl = \"1h\"", match: "https://a.example/**"),
        file(forwardOnly, "[intercept]\nhosts = \"a.example\"\n", rule("ttl = \"1h\"", match: "https://a.example/**")),
    ]

    @Test("a rule of which something is left has no warning", arguments: busy)
    func effective(_ text: String) throws {
        #expect(try Self.warnings(text) == [])
    }

    @Test("rules of another service, and included ones, may be overridden without a warning")
    func others() throws {
        let text = """
            [service.x]
            base = "http://x.example"
            rule = [{ match = "/**", ttl = "1h" }]
            [service.y]
            base = "http://y.example"
            rule = [{ match = "/**", ttl = "1h" }]
            """
        #expect(try Self.warnings(text) == [])
        var reader = SettingsReader()
        let own = "[[include]]\nfile = \"x\"\nbelow = \"http://a.example/\"\n" + Self.rule("ttl = \"2h\"")
        reader.read(Array(own.utf8), name: "respite.toml")
        reader.read(Array("[[rule]]\nmatch = \"/x\"\nttl = \"1h\"\n".utf8), name: "x", including: 0)
        #expect(try reader.finish().warnings == [])
    }
}
