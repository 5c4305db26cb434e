import Glibc
import Locking
import TestSupport
import Testing

@testable import Observability

/// The lines of the other log.
private final class Told: Sendable {
    private let kept = Lock<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    var log: Logger {
        Logger(
            output: { [self] line in kept.withLock { $0.append(String(decoding: line, as: UTF8.self)) } },
            clock: { 0 }
        )
    }
}

/// The file of the access log, and the thread that writes it.
@Suite struct AccessLogFileTests {
    private let directory = TemporaryDirectory()
    private let told = Told()

    private static func line(_ text: String) -> [UInt8] { Array("\(text)\n".utf8) }

    private func text(_ path: String) -> String { String(decoding: contents(path), as: UTF8.self) }

    @Test("lines stand in the file when it is closed, behind those that were there")
    func close() throws {
        let path = try directory.write("before\n", to: "access.log")
        let file = try AccessLogFile(path: path, waitingLimit: 1 << 20, log: told.log)
        for number in 0..<5000 { file.write(Self.line("\(number)")) }
        file.close()
        #expect(text(path) == (["before"] + (0..<5000).map { "\($0)" }).map { $0 + "\n" }.joined())
        #expect(file.lostLines == 0 && told.lines.isEmpty)
    }

    @Test("a line is written soon although no other follows")
    func single() throws {
        let path = directory.path("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { Glibc.close(reader) }
        let file = try AccessLogFile(path: path, waitingLimit: 1 << 20, log: told.log)
        file.write(Self.line("one"))
        var ready = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        #expect(poll(&ready, 1, 60_000) == 1)
        var bytes = [UInt8](repeating: 0, count: 100)
        #expect(read(reader, &bytes, 100) == 4)
        file.close()
    }

    @Test("after a renaming, reopening makes a new file; lines from before are in the old one")
    func reopening() throws {
        let (path, old) = (directory.path("access.log"), directory.path("access.log.1"))
        let file = try AccessLogFile(path: path, waitingLimit: 1 << 20, log: told.log)
        file.write(Self.line("one"))
        #expect(rename(path, old) == 0)
        file.write(Self.line("two"))
        try file.reopen()
        file.write(Self.line("three"))
        file.close()
        #expect(text(old) == "one\ntwo\n")
        #expect(text(path) == "three\n")
    }

    @Test("if the path cannot be opened again, lines go to the previous file")
    func failedReopening() throws {
        let (path, old) = (directory.path("access.log"), directory.path("access.log.1"))
        let file = try AccessLogFile(path: path, waitingLimit: 1 << 20, log: told.log)
        #expect(rename(path, old) == 0)
        _ = directory.directory("access.log")
        #expect(throws: (any Error).self) { try file.reopen() }
        file.write(Self.line("one"))
        file.close()
        #expect(text(old) == "one\n")
    }

    @Test("a full disk loses lines, which are counted; the log tells it once")
    func fullDisk() throws {
        let file = try AccessLogFile(path: "/dev/full", waitingLimit: 1 << 20, log: told.log)
        for _ in 0..<3 {
            for _ in 0..<1000 { file.write(Self.line("0123456789")) }
            file.flush()
        }
        file.close()
        #expect(file.lostLines == 3000)
        #expect(
            told.lines == [
                "1970-01-01T00:00:00.000Z error access log not written file=/dev/full reason=\"No space left on device\"\n"
            ]
        )
    }

    /// A pipe that nobody reads yet, and its end for reading.
    private func pipe() -> (path: String, reader: Int32) {
        let path = directory.path("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        return (path, open(path, O_RDONLY | O_NONBLOCK))
    }

    @Test("lines beyond the limit are dropped, counted and reported in the other log, not in the file")
    func limit() throws {
        let (path, reader) = pipe()
        let file = try AccessLogFile(path: path, waitingLimit: 100_000, log: told.log)
        // More than the pipe takes and the limit allows.
        for _ in 0..<100 { file.write([UInt8](repeating: 0x61, count: 9999) + [0x0A]) }
        #expect(file.lostLines > 0)
        let closing = BackgroundThread { file.close() }
        var lines = 0
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while lines + file.lostLines < 100 {
            var ready = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            try #require(poll(&ready, 1, 60_000) == 1)
            let count = max(0, read(reader, &bytes, bytes.count))
            lines += bytes.prefix(count).count { $0 == 0x0A }
            #expect(bytes.prefix(count).allSatisfy { $0 == 0x61 || $0 == 0x0A })
        }
        try closing.join()
        Glibc.close(reader)
        #expect(lines + file.lostLines == 100)
        let dropped = "lines=\(file.lostLines) "
        #expect(told.lines.contains { $0.contains("access log lines were dropped") && $0.contains(dropped) })
    }

    @Test("a line longer than the limit is written if no other waits")
    func longLine() throws {
        let path = directory.path("access.log")
        let file = try AccessLogFile(path: path, waitingLimit: 100, log: told.log)
        file.write(Self.line(String(repeating: "a", count: 200)))
        file.close()
        #expect(text(path).utf8.count == 201 && file.lostLines == 0)
    }

    @Test("the limit of waiting lines may change while the file is open")
    func changedLimit() throws {
        let file = try AccessLogFile(path: directory.path("access.log"), waitingLimit: 100, log: told.log)
        #expect(file.waitingLimit == 100)
        file.waitingLimit = 200
        #expect(file.waitingLimit == 200 && file.waitingBytes == 0)
        file.close()
    }

    @Test("a reader that stalls does not hold up the end for longer than the limit")
    func stalledReader() throws {
        let (path, reader) = pipe()
        defer { Glibc.close(reader) }
        let file = try AccessLogFile(path: path, waitingLimit: 1 << 20, log: told.log)
        for _ in 0..<20 { file.write([UInt8](repeating: 0x61, count: 9999) + [0x0A]) }
        file.close(within: .milliseconds(10))
        // The thread goes on when the reader does.
        #expect(file.waitingBytes > 0)
    }
}
