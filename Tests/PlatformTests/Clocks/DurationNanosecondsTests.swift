import Testing

@testable import Platform

@Suite struct DurationNanosecondsTests {
    @Test(
        "a duration is whole nanoseconds, and an endless one 250 years in its direction",
        arguments: [
            (.zero, 0), (.nanoseconds(-3), -3), (.milliseconds(1500), 1_500_000_000),
            (.seconds(-2), -2_000_000_000), (.seconds(Int64.max), 7_884_000_000_000_000_000),
            (.seconds(Int64.min), -7_884_000_000_000_000_000),
        ] as [(Duration, Int64)]
    )
    func limits(duration: Duration, nanoseconds: Int64) {
        #expect(duration.limitedNanoseconds == nanoseconds)
    }
}
