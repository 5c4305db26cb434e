import Glibc
import Platform
import Testing

@Suite("The system's clocks") struct SystemClockTests {
    @Test("the wall clock is the same in each unit")
    func wall() {
        let seconds = Int64(time(nil))
        let wall = SystemClock.wall()
        #expect((0...60).contains(SystemClock.wallSeconds() - seconds))
        #expect((0...60).contains(wall.components.seconds - seconds))
        #expect((0...60_000).contains(SystemClock.wallMilliseconds() - seconds * 1000))
        #expect(wall >= .seconds(seconds))
    }

    @Test("the monotonic clocks have nanoseconds, and do not go back")
    func monotonic() {
        var time = timespec()
        for (clock, read) in [
            (CLOCK_BOOTTIME, SystemClock.monotonicNanoseconds), (CLOCK_MONOTONIC, SystemClock.awakeNanoseconds),
        ] as [(clockid_t, () -> Int64)] {
            clock_gettime(clock, &time)
            let before = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
            #expect((0...60_000_000_000).contains(read() - before))
        }
    }
}
