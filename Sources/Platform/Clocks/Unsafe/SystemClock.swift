import CLinux
import LibC

/// The system's clocks; nothing else in this package reads them.
///
/// It returns plain numbers, so that this target needs no type of HTTP. `MonotonicTime.now` and `HTTPDate.now` of
/// Eventing and `Timestamp.now` of Exchanges wrap them.
public enum SystemClock {
    /// Nanoseconds on the clock that never jumps and counts on while the machine sleeps (`CLOCK_BOOTTIME`).
    public static func monotonicNanoseconds() -> Int64 { nanoseconds(CLOCK_BOOTTIME) }

    /// Nanoseconds on the clock that never jumps, and stops while the machine sleeps (`CLOCK_MONOTONIC`).
    ///
    /// Condition variables wait by it, and service managers require it.
    public static func awakeNanoseconds() -> Int64 { nanoseconds(CLOCK_MONOTONIC) }

    /// The wall clock: the time since 1970 UTC.
    public static func wall() -> Duration {
        let time = time(of: CLOCK_REALTIME)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The wall clock in milliseconds since 1970 UTC, for logs and events.
    public static func wallMilliseconds() -> Int64 { nanoseconds(CLOCK_REALTIME) / 1_000_000 }

    /// The wall clock in whole seconds since 1970 UTC.
    ///
    /// The kernel returns the time of its last tick, which costs less than the exact time.
    public static func wallSeconds() -> Int64 { Int64(LibC.time(nil)) }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        let time = time(of: clock)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func time(of clock: clockid_t) -> timespec {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time
    }
}
