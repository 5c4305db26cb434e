import HTTPCore
import Observability
import Platform
import Testing

@testable import Settings

/// Reads a file of settings with nothing else.
func load(_ text: String, options: [String] = []) throws -> LoadedSettings {
    var reader = SettingsReader()
    reader.read(Array(text.utf8), name: "respite.toml")
    for option in options { reader.set(option) }
    return try reader.finish()
}

/// The error that settings are refused with.
func refusal(_ text: String, options: [String] = []) -> SettingsError? {
    do {
        _ = try load(text, options: options)
        return nil
    } catch {
        return error as? SettingsError
    }
}

@Suite struct SettingsFileTests {
    @Test("an empty file gives the defaults")
    func emptyFile() throws {
        let loaded = try load("")
        #expect(loaded.values == DaemonSettings())
        #expect(loaded.origins.isEmpty)
    }

    @Test("a retired setting has no effect but a warning that names it and its line")
    func retired() throws {
        let loaded = try load("[memory]\nhuge-pages = false\n", options: ["memory.huge-pages=true"])
        #expect(loaded.values == DaemonSettings())
        #expect(
            loaded.warnings.map(\.summary) == [
                "respite.toml:2:1: `memory.huge-pages` has no effect any more; remove it",
                "--set: `memory.huge-pages` has no effect any more; remove it",
            ]
        )
        #expect(SettingKey.byName["memory.huge-pages"] == nil)
    }

    @Test("each section's values arrive where they belong")
    func allKinds() throws {
        let values = try load(
            """
            listen = ["127.0.0.1:80", "[::1]:81", "unix:/tmp/respite.sock"]
            admin = "127.0.0.1:9"
            mode = "online"
            gateway = "http://org.Example:8000/"
            loops = 3
            memory.limit = "64MiB"
            [storage]
            directory = "none"
            [limits]
            header-timeout = "500ms"
            request-body = "10MiB"
            idle-timeout = "2m"
            [upstream]
            circuit-breaker = false
            retry-time = 0
            [cache]
            heuristic-fraction = 1
            credential-fields = ["X-Key"]
            targeted-control = "all"
            cookies = "partition"
            [tunnel]
            lifetime = "off"
            [log]
            level = "debug"
            format = "json"
            [access]
            connect-ports = [443]
            path-cookies = "drop"
            destinations = { loopback = "allow", private = "refuse" }
            [hosts]
            "org.Example" = "192.0.2.1"
            other = ["192.0.2.2", "2001:db8::1"]
            """
        ).values
        let paths: [ListenAddress] = [
            try #require(ListenAddress(text: "127.0.0.1:80")), try #require(ListenAddress(text: "[::1]:81")),
            .unix(path: "/tmp/respite.sock"),
        ]
        #expect(values.listen == paths)
        #expect(values.admin == [.loopback(port: 9)])
        #expect(values.mode == .online)
        #expect(values.gateway?.description == "http://org.example:8000")
        #expect(values.loops == 3)
        #expect(values.memory.limit == .mebibytes(64))
        #expect(values.storage.directory == .none)
        #expect(values.limits.headerTimeout == .milliseconds(500))
        #expect(values.limits.requestBody == .mebibytes(10))
        #expect(values.limits.idleTimeout == .seconds(120))
        #expect(!values.upstream.circuitBreaker)
        #expect(values.upstream.retryTime == .zero)
        #expect(values.cache.heuristicFraction == 1)
        #expect(values.cache.credentialFields == ["X-Key"])
        #expect(values.cache.targetedControl == .all)
        #expect(values.cache.cookies == .partition)
        #expect(values.access.pathCookies == .drop)
        #expect(values.tunnel.lifetime == nil)
        #expect(values.log.level == .debug)
        #expect(values.log.format == .json)
        #expect(values.access.connectPorts == [443])
        #expect(values.access.destinations.loopback == .allow)
        #expect(values.access.destinations.private == .refuse)
        #expect(values.hosts["org.example"]?.map(\.description) == ["192.0.2.1"])
        #expect(values.hosts["other"]?.map(\.description) == ["192.0.2.2", "2001:db8::1"])
    }

    @Test("an unknown key is refused at its place, with the line, a caret and the nearest name")
    func unknownKey() throws {
        let error = try #require(refusal("loops = 1\n[limits]\n  header-timout = \"10s\"\n"))
        #expect(error.line == 3)
        #expect(error.column == 3)
        #expect(
            error.description == """
                respite.toml:3:3: unknown setting `limits.header-timout`; did you mean `limits.header-timeout`?
                      header-timout = "10s"
                      ^
                """
        )
    }

    @Test(
        "a wrong type, unit, range or word is refused with the setting's name and what it takes",
        arguments: [
            ("[limits]\nheader-timeout = 10", "`limits.header-timeout` must be a duration", 2, 18),
            ("[limits]\nheader-timeout = \"10 parsecs\"", "not \"10 parsecs\"", 2, 18),
            ("[limits]\nheader-section = \"1KiB\"", "from 32KiB to 1MiB", 2, 18),
            ("[memory]\nlimit = \"64MX\"", "`memory.limit` must be a size", 2, 9),
            ("loops = \"2\"", "`loops` must be a whole number from 0 to 256", 1, 9),
            ("loops = -1", "not -1", 1, 9),
            ("listen = []", "`listen` must not be empty", 1, 10),
            ("listen = [\"127.0.0.1:1\", \"nowhere\"]", "not \"nowhere\"", 1, 26),
            ("mode = \"of\"", "one of \"online\", \"auto\", \"offline\", \"replay\"", 1, 8),
            ("gateway = \"ftp://org.example\"", "or \"https://api.example.com\", without path", 1, 11),
            ("gateway = \"http://org.example/path\"", "without path", 1, 11),
            ("[access]\nconnect-ports = [0]", "`access.connect-ports` must be a whole number from 1 to 65535", 2, 18),
            ("[access]\nclients = [\"10.0.0.1/8\"]", "no bits set behind the prefix", 2, 12),
            ("[upstream]\ncircuit-breaker = \"yes\"", "must be true or false", 2, 19),
            ("[cache]\nheuristic-fraction = 1.5", "from 0.0 to 1.0, not 1.5", 2, 22),
            ("[cache]\ncredential-fields = [\"a b\"]", "the name of a field", 2, 22),
            ("[hosts]\nexample = []", "must not be empty", 2, 11),
            ("log = 1", "`log` is a section, not a setting: write [log]", 1, 1),
            ("mode = 2026-01-01", "not a date or time", 1, 8),
        ] as [(String, String, Int, Int)]
    )
    func wrongValues(text: String, message: String, line: Int, column: Int) throws {
        let error = try #require(refusal(text))
        #expect(error.userMessage.contains(message), "\(error.userMessage)")
        #expect(error.line == line)
        #expect(error.column == column)
    }

    @Test("text that is not TOML is refused with the parser's sentence and place")
    func notTOML() throws {
        let error = try #require(refusal("loops = 1\nloops = 2\n"))
        #expect(error.line == 2)
        #expect(error.lineText == "loops = 2")
    }

    @Test("control characters of a file do not reach the terminal")
    func terminalEscapes() throws {
        let error = try #require(refusal("mode = \"x\" \u{1B}[31m"))
        #expect(!error.description.contains("\u{1B}"))
    }

    @Test("a key in another section is found by its own name, a section by its own")
    func nearestName() {
        #expect(refusal("header-timeout = \"1s\"")?.suggestion == "limits.header-timeout")
        #expect(refusal("[limit]\nx = 1")?.suggestion == "limits")
        #expect(refusal("mod = \"auto\"")?.suggestion == "mode")
        #expect(refusal("mode = \"ofline\"")?.suggestion == "offline")
        #expect(refusal("entirely-different-thing = 1")?.suggestion == nil)
    }

    @Test("a number in quotes is told without them, if it is one that the setting may have")
    func quotedNumber() {
        #expect(refusal("[limits]\njson-depth = \"512\"")?.suggestion == "512")
        #expect(refusal("[limits]\njson-depth = \"1\"")?.suggestion == "1")
        for text in ["513", "0", "-1", "1.5", "many"] {
            #expect(refusal("[limits]\njson-depth = \"\(text)\"").map { $0.suggestion == nil } == true, "\(text)")
        }
    }

    @Test("each value's origin is known")
    func origins() throws {
        let loaded = try load("loops = 1\n[log]\naccess = true\n", options: ["mode=offline"])
        #expect(loaded.origins["loops"] == .file(path: "respite.toml", line: 1, column: 1))
        #expect(loaded.origins["log.access"] == .file(path: "respite.toml", line: 3, column: 1))
        #expect(loaded.origins["mode"] == .option("--set"))
        let listing = SettingsDocument.listing(loaded)
        #expect(listing.contains("access = true  # respite.toml:3:1\n"))
        #expect(listing.contains("limit = \"256MiB\"  # default\n"))
    }

    // MARK: Names of earlier versions

    @Test("a setting of an old name works, with a warning that names the new one")
    func renamed() throws {
        let loaded = try load("[upstream]\nbreaker = false\n")
        #expect(!loaded.values.upstream.circuitBreaker)
        #expect(
            loaded.warnings.map(\.summary) == [
                "respite.toml:2:1: `upstream.breaker` is called `upstream.circuit-breaker` now; the old name works until "
                    + "the next version"
            ]
        )
        #expect(loaded.origins["upstream.circuit-breaker"] == .file(path: "respite.toml", line: 2, column: 1))
        let option = try load("", options: ["upstream.breaker=false"])
        #expect(!option.values.upstream.circuitBreaker && option.warnings.count == 1)
        let fault = try #require(refusal("upstream.breaker = 1"))
        #expect(fault.userMessage.contains("`upstream.circuit-breaker` must be true or false"))
        #expect(SettingKey.byName["upstream.breaker"] == nil)
        #expect(RenamedSetting.names.values.allSatisfy { SettingKey.byName[$0] != nil })
    }

    @Test("a whole settings file of version 1.0 works, with a warning for each name that has changed")
    func fileOfVersion1() throws {
        // Given every setting by its old name
        let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let bytes = try SmallFile.read("\(root)/Fixtures/settings-1.0.toml", limit: 1 << 20)
        // When the file is read
        let loaded = try load(String(decoding: bytes, as: UTF8.self))
        // Then each setting of today is set by it, and no value has got lost
        for key in SettingKey.all {
            guard case .file = loaded.origin(of: key) else {
                Issue.record("\(key.name) is not set")
                continue
            }
        }
        var expected = DaemonSettings()
        expected.upstream.circuitBreaker = false
        expected.services = loaded.values.services
        expected.rules = loaded.values.rules
        #expect(loaded.values == expected)
        #expect(loaded.values.services.map(\.name) == ["crm", "github"])
        #expect(loaded.values.services.map(\.rules.count) == [0, 1] && loaded.values.rules.count == 2)
        for old in RenamedSetting.names.keys {
            #expect(loaded.warnings.contains { $0.message.contains("`\(old)` is called") }, "\(old)")
        }
    }
}
