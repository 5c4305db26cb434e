import HTTPCore
import Testing

/// How much content comes in a period (H-126).
@Suite struct ContentRateTests {
    private static func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    @Test(
        "the period begins with the first look; what came before does not count",
        arguments: [(239, true), (240, false)]
    )
    func period(bytes: Int, isTooLow: Bool) {
        var rate = ContentRate()
        rate.note(10_000)
        #expect(rate.isTooLow(at: Self.at(10), minimum: 240) == false)
        rate.note(bytes)
        #expect(rate.isTooLow(at: Self.at(69), minimum: 240) == false)
        #expect(rate.isTooLow(at: Self.at(70), minimum: 240) == isTooLow)
        // The next one begins there, without bytes.
        rate.note(240)
        #expect(rate.isTooLow(at: Self.at(129), minimum: 240) == false)
        #expect(rate.isTooLow(at: Self.at(130), minimum: 240) == false)
        #expect(rate.isTooLow(at: Self.at(190), minimum: 240) == true)
    }

    @Test("while nothing is read no period runs")
    func pause() {
        var rate = ContentRate()
        #expect(rate.isTooLow(at: Self.at(0), minimum: 1) == false)
        rate.pause()
        #expect(rate.isTooLow(at: Self.at(100), minimum: 1) == false)
        #expect(rate.isTooLow(at: Self.at(159), minimum: 1) == false)
        #expect(rate.isTooLow(at: Self.at(160), minimum: 1) == true)
    }

    @Test("another period may be given")
    func otherPeriod() {
        var rate = ContentRate()
        #expect(rate.isTooLow(at: Self.at(0), minimum: 2, period: .seconds(5)) == false)
        rate.note(1)
        #expect(rate.isTooLow(at: Self.at(4), minimum: 2, period: .seconds(5)) == false)
        #expect(rate.isTooLow(at: Self.at(5), minimum: 2, period: .seconds(5)) == true)
    }
}
