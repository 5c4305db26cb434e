import CLinux
import Glibc
public import HTTPCore

/// The system's clocks.
public enum Clock {
    /// The clock that never jumps and goes on while the machine sleeps.
    public static func monotonic() -> MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Microseconds of the clock that stands still while the machine sleeps, as a service manager is told them.
    public static func awakeMicroseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    /// The wall clock in whole seconds.
    public static func wall() -> HTTPDate { HTTPDate(seconds: Int64(time(nil))) }

    /// The wall clock in milliseconds since 1970, for logs and events.
    public static func wallMilliseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
