import Glibc
import Locking
import TestSupport
import Testing

@testable import Observability

/// In which pieces the thread writes lines, and what becomes of those that are not written.
@Suite struct WrittenPieceTests {
    private final class Pieces: Sendable {
        private let kept = Lock<[String]>([])

        var all: [String] { kept.withLock { $0 } }

        func add(_ bytes: ArraySlice<UInt8>) { kept.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } }
    }

    private static func line(_ letter: Character, _ count: Int) -> String {
        String(repeating: letter, count: count - 1) + "\n"
    }

    /// The pieces in which `text` goes to a descriptor.
    private static func pieces(_ text: String, _ descriptor: Int32) -> [String] {
        let pieces = Pieces()
        let writer = LogWriter(
            descriptor: descriptor,
            limit: 1 << 20,
            collectingTime: .seconds(3600),
            output: { bytes, _ in
                pieces.add(bytes)
                return bytes.count
            },
            notice: { _ in [] }
        )
        writer.write(Array(text.utf8), isUrgent: false)
        #expect(writer.flush(within: .seconds(60)))
        #expect(writer.waitingBytes == 0 && writer.lostLines == 0)
        writer.stop()
        return pieces.all
    }

    @Test("a pipe gets whole lines, up to 4 KiB of them at a time, and a longer line by itself")
    func pipes() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let (a, b, c) = (Self.line("a", 3000), Self.line("b", 1096), Self.line("c", 1))
        #expect(Self.pieces(a + b + c, ends[1]) == [a + b, c])
        #expect(Self.pieces(a + c + b, ends[1]) == [a + c, b])
        let long = Self.line("d", 5000)
        #expect(Self.pieces(a + long + c, ends[1]) == [a, long, c])
        #expect(Self.pieces(long + a, ends[1]) == [long, a])
        #expect(Self.pieces(a, ends[1]) == [a])
    }

    @Test("a file gets all at once")
    func files() throws {
        let directory = TemporaryDirectory()
        let file = open(try directory.write("", to: "log"), O_WRONLY)
        defer { close(file) }
        let text = Self.line("a", 3000) + Self.line("b", 3000)
        #expect(Self.pieces(text, file) == [text])
    }

    @Test("behind a line of which a part alone was written the next one begins anew; the torn one counts as lost")
    func torn() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let calls = Lock(0)
        let failures = Lock(0)
        let writer = LogWriter(
            descriptor: ends[1],
            limit: 1 << 20,
            output: { bytes, descriptor in
                let number = calls.withLock { count in
                    count += 1
                    return count
                }
                // The first call writes three bytes, the second one all, the third none.
                let part = number == 1 ? bytes.prefix(3) : number == 3 ? [] : bytes
                let written = Glibc.write(descriptor, Array(part), part.count)
                errno = ENOSPC
                return max(0, written)
            },
            failure: { _ in failures.withLock { $0 += 1 } },
            notice: { _ in [] }
        )
        for text in ["abcdef\n", "next\n", "lost\n", "last\n"] {
            writer.write(Array(text.utf8))
            #expect(writer.flush(within: .seconds(60)))
        }
        writer.stop()
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = read(ends[0], &bytes, 100)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "abc\nnext\nlast\n")
        #expect(writer.lostLines == 2 && failures.withLock { $0 } == 1)
    }

    @Test("while not even the end of a torn line can be written, what comes is lost, an empty line too")
    func stillTorn() throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        defer { close(full) }
        let pieces = Pieces()
        let writer = LogWriter(
            descriptor: full,
            limit: 1 << 20,
            output: { bytes, _ in
                pieces.add(bytes)
                return min(2, bytes.count)
            },
            notice: { _ in [] }
        )
        for (line, lost) in [("torn\n", 1), ("next\n", 2), ("\n", 3), ("last\n", 4)] {
            writer.write(Array(line.utf8))
            #expect(writer.flush(within: .seconds(60)))
            #expect(writer.lostLines == lost, "\(line)")
        }
        writer.stop()
        #expect(pieces.all == ["torn\n"])
    }

    @Test("a file that was opened anew does not begin with the end of a line")
    func reopened() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let written = Pieces()
        let writer = LogWriter(
            descriptor: ends[1],
            limit: 1 << 20,
            output: { bytes, _ in
                written.add(bytes)
                return bytes.starts(with: "torn".utf8) ? 2 : bytes.count
            },
            notice: { _ in [] }
        )
        writer.write(Array("torn\n".utf8))
        #expect(writer.flush(within: .seconds(60)))
        writer.noteReopening()
        writer.write(Array("next\n".utf8))
        #expect(writer.flush(within: .seconds(60)))
        writer.stop()
        #expect(written.all == ["torn\n", "next\n"])
        var entry = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        #expect(poll(&entry, 1, 0) == 0, "no end of a line was written")
    }
}
