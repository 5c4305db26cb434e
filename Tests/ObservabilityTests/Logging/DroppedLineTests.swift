import Glibc
import TestSupport
import Testing

@testable import Observability

/// Lines of a log whose reader is too slow.
@Suite struct DroppedLineTests {
    @Test(
        "once the others are read, a log says in its format how many lines were dropped, and which setting bounds them",
        arguments: LogFormat.allCases
    )
    func notice(format: LogFormat) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let log = Logger(level: .info, format: format, waitingLimit: 1, descriptor: ends[1])
        log.waitingLimit = 100_000
        #expect(log.waitingLimit == 100_000)
        // More than the pipe takes and the limit allows.
        for _ in 0..<200 { log.info("long", ["text": String(repeating: "a", count: 2000)]) }
        #expect(log.lostLines > 0 && log.waitingBytes > 0)
        var (text, bytes) = ("", [UInt8](repeating: 0, count: 65_536))
        while !text.contains("were dropped") || !text.hasSuffix("\n") {
            var ready = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            try #require(poll(&ready, 1, 60_000) == 1)
            let count = read(ends[0], &bytes, bytes.count)
            try #require(count > 0)
            text += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
        let (lines, lost) = (text.split(separator: "\n"), log.lostLines)
        #expect(lines.count == 200 - lost + 1)
        let sentence = "log lines were dropped: their reader was too slow"
        let end =
            switch format {
            case .text: "Z warning \(sentence) lines=\(lost) setting=log.queue-size"
            case .json:
                #"Z","level":"warning","message":"\#(sentence)","lines":\#(lost),"setting":"log.queue-size"}"#
            }
        #expect(lines.last?.hasSuffix(end) == true, "\(lines.last ?? "")")
        log.flush(within: .seconds(60))
        #expect(log.waitingBytes == 0 && log.lostLines == lost)
    }
}
