import Administration
import CommandSyntax
import Glibc
import Observability
import Platform
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
}
