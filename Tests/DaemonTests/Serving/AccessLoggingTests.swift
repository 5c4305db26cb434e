import Glibc
import Observability
import Platform
import Settings
import TestSupport
import Testing

@testable import Daemon
@testable import Proxying

/// The file of the access log.
@Suite struct AccessLoggingTests {
    private let directory = TemporaryDirectory()
    private let logging = AccessLogging(log: .silent)

    private func settings(_ file: String?, access: Bool = true) -> LogSettings {
        var settings = DaemonSettings().log
        settings.access = access
        settings.accessFile = file.map { directory.path($0) }
        return settings
    }

    private func content(_ name: String) throws -> String {
        String(decoding: try SmallFile.read(directory.path(name), limit: 1000), as: UTF8.self)
    }

    private func metrics() -> String {
        let registry = MetricsRegistry()
        logging.register(in: registry)
        return String(decoding: registry.prometheusText(), as: UTF8.self)
    }

    @Test("lines go to the file that the settings name; one that is not named any more is closed later")
    func files() throws {
        let first = try #require(logging.options(settings("a")))
        first.output(Array("one\n".utf8))
        #expect(!logging.hasRetired && logging.fault == nil)
        // The same file is opened again, as after a rotation.
        let again = try #require(logging.options(settings("a")))
        again.output(Array("two\n".utf8))
        #expect(!logging.hasRetired)
        let other = try #require(logging.options(settings("b")))
        #expect(logging.hasRetired)
        other.output(Array("three\n".utf8))
        logging.closeRetired()
        #expect(!logging.hasRetired)
        logging.stop()
        #expect(!logging.hasRetired && logging.lostLines == 0)
        #expect(try content("a") == "one\ntwo\n" && content("b") == "three\n")
    }

    @Test("without access log there is no file, and the one before is closed")
    func off() throws {
        #expect(logging.options(settings("a", access: false)) == nil)
        #expect(!SmallFile.exists(directory.path("a")))
        _ = logging.options(settings("a"))
        #expect(logging.options(settings("a", access: false)) == nil && logging.hasRetired && logging.fault == nil)
        logging.closeRetired()
        #expect(!logging.hasRetired)
    }

    @Test("lines for which there is no file are counted until it can be opened")
    func faults() throws {
        let lost = try #require(logging.options(settings("none/a")))
        #expect(logging.fault?.hasPrefix("no request is logged: ") == true)
        #expect(logging.fault?.hasSuffix("; mend `log.access-file` or the file, and reload") == true)
        lost.output(Array("one\n".utf8))
        lost.output(Array("two\n".utf8))
        #expect(logging.lostLines == 2 && !logging.hasRetired)
        #expect(metrics().contains("\nrespite_access_log_dropped_lines_total 2\n"))
        #expect(metrics().contains("\nrespite_access_log_waiting_bytes 0\n"))
        _ = directory.directory("none")
        let mended = try #require(logging.options(settings("none/a")))
        mended.output(Array("three\n".utf8))
        logging.stop()
        #expect(logging.fault == nil && logging.lostLines == 2)
        #expect(try content("none/a") == "three\n")
    }

    @Test("the log says why there is no file, and why one could not be opened again")
    func faultLines() throws {
        let log = KeptLog()
        let logging = AccessLogging(log: log.logger)
        _ = logging.options(settings("none/a"))
        let missing = try #require(logging.fault)
        #expect(log.take() == ["error access log reason=\"\(missing)\""])
        _ = logging.options(settings("a"))
        #expect(log.take() == [] && logging.fault == nil)
        unlink(directory.path("a"))
        _ = directory.directory("a")
        _ = logging.options(settings("a"))
        let renamed = try #require(logging.fault)
        #expect(renamed.hasPrefix("requests are logged to a file that was renamed: cannot open \(directory.path)/a"))
        #expect(renamed.hasSuffix("; mend it, and reload"))
        #expect(log.take() == ["error access log reason=\"\(renamed)\""])
        logging.stop()
    }

    @Test("the log says how many lines a slow reader has cost, of which file, and which setting bounds them")
    func droppedLines() throws {
        let path = directory.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        let log = KeptLog()
        let logging = AccessLogging(log: log.logger)
        var bounded = settings("pipe")
        bounded.queueSize = ByteCount(bytes: 100_000)
        let access = try #require(logging.options(bounded))
        // More than the pipe takes and the queue has room for.
        for _ in 0..<100 { access.output([UInt8](repeating: 0x61, count: 9999) + [0x0A]) }
        #expect(logging.lostLines > 0)
        let ending = BackgroundThread { logging.stop() }
        var (lines, bytes) = (0, [UInt8](repeating: 0, count: 65_536))
        while lines + logging.lostLines < 100 {
            var ready = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            try #require(poll(&ready, 1, 60_000) == 1)
            let count = read(reader, &bytes, bytes.count)
            try #require(count > 0)
            lines += bytes.prefix(count).count { $0 == 0x0A }
        }
        try ending.join()
        let told = "warning access log lines were dropped: the disk or their reader was too slow file=\(path)"
        #expect(try log.wait(for: told) == "\(told) lines=\(logging.lostLines) setting=log.queue-size")
    }

    @Test("the options of the log are those of the settings")
    func options() throws {
        var log = settings(nil)
        log.accessSample = 7
        log.format = .json
        let json = try #require(logging.options(log))
        #expect(json.sample == 7 && json.format.text == "json")
        log.format = .text
        #expect(logging.options(log)?.format.text == "text")
        log.accessFormat = AccessLogFormat.named.first { $0.text == "combined" }
        #expect(logging.options(log)?.format.text == "combined")
        #expect(!logging.hasRetired && logging.fault == nil)
    }
}
