import HTTPCore
import Testing

@Suite("Durations")
struct DurationTests {
    @Test(
        "durations are whole nanoseconds, cut off towards zero, and as much as fits",
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.seconds(60), 60_000_000_000), (.seconds(-1), -1_000_000_000),
            (.nanoseconds(-7), -7), (Duration(secondsComponent: 9, attosecondsComponent: 1_999_999_999), 9_000_000_001),
            (Duration(secondsComponent: 0, attosecondsComponent: -1), 0),
            (.seconds(9_223_372_036), 9_223_372_036_000_000_000),
            (.nanoseconds(Int64.max), .max), (.nanoseconds(Int64.min), .min), (.seconds(Int64.max), .max),
            (.seconds(10_000_000_000), .max), (.seconds(-10_000_000_000), .min), (.seconds(Int64.min), .min),
        ] as [(Duration, Int64)]
    )
    func wholeNanoseconds(duration: Duration, expected: Int64) {
        #expect(duration.wholeNanoseconds == expected)
    }
}
