import Exchanges
import HTTPCore
import ResourceModel
import Testing

/// Moments on the wall clock.
@Suite struct TimestampTests {
    private static func at(_ milliseconds: Int64) -> Timestamp {
        Timestamp(sinceEpoch: .milliseconds(milliseconds))
    }

    @Test("the earlier moment is the smaller one; a moment is not before itself")
    func order() {
        #expect(Self.at(1) < Self.at(2) && !(Self.at(2) < Self.at(1)))
        #expect(!(Self.at(2) < Self.at(2)) && Self.at(2) <= Self.at(2))
        #expect(max(Self.at(-1), .epoch) == .epoch)
    }

    @Test("a duration later, and the duration between two moments")
    func difference() {
        #expect(Self.at(1000) + .milliseconds(250) == Self.at(1250))
        #expect(Self.at(1250) - Self.at(1000) == .milliseconds(250))
        #expect(Self.at(1000) - Self.at(1250) == .milliseconds(-250))
    }

    @Test(
        "the date is the whole second that contains the moment, also before 1970",
        arguments: [(0, 0), (999, 0), (1000, 1), (-1, -1), (-1000, -1), (-1001, -2)] as [(Int64, Int64)]
    )
    func date(milliseconds: Int64, seconds: Int64) {
        #expect(Self.at(milliseconds).date == HTTPDate(seconds: seconds))
        #expect(Timestamp(HTTPDate(seconds: seconds)) == Self.at(seconds * 1000))
    }

    @Test("seconds with a fraction; NaN is 1970, and what is too large the largest moment")
    func seconds() {
        #expect(Timestamp(seconds: 1.5) == Self.at(1500) && Self.at(1500).seconds == 1.5)
        #expect(Self.at(-1500).seconds == -1.5)
        #expect(Timestamp(seconds: .nan) == .epoch)
        #expect(Timestamp(seconds: .infinity) == Timestamp(seconds: 1e15))
        #expect(Timestamp(seconds: -.infinity) == Timestamp(seconds: -1e15))
        #expect(Timestamp(seconds: 1e15).seconds == 1e15 && Timestamp(seconds: -1e15).seconds == -1e15)
    }

    @Test(
        "a moment prints as ISO 8601 in UTC, to the millisecond",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (951_782_399_250, "2000-02-28T23:59:59.250Z"),
            (2_544_400_878_007, "2050-08-18T02:01:18.007Z"), (-1000, "1969-12-31T23:59:59Z"),
            (-500, "1969-12-31T23:59:59.500Z"), (-30_610_224_001_000, "0999-12-31T23:59:59Z"),
        ] as [(Int64, String)]
    )
    func description(milliseconds: Int64, text: String) {
        #expect("\(Self.at(milliseconds))" == text)
    }
}
