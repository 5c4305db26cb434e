import CLinux
import Glibc

/// The time of day.
enum WallClock {
    /// Milliseconds since 1970 UTC.
    static func milliseconds() -> Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
