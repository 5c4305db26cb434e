import HTTPCore
import Locking
import Observability
import Testing

@testable import Daemon

/// What the log says of limits that all clients share.
@Suite struct BudgetReportTests {
    @Test("each setting has one line a minute, with how often it happened since the last")
    func lines() {
        let lines = Lock<[String]>([])
        let seconds = Lock<Int64>(100)
        let log = Logger(
            level: .warning,
            format: .text,
            output: { bytes in lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } },
            clock: { 0 }
        )
        let report = BudgetReport(log) { MonotonicTime(nanoseconds: seconds.withLock { $0 } * 1_000_000_000) }
        func told(_ setting: String, at time: Int64) -> String? {
            seconds.withLock { $0 = time }
            report.refused(setting)
            let found = lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
            return found.first?.split(separator: " ").suffix(2).joined(separator: " ").replacing("\n", with: "")
        }
        #expect(told("limits.a", at: 100) == "setting=limits.a times=1")
        #expect(told("limits.a", at: 100) == nil && told("limits.a", at: 159) == nil)
        #expect(told("limits.b", at: 159) == "setting=limits.b times=1")
        #expect(told("limits.a", at: 160) == "setting=limits.a times=3")
        #expect(told("limits.a", at: 219) == nil && told("limits.a", at: 220) == "setting=limits.a times=2")
    }
}
