import Formats
import HTTPCore
import Testing

@testable import Settings

/// Where settings come from, also after options and restarts, and what a reading changes in full.
@Suite struct SettingOriginTests {
    private static let listeners = "listen = \"[::1]:2\"\n[[listener]]\naddress = \"127.0.0.1:1\"\n"

    @Test("an option takes the place of all that it replaces in the file, and of nothing else")
    func options() throws {
        let file = """
            [service.x]
            base = "http://x.example"
            allow-origins = ["https://a.example", "https://b.example"]
            retry = { attempts = 5 }
            [service.xy]
            base = "http://y.example"
            retry = { attempts = 4 }
            """
        let loaded = try load(file)
        #expect(loaded.origin(ofPath: "service.x.allow-origins[0]") == .file(path: "respite.toml", line: 3, column: 18))
        #expect(loaded.origin(ofPath: "service.x.allow-origins[1]") == .file(path: "respite.toml", line: 3, column: 39))
        #expect(loaded.origin(ofPath: "service.x.retry.attempts") == .file(path: "respite.toml", line: 4, column: 11))
        let replaced = try load(file, options: ["service.x.retry=true"])
        #expect(replaced.values.services.map(\.retry) == [.when(RetrySettings()), loaded.values.services[1].retry])
        #expect(replaced.origin(ofPath: "service.x.retry.attempts") == .option("--set"))
        #expect(
            replaced.origin(ofPath: "service.xy.retry.attempts") == .file(path: "respite.toml", line: 7, column: 11)
        )
        #expect(replaced.origin(ofPath: "service.x.base") == .file(path: "respite.toml", line: 2, column: 1))
    }

    @Test("listeners that an option replaces are nowhere in the file any more")
    func replacedListeners() throws {
        let loaded = try load("[[listener]]\naddress = \"127.0.0.1:1\"\n", options: ["listen=127.0.0.1:8"])
        #expect(loaded.origin(ofPath: "listener[0].address") == .standard && loaded.values.listeners.isEmpty)
        let other = try load(Self.listeners, options: ["listener=[{ address = \"127.0.0.1:9\" }]"])
        #expect(other.origin(ofPath: "listen") == .standard && other.values.listen.isEmpty)
        #expect(other.origin(ofPath: "listener[0].address") == .option("--set"))
    }

    @Test("sockets that are handed over take the place of all listeners, each with its routes, in their own order")
    func handedOver() throws {
        func inherited(_ addresses: [String]) throws -> DaemonSettings {
            var reader = SettingsReader()
            let second = "[[listener]]\naddress = \"127.0.0.1:3\"\nroutes = [\"prefix\"]\n"
            reader.read(Array((Self.listeners + second).utf8), name: "respite.toml")
            reader.inheritListeners(addresses)
            return try reader.finish().values
        }
        let both = try inherited(["127.0.0.1:3", "127.0.0.1:1"])
        #expect(both.listen.isEmpty && both.listeners.map(\.address.description) == ["127.0.0.1:3", "127.0.0.1:1"])
        #expect(both.listeners.map(\.routes) == [[.prefix], nil])
        let more = try inherited(["127.0.0.1:3", "127.0.0.1:5", "127.0.0.1:1"])
        #expect(more.listen.map(\.description) == ["127.0.0.1:5"] && more.listeners.count == 2)
        let error = #expect(throws: SettingsError.self) { try inherited(["127.0.0.1:1", "127.0.0.1:5"]) }
        #expect(
            error?.summary
                == "respite.toml:5:1: the service manager handed over no socket for 127.0.0.1:3, only 127.0.0.1:1, "
                + "127.0.0.1:5: name it in ListenStream= of the socket unit, or take the listener away"
        )
    }

    // MARK: Changes

    @Test("changes are told with the values before and after, and whether they wait for a restart")
    func changes() throws {
        let old = try load(
            "loops = 1\n[[warm]]\nurls = \"u\"\nevery = \"1h\"\n[service.a]\nbase = \"http://a.example\"\n"
        )
        let new = try load(
            """
            log.access = true
            [[warm]]
            urls = "u"
            every = "2h"
            [[rule]]
            match = "http://h.example/**"
            ttl = 0
            [[listener]]
            address = "127.0.0.1:3128"
            routes = ["forward"]
            [service.b]
            base = "http://b.example"
            """
        )
        #expect(
            new.changes(since: old) == [
                SettingChange(name: "listen", old: "[\"127.0.0.1:3128\"]", new: "[]", needsRestart: true),
                SettingChange(name: "loops", old: "1", new: "0", needsRestart: true),
                SettingChange(name: "log.access", old: "false", new: "true", needsRestart: false),
                SettingChange(
                    name: "listener",
                    old: "[]",
                    new: "[{ address = \"127.0.0.1:3128\", routes = [\"forward\"] }]",
                    needsRestart: false
                ),
                SettingChange(name: "service.a", old: "http://a.example/", new: nil, needsRestart: false),
                SettingChange(name: "service.b", old: nil, new: "http://b.example/", needsRestart: false),
                SettingChange(
                    name: "warm",
                    old: "[{ urls = \"u\", every = \"1h\" }]",
                    new: "[{ urls = \"u\", every = \"2h\" }]",
                    needsRestart: false
                ),
                SettingChange(name: "rule", old: "0 rules", new: "1 rule", needsRestart: false),
            ]
        )
        #expect(old.changes(since: old) == [])
        #expect(
            old.changes(since: old, changedSecrets: ["a", "none"]) == [
                SettingChange(
                    name: "service.a",
                    old: "http://a.example/",
                    new: "http://a.example/",
                    needsRestart: false
                )
            ]
        )
    }

    @Test("until a restart a listener that is not named any more stays of its kind")
    func keptListeners() throws {
        let running = try load(Self.listeners + "routes = [\"prefix\"]\n[[listener]]\naddress = \"127.0.0.1:3\"\n")
        let kept = try load("listen = \"[::1]:9\"").keepingWhatNeedsRestart(of: running).values
        #expect(kept.listen.map(\.description) == ["[::1]:2", "127.0.0.1:3"])
        #expect(kept.listeners.map(\.address.description) == ["127.0.0.1:1"] && kept.listeners[0].routes == [.prefix])
    }

    // MARK: What holds for a URL

    @Test("what holds for a URL is written in full, for programs")
    func json() throws {
        let loaded = try load(
            """
            [service.api]
            base = "http://h.example/v1"
            [[service.api.rule]]
            match = "/a/**"
            ttl = "3s"
            [[rule]]
            match = "http://h.example/**"
            drop-query = "utm_*"
            transform = [{ encode = "gzip" }, { redact = "$.x", status = 500, content-types = "a/b" }]
            [[rule]]
            match = "http://other.example/**"
            drop-query = "b"
            """
        )
        let url = try TargetURI(parsing: "http://h.example/v1/a/b?utm_x=1")
        let effective = EffectiveSettings(loaded, url: url)
        #expect(effective.serviceOrigin == .file(path: "respite.toml", line: 2, column: 1))
        let start = """
            {"url":"http://h.example/v1/a/b?utm_x=1","method":"GET","uri":"http://h.example/v1/a/b","service":{"name":"api",\
            "base":"http://h.example/v1","origin":"respite.toml:2:1"},"rules":[{"name":"rule 1","match":\
            "http://h.example/**","origin":"respite.toml:6:1"},{"name":"rule 1 of api","match":"/a/**","origin":\
            "respite.toml:3:1"}],"values":[{"name":"never-cache","value":"false","origin":"default"},{"name":"ttl","value":\
            "\\"3s\\"","rule":"rule 1 of api","origin":"respite.toml:5:1"},{"name":"stale-while-revalidate","origin":\
            "default"},{"name":"stale-if-error","value":"\\"0\\"","origin":"default"},{"name":"drop-query","value":\
            "[\\"utm_*\\"]","rule":"rule 1","origin":"respite.toml:8:1"},{"name":"proxy","value":"\\"\\"","origin":"default"},
            """
        let end = """
            "pipeline":[{"stage":"model","transformer":"{ redact = [\\"$.x\\"], with = \\"[redacted]\\" }","if":\
            "content-types = [\\"a/b\\"], status = [500]","rule":"rule 1","origin":"respite.toml:9:35"},{"stage":"encoding",\
            "transformer":"{ encode = [\\"gzip\\"] }","rule":"rule 1","origin":"respite.toml:9:14"}]}
            """
        var writer = JSONWriter()
        writer.object { effective.write(to: &$0) }
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(text.hasPrefix(start), "\(text)")
        #expect(text.hasSuffix(end), "\(text)")
    }

    @Test("a URL that no rule is for has no query rules, and its own service alone")
    func others() throws {
        let loaded = try load(
            """
            [[rule]]
            match = "http://h.example/**"
            drop-query = "a"
            [[rule]]
            match = "http://h.example/**"
            sort-query = true
            methods = "GET"
            """
        )
        func names(_ url: String, _ method: Method = .get) throws -> [String] {
            let effective = EffectiveSettings(loaded, url: try TargetURI(parsing: url), method: method)
            return effective.rules.map(\.name) + effective.values.filter { $0.rule != nil }.map(\.name)
        }
        #expect(try names("http://h.example/?a=1") == ["rule 1", "rule 2", "drop-query", "sort-query"])
        #expect(try names("http://h.example/?a=1", .post) == ["rule 1", "drop-query"])
        #expect(try names("http://other.example/?a=1") == [])
        #expect(loaded.values.locatedRules.map { $0.queryRule != nil } == [true, true])
        #expect(
            try load("[[rule]]\nmatch = \"**\"\nttl = 0").values.locatedRules.map { $0.queryRule != nil } == [false]
        )
    }
}
