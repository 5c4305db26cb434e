import Glibc
import TestSupport
import Testing

@testable import Observability

/// The thread that writes lines: which lines wait for others.
@Suite struct LogWriterTests {
    /// A writer into a pipe that collects lines for an hour unless something hurries it.
    private struct Piped {
        let reader: Int32
        let writer: LogWriter

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            reader = ends[0]
            writer = LogWriter(descriptor: ends[1], limit: 1 << 20, collectingTime: .seconds(3600)) { _ in [] }
        }

        /// The next bytes, within a minute.
        func read(_ count: Int = 100) -> String? {
            var ready = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 60_000) == 1 else { return nil }
            var bytes = [UInt8](repeating: 0, count: count)
            let length = Glibc.read(reader, &bytes, count)
            return length > 0 ? String(decoding: bytes.prefix(length), as: UTF8.self) : nil
        }
    }

    @Test("a line that is not urgent waits for others; an urgent one takes it along, in order")
    func urgent() throws {
        let piped = try Piped()
        piped.writer.write(Array("a\n".utf8), isUrgent: false)
        piped.writer.write(Array("b\n".utf8), isUrgent: false)
        #expect(piped.writer.waitingBytes == 4)
        piped.writer.write(Array("c\n".utf8))
        #expect(piped.read() == "a\nb\nc\n")
        // And the next one waits again.
        #expect(piped.writer.flush(within: .seconds(60)))
        piped.writer.write(Array("d\n".utf8), isUrgent: false)
        #expect(piped.writer.waitingBytes == 2)
        piped.writer.stop()
        #expect(piped.read() == "d\n")
    }

    @Test("many collected bytes are written whatever the time")
    func size() throws {
        let piped = try Piped()
        for _ in 0..<66 { piped.writer.write([UInt8](repeating: 0x61, count: 999) + [0x0A], isUrgent: false) }
        var count = 0
        while count < 66_000 { count += try #require(piped.read(10_000)?.utf8.count) }
        piped.writer.stop()
    }

    @Test("the line that completes a batch wakes the thread, which would otherwise wait for the collecting time")
    func last() throws {
        let piped = try Piped()
        // In later rounds the thread has run before, and most likely waits.
        let (line, count) = ([UInt8](repeating: 0x61, count: 15) + [0x0A], 65_536 / 16)
        for _ in 0..<4 {
            for _ in 1..<count { piped.writer.write(line, isUrgent: false) }
            #expect(piped.writer.waitingBytes == 65_520)
            piped.writer.write(line, isUrgent: false)
            var bytes = 0
            while bytes < 65_536 { bytes += try #require(piped.read(10_000)?.utf8.count) }
            #expect(piped.writer.flush(within: .seconds(60)) && piped.writer.waitingBytes == 0)
        }
        piped.writer.stop()
    }

    @Test("lines may wait up to the limit, and a longer one alone; how many were dropped beyond it is told behind them")
    func limit() throws {
        let (began, gate, pieces) = (Tally(), Gate(), SharedValue<[String]>([]))
        defer { gate.open() }
        let writer = LogWriter(
            descriptor: -1,
            limit: 10,
            output: { bytes, _ in
                pieces.update { $0.append(String(decoding: bytes, as: UTF8.self)) }
                began.add()
                try? gate.wait()
                return bytes.count
            },
            notice: { count in Array("dropped \(count)\n".utf8) }
        )
        writer.write(Array("one:\n".utf8))
        try began.wait(for: 1)
        // What is being written counts, too.
        writer.write(Array("two:\n".utf8))
        #expect(writer.waitingBytes == 10 && writer.lostLines == 0)
        for _ in 0..<2 { writer.write([0x0A]) }
        #expect(writer.waitingBytes == 10 && writer.lostLines == 2)
        gate.open()
        #expect(writer.flush(within: .seconds(60)))
        #expect(pieces.current == ["one:\n", "two:\n", "dropped 2\n"])
        writer.write(Array("longer than that\n".utf8))
        #expect(writer.flush(within: .seconds(60)))
        writer.stop()
        #expect(pieces.current.last == "longer than that\n" && writer.waitingBytes == 0 && writer.lostLines == 2)
    }

    @Test("a flush writes what was collected")
    func flush() throws {
        let piped = try Piped()
        piped.writer.write(Array("a\n".utf8), isUrgent: false)
        #expect(piped.writer.flush(within: .seconds(60)))
        #expect(piped.writer.waitingBytes == 0)
        #expect(piped.read() == "a\n")
        piped.writer.stop()
    }
}
