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
