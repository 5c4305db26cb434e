import Administration
import CommandSyntax
import Configurations
import Glibc
import HTTPCaching
import HTTPCore
import Observability
import Platform
import ResourceCore
import Settings
import TestSupport
import Testing

@testable import Daemon

/// What a reload changes in a daemon that serves.
@Suite struct ApplicationReloadTests {
    @Test("once a reload names another file for the access log, the daemon closes the one before")
    func closedAccessLog() throws {
        // Given a daemon whose access log is a pipe: that shows when its last writer has closed it
        let directory = TemporaryDirectory()
        let (old, new) = (directory.path("old"), directory.path("new"))
        try #require(mkfifo(old, 0o600) == 0)
        let reader = open(old, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        func name(_ log: String) throws -> String {
            try directory.write("loops = 1\nlog.access = true\nlog.access-file = \"\(log)\"\n", to: "respite.toml")
        }
        let words = [
            "serve", "--config", try name(old), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--set",
            "admin-token-file=\(directory.path("token"))", "--store", "none",
        ]
        let files = SettingsFiles(
            command: try ParsedCommand.parse(words),
            context: ProcessContext(environment: [:], isRoot: false)
        )
        let serves = Latch()
        let application = try Application(
            try files.plan(),
            files: files,
            log: .silent,
            isLasting: false,
            onServing: { serves.open() }
        )
        let thread = try Thread(name: "serve") { _ = application.run() }
        serves.wait()
        #expect(application.accessLogging.fault == nil)
        // When the settings name another file
        _ = try name(new)
        let isDone = WaitQueue<Bool>()
        application.reload { response in
            if case .done = response { isDone.push(true) } else { isDone.push(false) }
        }
        #expect(isDone.pop() == true)
        // Then the pipe has no writer any more
        var pipe = pollfd(fd: reader, events: 0, revents: 0)
        #expect(poll(&pipe, 1, 60_000) == 1 && pipe.revents & Int16(POLLHUP) != 0)
        application.finish()
        thread.join()
    }

    /// A preset with a rule for the files of an index.
    private struct Presets: PresetSource {
        func rules(of preset: RulePreset, for index: PackageIndexURL) -> [UInt8] {
            Array("[[rule]]\nmatch = \"**/packages/*.whl\"\nttl = \"1h\"\n".utf8)
        }

        func servers(of preset: RulePreset, for index: PackageIndexURL) -> [String] { [index.parent] }

        func indexes(of preset: RulePreset) throws(PresetFault) -> [PackageIndexURL] { throw PresetFault("absent") }
    }

    @Test("a host to which a page links for the first time gets the rules of its index at once, and stays known")
    func linkedHosts() throws {
        // Given a daemon with a store and the rules of an index
        let directory = TemporaryDirectory()
        let store = directory.directory("store")
        let words = [
            "serve", "--config", try directory.write("loops = 1\n", to: "respite.toml"), "--listen", "127.0.0.1:0",
            "--admin", "127.0.0.1:0", "--store", store, "--rules", "pip=https://index.example/simple",
        ]
        let files = SettingsFiles(
            command: try ParsedCommand.parse(words),
            context: ProcessContext(environment: [:], isRoot: false),
            presets: Presets()
        )
        let serves = Gate()
        let application = try Application(
            try files.plan(),
            files: files,
            log: .silent,
            isLasting: false,
            onServing: { serves.open() }
        )
        let thread = try Thread(name: "serve") { _ = application.run() }
        defer {
            application.finish()
            thread.join()
        }
        try serves.wait("the daemon to serve")
        let uri = try TargetURI(parsing: "https://files.example/packages/a.whl")
        let resource = application.shared.service.resource(for: uri)
        #expect(resource.configuration.values.caching.rules.isEmpty)
        // When a page links there; the thread of reloads runs jobs in their order
        application.linkedHosts.insert(uri, of: .pip)
        let done = Gate()
        #expect(application.reloader.run { done.open() })
        try done.wait("the thread of reloads")
        // Then
        #expect(resource.configuration.values.caching.rules.map(\.ttlSeconds) == [3600])
        #expect(contents("\(store)/linked-hosts") == Array("pip https://files.example:443\n".utf8))
    }
}
