import HTTPCore
import Locking
import TestSupport
import Testing

@testable import Daemon

/// One walk over a list of URLs.
@Suite struct WarmRoundTests {
    private static func urls(_ count: Int) throws -> [TargetURI] {
        try (0..<count).map { try TargetURI(parsing: "http://a.example/\($0)") }
    }

    @Test("each outcome is counted, and the first five failures are told with their URLs")
    func outcomes() throws {
        let reports = SharedValue<[WarmRound.Report]>([])
        let round = WarmRound(try Self.urls(10)) { url, completion in
            let number = url.path.last.map { Int($0) - 0x30 } ?? 0
            completion(number == 0 ? .loaded : number < 3 ? .notModified : .failed("no \(number)"))
        } completion: { report in
            reports.update { $0.append(report) }
        }
        round.start()
        var expected = WarmRound.Report()
        (expected.loaded, expected.notModified, expected.failed) = (1, 2, 7)
        expected.reasons = (3...7).map { "http://a.example/\($0): no \($0)" }
        #expect(reports.current == [expected])
        // It is over once.
        round.start()
        round.cancel()
        #expect(reports.current.count == 1)
    }

    @Test("an empty list is done at once")
    func empty() {
        let reports = SharedValue<[WarmRound.Report]>([])
        WarmRound([]) { _, _ in
        } completion: { report in
            reports.update { $0.append(report) }
        }.start()
        #expect(reports.current == [WarmRound.Report()])
    }

    @Test("a cancelled round begins no more loads, and is done when those under way are")
    func cancelled() throws {
        let reports = SharedValue<[WarmRound.Report]>([])
        let waiting = SharedValue<[@Sendable (WarmRound.Outcome) -> Void]>([])
        let round = WarmRound(try Self.urls(9)) { _, completion in
            waiting.update { $0.append(completion) }
        } completion: { report in
            reports.update { $0.append(report) }
        }
        round.start()
        #expect(waiting.current.count == WarmRound.width)
        round.cancel()
        #expect(reports.current.isEmpty)
        for (index, completion) in waiting.current.enumerated() {
            completion(.loaded)
            #expect(reports.current.isEmpty == (index < WarmRound.width - 1))
        }
        #expect(waiting.current.count == WarmRound.width)
        #expect(reports.current.map(\.loaded) == [WarmRound.width])
    }

    @Test("a round that is cancelled before it began loads nothing")
    func neverStarted() throws {
        let reports = SharedValue<[WarmRound.Report]>([])
        let round = WarmRound(try Self.urls(3)) { _, _ in
            Issue.record("a load began")
        } completion: { report in
            reports.update { $0.append(report) }
        }
        round.cancel()
        round.start()
        #expect(reports.current == [WarmRound.Report()])
    }
}
