import HTTPCore
import Testing

@Suite("Moments of the monotonic clock")
struct MonotonicTimeTests {
    private static func at(_ nanoseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }

    @Test("the earlier one is the smaller one; none is before itself")
    func order() {
        #expect(Self.at(1) < Self.at(2) && !(Self.at(2) < Self.at(2)) && !(Self.at(3) < Self.at(2)))
        #expect(HTTPDate(seconds: 1) < HTTPDate(seconds: 2) && !(HTTPDate(seconds: 2) < HTTPDate(seconds: 2)))
    }

    @Test("durations are added and subtracted, as far as there are numbers")
    func sums() {
        let sums: [(Int64, Duration, Int64)] = [
            (5, .nanoseconds(7), 12), (5, .nanoseconds(-7), -2), (.max, .nanoseconds(1), .max),
            (Int64.max - 1, .nanoseconds(1), .max), (.min, .nanoseconds(-1), .min), (1, .seconds(Int64.max), .max),
        ]
        for (start, time, end) in sums { #expect(Self.at(start) + time == Self.at(end), "\(start) \(time)") }
        let all = Duration.nanoseconds(Int64.max) - Duration.nanoseconds(Int64.min)
        let differences: [(Int64, Int64, Duration)] = [
            (12, 5, .nanoseconds(7)), (5, 12, .nanoseconds(-7)), (.max, .min, all),
        ]
        for (end, start, time) in differences { #expect(Self.at(end) - Self.at(start) == time) }
    }

    @Test("the time since a moment is never below zero, and in seconds it is cut off")
    func since() {
        #expect(Self.at(12).nanoseconds(since: Self.at(5)) == 7 && Self.at(5).nanoseconds(since: Self.at(12)) == 0)
        #expect(Self.at(5).nanoseconds(since: Self.at(5)) == 0 && Self.at(.max).nanoseconds(since: Self.at(.min)) == 0)
        #expect(Self.at(1_999_999_999).wholeSeconds(since: Self.at(0)) == 1)
        #expect(Self.at(2_000_000_000).wholeSeconds(since: Self.at(0)) == 2)
        #expect(Self.at(0).wholeSeconds(since: Self.at(2_000_000_000)) == 0)
    }
}
