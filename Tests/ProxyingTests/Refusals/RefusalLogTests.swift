import HTTPCore
import Observability
import Testing

@testable import Proxying

/// How often refusals of one kind are logged.
@Suite struct RefusalLogTests {
    @Test("of each kind one refusal a minute is logged, with the number of those between")
    func turns() {
        let log = RefusalLog(.silent)
        func turn(_ kind: String, _ seconds: Int64) -> Int? {
            log.turn(kind, at: MonotonicTime(nanoseconds: seconds * 1_000_000_000))
        }
        #expect(turn("a", 10) == 0)
        for second in 11...13 as ClosedRange<Int64> { #expect(turn("a", second) == nil) }
        #expect(turn("b", 20) == 0)
        #expect(turn("a", 69) == nil)
        #expect(turn("a", 70) == 4)
        #expect(turn("a", 130) == 0)
    }
}
