import Testing

@testable import Settings

/// What a reading of the settings changes.
@Suite struct SettingChangesTests {
    @Test("changes name settings, services and rules; what needs a restart is told apart")
    func changes() throws {
        let old = try load(
            "loops = 1\nlog.access = true\n[service.a]\nbase = \"http://a.example/\"\n[service.b]\nbase = \"http://b.example/\"\n"
        )
        let new = try load(
            "loops = 2\n[service.b]\nbase = \"http://c.example/\"\n[[rule]]\nmatch = \"http://h.example/**\"\nttl = \"1s\"\n"
        )
        let changes = new.changes(since: old)
        #expect(changes.map(\.name) == ["loops", "log.access", "service.a", "service.b", "rule"])
        #expect(changes.filter(\.needsRestart).map(\.name) == ["loops"])
        #expect(changes[0].old == "1" && changes[0].new == "2")
        #expect(changes[2].old == "http://a.example/" && changes[2].new == nil)
        #expect(new.changes(since: new).isEmpty)
        #expect(new.changes(since: new, changedSecrets: ["b"]).map(\.name) == ["service.b"])
    }

    @Test("listeners, the store and what is read once, at the start, need a restart; nothing else does")
    func restart() {
        #expect(
            Set(SettingKey.all.filter(\.needsRestart).map(\.name)) == [
                "listen", "admin", "admin-token-file", "loops", "storage.directory", "storage.limit",
                "storage.max-object-size", "storage.keep-private", "storage.compress", "cache.credential-fields",
                "shared.url", "shared.cluster", "shared.user", "shared.password-file", "shared.timeout",
                "shared.max-object-size", "shared.partition-key-file",
            ]
        )
    }

    @Test("what needs a restart keeps its value and its origin")
    func keeping() throws {
        let running = try load("listen = \"127.0.0.1:1\"\n")
        let kept = try load("\n\nlisten = \"127.0.0.1:2\"\nlog.access = true\n").keepingWhatNeedsRestart(of: running)
        #expect(kept.values.listen == [.loopback(port: 1)])
        #expect(kept.values.log.access)
        #expect(kept.origin(ofPath: "listen") == .file(path: "respite.toml", line: 1, column: 1))
    }

    @Test("a file that would open the running listener to everybody is refused (H-139)")
    func openProxy() throws {
        let running = try load("listen = \"0.0.0.0:1\"\naccess.clients = [\"192.168.0.0/16\"]\n")
        let new = try load("listen = \"127.0.0.1:1\"\naccess.clients = [\"0.0.0.0/0\"]\n")
        #expect(throws: SettingsError.self) { try new.keepingWhatNeedsRestart(of: running) }
    }
}
