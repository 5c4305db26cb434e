package import HTTPCore
import Platform

/// A moment on the wall clock, finer than the whole seconds of HTTP's dates.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// The time since 1970 UTC.
    public var sinceEpoch: Duration

    public init(sinceEpoch: Duration) { self.sinceEpoch = sinceEpoch }

    /// - Parameter seconds: since 1970 UTC; NaN counts as 0, and a number too large for a duration as the largest one.
    public init(seconds: Double) {
        let limit = 1e15
        sinceEpoch = seconds.isNaN ? .zero : .seconds(min(max(seconds, -limit), limit))
    }

    package init(_ date: HTTPDate) { sinceEpoch = .seconds(date.seconds) }

    /// The time on the system's wall clock.
    ///
    /// Resources take the time from their table's `Timekeeper`; this is for values that programs make.
    public static var now: Timestamp { Timestamp(sinceEpoch: SystemClock.wall()) }

    /// 1970: earlier than anything that happened.
    public static let epoch = Timestamp(sinceEpoch: .zero)

    /// In seconds since 1970 UTC, as precisely as the type allows.
    public var seconds: Double {
        let (seconds, attoseconds) = sinceEpoch.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// The whole second that contains it.
    package var date: HTTPDate {
        let (seconds, attoseconds) = sinceEpoch.components
        return HTTPDate(seconds: attoseconds < 0 ? seconds - 1 : seconds)
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.sinceEpoch < right.sinceEpoch }
}
