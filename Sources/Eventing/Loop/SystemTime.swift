public import HTTPCore
import Platform

extension MonotonicTime {
    /// The time on the clock that never jumps and counts on while the machine sleeps.
    public static var now: MonotonicTime { MonotonicTime(nanoseconds: SystemClock.monotonicNanoseconds()) }
}

extension HTTPDate {
    /// The wall clock in whole seconds.
    public static var now: HTTPDate { HTTPDate(seconds: SystemClock.wallSeconds()) }
}
