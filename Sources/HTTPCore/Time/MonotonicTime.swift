/// A moment on a clock that never jumps, in nanoseconds since an arbitrary start.
///
/// The clock counts on while the machine sleeps. Timers use it, and ages within one run. It means nothing to another
/// process.
public struct MonotonicTime: Sendable, Hashable, Comparable {
    public var nanoseconds: Int64

    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    @inlinable
    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Adds a duration; saturates instead of wrapping.
    public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return MonotonicTime(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    public static func - (left: MonotonicTime, right: MonotonicTime) -> Duration {
        .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
    }

    /// Nanoseconds since `earlier`, at least 0.
    @inlinable
    public func nanoseconds(since earlier: MonotonicTime) -> Int64 {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return overflow ? 0 : max(0, difference)
    }

    /// Whole seconds since `earlier`, at least 0.
    @inlinable
    public func wholeSeconds(since earlier: MonotonicTime) -> Int64 {
        nanoseconds(since: earlier) / 1_000_000_000
    }
}

extension Duration {
    /// This duration in nanoseconds, saturated to 64 bits.
    public var wholeNanoseconds: Int64 {
        // Most durations take this path: one division of a non-negative number by a machine word.
        let (high, low) = (attoseconds >> 64, UInt64(truncatingIfNeeded: attoseconds))
        if let high = UInt64(exactly: high), high < 500_000_000 {
            return Int64(truncatingIfNeeded: UInt64(1_000_000_000).dividingFullWidth((high, low)).quotient)
        }
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflowed ? (seconds < 0 ? .min : .max) : sum
    }
}
