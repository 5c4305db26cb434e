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

    @Test("a kind whose minute is over keeps its number though as many kinds are known as can be")
    func full() {
        let log = RefusalLog(.silent)
        func turn(_ kind: Int, _ seconds: Int64) -> Int? {
            log.turn("\(kind)", at: MonotonicTime(nanoseconds: seconds * 1_000_000_000))
        }
        for kind in 0..<64 { #expect(turn(kind, 10) == 0) }
        #expect(turn(0, 11) == nil && turn(0, 12) == nil)
        #expect(turn(64, 20) == nil, "no more kinds are known in this minute")
        #expect(turn(0, 70) == 2)
        #expect(turn(64, 71) == 0, "the others are forgotten")
    }
}
