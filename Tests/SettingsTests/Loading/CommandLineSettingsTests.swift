@testable import CommandSyntax
import HTTPCore
import Platform
import Testing
import TOML

@testable import Settings

private let nowhere = ProcessContext(environment: [:], isRoot: false)

/// Options that stand for settings, and --set.
@Suite struct CommandLineSettingsTests {
    @Test("options of serve become settings and name themselves as origin")
    func serveOptions() throws {
        let command = try ParsedCommand.parse([
            "serve", "--listen", "127.0.0.1:1", "--listen", "unix:/tmp/a", "--admin", "127.0.0.1:2", "--store", "none",
            "--loops", "2", "--gateway", "http://127.0.0.1:8000", "--mode", "online", "--set", "limits.idle-timeout=5s",
            "--set", "hosts.org.example=192.0.2.7",
        ])
        let loaded = try LoadedSettings.load(command, context: nowhere)
        #expect(loaded.values.listen == [.loopback(port: 1), .unix(path: "/tmp/a")])
        #expect(loaded.values.admin == [.loopback(port: 2)])
        #expect(loaded.values.storage.directory == .none)
        #expect(loaded.values.loops == 2)
        #expect(loaded.values.mode == .online)
        #expect(loaded.values.limits.idleTimeout == .seconds(5))
        #expect(loaded.values.hosts["org.example"]?.map(\.description) == ["192.0.2.7"])
        #expect(loaded.origins["listen"] == .option("--listen"))
    }

    @Test(
        "--set takes TOML and bare words",
        arguments: [
            "listen=127.0.0.1:1", "listen=\"127.0.0.1:1\"", "listen=[\"127.0.0.1:1\"]", " listen = 127.0.0.1:1 ",
        ]
    )
    func assignments(text: String) throws {
        #expect(try load("", options: [text]).values.listen == [.loopback(port: 1)])
    }

    @Test("an address in brackets is text, not a list")
    func bracketedAddress() throws {
        let command = try ParsedCommand.parse(["serve", "--listen", "[::1]:3128"])
        let listen = try LoadedSettings.load(command, context: nowhere).values.listen
        #expect(listen.map(\.description) == ["[::1]:3128"])
        #expect(try load("", options: ["listen=[::1]:1"]).values.listen.map(\.description) == ["[::1]:1"])
        #expect(refusal("", options: ["listen=[1"]) != nil)
    }

    @Test("text that looks like a number stays text where a path is meant")
    func numericPath() throws {
        #expect(try load("", options: ["storage.directory=123"]).values.storage.directory == .directory("123"))
    }

    @Test("what looks like a number or a truth value stays text on the command line wherever a file has text")
    func bareText() throws {
        var names: Set<String> = []
        for word in ["123", "true", "1.5"] {
            let text = TOMLNode(value: .text(word), position: TextPosition(line: 1, column: 1))
            for key in SettingKey.all where !key.typeName.contains("list") {
                var (quoted, bare) = (DaemonSettings(), DaemonSettings())
                guard (try? key.assign(text, &quoted)) != nil else { continue }
                names.insert(key.name)
                try key.assign(try CommandLineValue.node(word, isText: key.isText, column: 1), &bare)
                #expect(bare == quoted, "\(key.name)")
            }
        }
        #expect(names.isSuperset(of: ["storage.directory", "admin-token-file", "tls.key-file"]), "\(names)")
    }

    @Test("a value that is a text, a table or false may be each of them on the command line, too")
    func rateOrFalse() throws {
        let values = ["10/s", "\"10/s\"", "{ rate = \"10/s\" }", "false"]
        let loaded = try values.map { value in
            try load("", options: ["service.x.base=https://x.example/", "service.x.rate-limit=\(value)"])
                .values.services.first?.rateLimit
        }
        let limit = RateLimitRule.limit(RateLimitSettings(rate: RequestRate(requests: 10, interval: .seconds(1))))
        #expect(loaded == [limit, limit, limit, .unlimited])
    }

    @Test("one --set cannot set a second key")
    func injection() {
        #expect(refusal("", options: ["loops=1\nmode=\"online\""]) != nil)
    }

    @Test("a fault in --set is shown with a caret below the value")
    func setError() throws {
        let error = try #require(refusal("", options: ["limits.header-timeout=soon"]))
        #expect(error.description.hasPrefix("--set: `limits.header-timeout` must be a duration"))
        #expect(error.description.hasSuffix("\n    limits.header-timeout=soon\n                          ^"))
        #expect(refusal("", options: ["loops"])?.userMessage == "write it as --set KEY=VALUE")
        #expect(refusal("", options: ["lops=1"])?.suggestion == "loops")
    }

    @Test("the file is --config, else the first that exists; a missing --config is an error")
    func files() throws {
        let command = try ParsedCommand.parse(["serve", "--config", "/nonexistent/respite.toml"])
        #expect(throws: SettingsError.self) { try LoadedSettings.load(command, context: nowhere) }
        let user = ProcessContext(environment: ["HOME": "/home/u", "XDG_CONFIG_HOME": "relative"], isRoot: false)
        #expect(user.settingsFiles == ["/home/u/.config/respite/respite.toml", "/etc/respite/respite.toml"])
        let configured = ProcessContext(environment: ["XDG_CONFIG_HOME": "/x"], isRoot: false)
        #expect(configured.settingsFiles == ["/x/respite/respite.toml", "/etc/respite/respite.toml"])
    }

    @Test("every option that stands for a setting names one that exists")
    func specification() {
        for command in CommandSpecification.all {
            for option in command.options { #expect(option.setting.map { SettingKey.byName[$0] != nil } ?? true) }
        }
    }
}
