import Glibc
import Platform
import TestSupport
import Testing

@testable import Observability

/// Log lines as entries of systemd's journal; a socket of ours stands in for it.
@Suite struct JournalTests {
    /// A socket for datagrams.
    private final class Receiver {
        let directory = TemporaryDirectory()
        private let descriptor: Int32
        var path: String { directory.path + "/socket" }

        init() throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            try #require(bytes.count < 108)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
            let result = withUnsafePointer(to: &name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(result == 0)
        }

        deinit { close(descriptor) }

        /// The next entry, its fields in order.
        func next() -> [String] {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 60_000) == 1 else { return [] }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            return String(decoding: buffer[..<max(0, count)], as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    private static func logger(
        _ receiver: Receiver,
        _ format: LogFormat = .text,
        descriptor: Int32 = 2
    ) throws -> Logger {
        let socket = try #require(JournalSocket(path: receiver.path))
        return Logger(level: .debug, format: format, waitingLimit: 65_536, descriptor: descriptor, journal: socket)
    }

    @Test("a line is an entry with priority, identifier, message and a field for each value")
    func fields() throws {
        let receiver = try Receiver()
        let log = try Self.logger(receiver)
        log.warning("origin is down", ["origin": "http://a.example", "failures": 3, "is-new": true])
        #expect(
            receiver.next() == [
                "PRIORITY=4", "SYSLOG_IDENTIFIER=respite", "RESPITE_ORIGIN=http://a.example", "RESPITE_FAILURES=3",
                "RESPITE_IS_NEW=true", "MESSAGE=origin is down origin=http://a.example failures=3 is-new=true",
            ]
        )
        log.error("x")
        log.info("x")
        log.debug("x")
        #expect((0..<3).map { _ in receiver.next().first } == ["PRIORITY=3", "PRIORITY=6", "PRIORITY=7"])
    }

    @Test("no value begins another field, and none ends the entry (H-159)")
    func injection() throws {
        let receiver = try Receiver()
        let log = try Self.logger(receiver)
        log.info("core", ["category": "staleness", "text": "a\nMESSAGE=evil\0PRIORITY=0\u{1B}[1m"])
        let entry = receiver.next()
        try #require(entry.count == 5)
        #expect(entry[2] == "RESPITE_CATEGORY=staleness")
        #expect(entry[3] == #"RESPITE_TEXT=a\nMESSAGE=evil\x00PRIORITY=0\x1b[1m"#)
        log.write(line: Array("client=127.0.0.1 status=200\n".utf8))
        #expect(
            receiver.next() == [
                "PRIORITY=6", "SYSLOG_IDENTIFIER=respite", "RESPITE_CATEGORY=access",
                "MESSAGE=client=127.0.0.1 status=200",
            ]
        )
    }

    @Test("in the format json the message is the line")
    func json() throws {
        let receiver = try Receiver()
        let log = try Self.logger(receiver, .json)
        log.info("listening", ["listen": "127.0.0.1:1"])
        let message = try #require(receiver.next().last)
        #expect(message.hasPrefix("MESSAGE={\"time\":") && message.hasSuffix(",\"listen\":\"127.0.0.1:1\"}"))
    }

    @Test("what the journal does not accept goes to standard error")
    func fallback() throws {
        let receiver = try Receiver()
        let file = receiver.directory.path + "/log"
        let descriptor = open(file, O_CREAT | O_RDWR, 0o600)
        defer { close(descriptor) }
        let log = try Self.logger(receiver, descriptor: descriptor)
        unlink(receiver.path)
        log.warning("origin is down", ["origin": "http://a.example"])
        log.flush(within: .seconds(60))
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        #expect(String(decoding: buffer[..<max(0, count)], as: UTF8.self) == "origin is down origin=http://a.example\n")
        #expect(log.lostLines == 0 && JournalSocket(path: receiver.path) == nil)
    }

    @Test("only the stream that JOURNAL_STREAM names is the journal's")
    func stream() throws {
        let directory = TemporaryDirectory()
        let descriptor = open(directory.path, O_RDONLY)
        defer { close(descriptor) }
        var status = stat()
        #expect(fstat(descriptor, &status) == 0)
        #expect(StandardError.isStream("\(status.st_dev):\(status.st_ino)", descriptor: descriptor))
        for other in [nil, "", "1:2", "\(status.st_dev):\(status.st_ino + 1)", "x"] as [String?] {
            #expect(!StandardError.isStream(other, descriptor: descriptor))
        }
    }
}
