import HTTPCore
import Locking
import Testing

@testable import Daemon

/// What the log says of limits that all clients share.
@Suite struct BudgetReportTests {
    @Test("each setting has one line a minute, with how often it happened since the last")
    func lines() {
        let log = KeptLog(.warning)
        let seconds = Lock<Int64>(100)
        let report = BudgetReport(log.logger) { MonotonicTime(nanoseconds: seconds.withLock { $0 } * 1_000_000_000) }
        func told(_ setting: String, at time: Int64) -> String? {
            seconds.withLock { $0 = time }
            report.refused(setting)
            return log.take().first
        }
        let start = "warning refused: a limit that all clients share is reached"
        #expect(told("limits.a", at: 100) == "\(start) setting=limits.a times=1")
        #expect(told("limits.a", at: 100) == nil && told("limits.a", at: 159) == nil)
        #expect(told("limits.b", at: 159) == "\(start) setting=limits.b times=1")
        #expect(told("limits.a", at: 160) == "\(start) setting=limits.a times=3")
        #expect(told("limits.a", at: 219) == nil)
        #expect(told("limits.a", at: 220) == "\(start) setting=limits.a times=2")
    }
}
