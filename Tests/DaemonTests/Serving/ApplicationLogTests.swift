import Administration
import CommandSyntax
import Configurations
import HTTPCore
import Platform
import ResourceCore
import TestSupport
import Testing

@testable import Daemon
@testable import Exchanges
@testable import UpstreamClient

/// What a daemon that serves logs, and what it refuses.
@Suite struct ApplicationLogTests {
    /// A daemon in this process, with one loop and a settings file that can be written again.
    private final class Served {
        let directory: TemporaryDirectory
        let log: KeptLog
        let application: Application
        private let thread: Thread

        init(_ settings: String = "") throws {
            let (directory, log) = (TemporaryDirectory(), KeptLog())
            let words = [
                "serve", "--config", try directory.write("loops = 1\n\(settings)", to: "respite.toml"), "--listen",
                "127.0.0.1:0", "--admin", "127.0.0.1:0", "--set", "admin-token-file=\(directory.path("token"))",
                "--store", "none",
            ]
            let files = SettingsFiles(
                command: try ParsedCommand.parse(words),
                context: ProcessContext(environment: [:], isRoot: false)
            )
            let serves = Gate()
            let application = try Application(
                try files.plan(),
                files: files,
                log: log.logger,
                isLasting: false,
                onServing: { serves.open() }
            )
            (self.directory, self.log, self.application) = (directory, log, application)
            thread = try Thread(name: "serve") { _ = application.run() }
            try serves.wait("the daemon to serve")
        }

        /// Writes the settings, and has them read.
        func reload(_ settings: String) throws -> ReloadResponse? {
            try directory.write(settings, to: "respite.toml")
            let answers = WaitQueue<ReloadResponse>()
            application.reload { answers.push($0) }
            return answers.pop()
        }

        /// Keeps the thread of reloads busy until the latch that it returns is opened.
        func holdReloads() -> Latch {
            let (begun, end) = (Latch(), Latch())
            let isTaken = application.reloader.run {
                begun.open()
                end.wait()
            }
            #expect(isTaken)
            if isTaken { begun.wait() }
            return end
        }

        func finish() {
            application.finish()
            thread.join()
        }
    }

    // MARK: Reloads

    @Test("a reload logs what has changed, each warning about the settings, and what waits for the next start")
    func reload() throws {
        let served = try Served()
        defer { served.finish() }
        _ = served.log.take()
        let changed = "loops = 2\nstorage.limit = \"64MiB\"\nlog.access = true\nlog.access-sample = 7\n"
        guard case .done? = try served.reload(changed + "memory.huge-pages = true\n") else {
            Issue.record("the settings are refused")
            return
        }
        let file = served.directory.path("respite.toml")
        let warning = "\(file):5:8: `memory.huge-pages` has no effect any more; remove it"
        #expect(
            served.log.take().filter { $0.contains("settings") } == [
                "info settings reloaded changed=log.access,log.access-sample",
                "warning settings warning=\"\(warning)\"",
                "warning some changed settings take effect at the next start settings="
                    + "loops,storage.limit,storage.max-object-size",
            ]
        )
        guard case .done? = try served.reload("loops = 1\n") else {
            Issue.record("the settings are refused")
            return
        }
        #expect(
            served.log.take().filter { $0.contains("settings") }
                == ["info settings reloaded changed=log.access,log.access-sample"]
        )
    }

    @Test("each mistake of new settings has a line of its own")
    func mistakes() throws {
        let served = try Served()
        defer { served.finish() }
        _ = served.log.take()
        guard case .refused? = try served.reload("frob = 1\ngrob = 2\n") else {
            Issue.record("the settings are not refused")
            return
        }
        let lines = served.log.take().filter { $0.contains("settings") }
        let file = served.directory.path("respite.toml")
        let start = "error settings not reloaded; the old ones stay in force reason=\"\(file)"
        #expect(lines.count == 2, "\(lines)")
        for (line, place) in zip(lines, [":1:1: unknown setting `frob`", ":2:1: unknown setting `grob`"]) {
            #expect(line.hasPrefix(start + place), "\(line)")
        }
    }

    @Test("64 requests for a reload may wait; the next one is refused, as is each once the daemon stops")
    func waiting() throws {
        let served = try Served()
        let end = served.holdReloads()
        let answers = WaitQueue<String>()
        func ask() {
            served.application.reload { response in
                switch response {
                case .done: answers.push("done")
                case .refused(let detail, _), .unavailable(let detail): answers.push(detail)
                }
            }
        }
        for _ in 0..<65 { ask() }
        #expect(answers.pop() == "too many requests wait for a reload already")
        end.open()
        for _ in 0..<64 { #expect(answers.pop() == "done") }
        served.finish()
        ask()
        #expect(answers.pop() == "the daemon is stopping")
    }

    @Test("if too many jobs wait, SIGUSR2 does not reopen the access log and logs that; otherwise it logs the file")
    func reopening() throws {
        let served = try Served("log.access = true\n")
        defer { served.finish() }
        let (end, done) = (served.holdReloads(), Tally())
        var jobs = 0
        while served.application.reloader.run({ done.add() }) { jobs += 1 }
        served.application.reopenAccessLog()
        let refused = "warning access log not reopened: reloads are under way; send SIGUSR2 again"
        #expect(served.log.take().contains(refused))
        end.open()
        try done.wait(for: jobs)
        served.application.reopenAccessLog()
        try served.log.wait(for: "info access log reopened file=\"standard error\"")
        #expect(!served.log.take().contains(refused))
    }

    // MARK: What all loops share

    @Test("a mode that an administrator chooses is in force and logged; one of an unknown service is neither (C-25.2)")
    func modes() throws {
        let served = try Served("[service.api]\nbase = \"http://api.example/\"\n")
        defer { served.finish() }
        _ = served.log.take()
        let shared = served.application.shared
        let modes = shared.modeSource(served.log.logger)
        #expect(modes.choose(.offline, nil) && modes.choose(.replay, "api") && !modes.choose(.online, "none"))
        #expect(
            served.log.take().filter { $0.contains("mode") } == [
                "info mode changed mode=offline service=-", "info mode changed mode=replay service=api",
            ]
        )
        #expect(modes.general() == .offline && modes.services().map { $0.mode } == [.replay])
        for (url, mode) in [("http://h.example/", ServiceMode.offline), ("http://api.example/x", .replay)] {
            #expect(shared.service.configuration(for: try TargetURI(parsing: url)).values.mode == mode)
        }
    }

    @Test("the log tells when an origin is down, when it is up again, and when its connections are not reused")
    func origins() throws {
        let served = try Served()
        defer { served.finish() }
        let uri = try TargetURI(parsing: "http://a.example:8080/")
        let (shared, now) = (served.application.shared, MonotonicTime(nanoseconds: 1))
        let route = OriginRoute(Origin(uri), .standard)
        func lines() -> [String] { served.log.take().filter { $0.contains(" origin=") } }
        let failure = ExchangeFailure(.connectionRefused, "nobody listens")
        for _ in 0..<6 {
            shared.origins.didFail(route, failure, probes: [], at: now, wall: HTTPDate(seconds: 0))
        }
        #expect(
            lines() == ["warning origin is down origin=http://a.example:8080 failures=5 reason=\"nobody listens\""]
        )
        for _ in 0..<2 { shared.origins.didRespond(route, at: now) }
        #expect(lines() == ["info origin is up again origin=http://a.example:8080"])
        for _ in 0..<2 { shared.limiter.banReuse(of: PoolKey(uri), at: now) }
        let banned = "warning origin sent bytes after a whole response; its connections are not reused"
        #expect(lines() == ["\(banned) origin=http://a.example:8080 seconds=600"])
    }
}
