import HTTPCore
import Platform

/// The clocks of a loop, each read at most once per turn; or a manual clock, which tests move.
struct LoopClock {
    private var cached: MonotonicTime?
    private var cachedWall: HTTPDate?
    /// The time of a manual clock; nil: use the system's clocks.
    var manual: MonotonicTime?

    var isReal: Bool { manual == nil }

    mutating func invalidate() {
        cached = nil
        cachedWall = nil
    }

    mutating func now() -> MonotonicTime {
        if let time = cached ?? manual { return time }
        let time = MonotonicTime.now
        cached = time
        return time
    }

    mutating func wallNow() -> HTTPDate {
        if let manual { return HTTPDate(seconds: manual.nanoseconds / 1_000_000_000) }
        if let date = cachedWall { return date }
        let date = HTTPDate.now
        cachedWall = date
        return date
    }
}
