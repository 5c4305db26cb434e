import Glibc

extension Timestamp {
    /// What the system's wall clock shows.
    ///
    /// Resources take the time from their table's `Timekeeper`; this is for values that programs make themselves.
    public static var now: Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(sinceEpoch: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }
}
