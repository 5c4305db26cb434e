import HTTPCore
import Observability
import Testing
import TOML

@testable import Settings

/// Variables of the environment in settings.
@Suite struct VariableSettingsTests {
    private static let environment = [
        "PORT": "8000", "EMPTY": "", "QUOTE": "a\"\nmode = \"offline", "AGAIN": "${PORT}", "TOKEN": "hunter2",
        "LEVEL": "debugg", "METHOD": "get", "_X1": "x",
    ]

    private static func load(_ text: String, options: [String] = []) throws -> LoadedSettings {
        var reader = SettingsReader(environment: environment)
        reader.read(Array(text.utf8), name: "respite.toml")
        for option in options { reader.set(option) }
        return try reader.finish()
    }

    @Test(
        "what names no variable that is set is a mistake with its place, never taken for text",
        arguments: [
            ("${NONE}", "names the variable NONE, which is not set"), ("${NONE:-DEFAULT", "has `${` without its `}`"),
            ("a ${", "has `${` without its `}`"), ("${}", "has `${}`, which names no variable"),
            ("${1A}", "has `${1A}`, which names no variable"), ("${A B}", "has `${A B}`, which names no variable"),
            ("${PORT-1}", "has `${PORT-1}`, which names no variable"),
            ("${ÄPFEL}", "has `${ÄPFEL}`, which names no variable"),
            ("${NONE:-${PORT}}", "has a variable in the default of `${NONE:-…}`"),
        ]
    )
    func mistakes(_ text: String, _ message: String) throws {
        let error = #expect(throws: SettingsError.self) { try Self.load("loops = 1\nadmin-token-file = \"\(text)\"\n") }
        #expect(error?.place.summary == "respite.toml:2:20")
        #expect(error?.userMessage.hasPrefix("`admin-token-file` \(message)") == true, "\(error?.userMessage ?? "")")
        #expect(error?.others.isEmpty == true)
    }

    @Test("a variable stands in lists, rules, services and options too")
    func everywhere() throws {
        let text = """
            listen = ["127.0.0.1:${PORT}"]
            [[rule]]
            match = "http://a.example:${PORT}/**"
            ttl = "${TTL:-1h30m}"
            [service.x]
            base = "http://b.example:${PORT}"
            headers = { Authorization = "Bearer ${TOKEN}" }
            """
        let loaded = try Self.load(text, options: ["log.level=${LOG:-debug}"])
        #expect(loaded.values.listen == [.loopback(port: 8000)])
        #expect(loaded.values.rules.first?.match == "http://a.example:8000/**")
        #expect(loaded.values.rules.first?.ttl == .seconds(5400))
        #expect(loaded.values.services.first?.headers.first?.value == .text("Bearer hunter2"))
        #expect(loaded.values.log.level == .debug)
    }

    // MARK: Attacks

    @Test("a variable's value is text whatever it holds: no TOML, and no variables of its own")
    func values() throws {
        let loaded = try Self.load("admin-token-file = \"${QUOTE}\"\nstorage.directory = \"${AGAIN}\"\n")
        #expect(loaded.values.adminTokenFile == "a\"\nmode = \"offline")
        #expect(loaded.values.mode == DaemonSettings().mode)
        #expect(loaded.values.storage.directory == .directory("${PORT}"))
    }

    @Test(
        "no message shows what a variable holds",
        arguments: [
            ("limits.idle-timeout = \"${TOKEN}\"", "not the value of \"${TOKEN}\""),
            ("log.level = \"${LEVEL}\"", "not the value of \"${LEVEL}\""),
            ("listen = [\"${TOKEN}:1\"]", "not the value of \"${TOKEN}:1\""),
            ("[[rule]]\nmatch = \"http://a.example/\"\nmethods = \"${METHOD}\"", "not the value of \"${METHOD}\""),
            ("[[rule]]\nmatch = \"${TOKEN}\"", "not the value of \"${TOKEN}\""),
            ("intercept.hosts = \"${TOKEN}/*\"", "`intercept.hosts`"),
            ("[service.x]\nbase = \"http://a.example/\"\ntoken = \"${TOKEN}\"", "`service.x.token`"),
            ("access.own-names = \"${TOKEN}:1\"", "`access.own-names`"),
        ]
    )
    func hidden(_ text: String, _ message: String) throws {
        let error = try #require(#expect(throws: SettingsError.self) { try Self.load(text) })
        #expect(error.description.contains(message), "\(error)")
        for secret in ["hunter2", "debugg", "GET"] { #expect(!error.description.contains(secret), "\(error)") }
    }

    @Test("a listing writes the letters so that they read the same")
    func listing() throws {
        let loaded = try Self.load("admin-token-file = \"$${X} $$${Y} $\"\n")
        #expect(loaded.values.adminTokenFile == "${X} $${Y} $")
        let again = try Self.load(SettingsDocument.listing(loaded))
        #expect(again.values == loaded.values)
    }
}
