import HTTPCore

/// How fast the content of a response must be received.
struct ResponsePace {
    /// The most time between two bytes.
    private(set) var idleTimeout: Duration
    /// Bytes that must be received in a minute; 0: any number.
    private var minimumRate: Int
    private let period: Duration
    private var rate = ContentRate()

    init(_ limits: borrowing UpstreamLimits) {
        idleTimeout = limits.idleTimeout
        minimumRate = limits.minimumRate
        period = limits.ratePeriod
    }

    /// Allows an event stream to be quiet.
    mutating func allowEventStream(_ limits: borrowing UpstreamLimits) {
        minimumRate = 0
        idleTimeout = max(idleTimeout, limits.eventStreamIdleTimeout)
    }

    mutating func note(_ bytes: Int) { rate.note(bytes) }

    /// Stops the measurement while nothing is read.
    mutating func pause() { rate.pause() }

    mutating func isTooSlow(at now: MonotonicTime) -> Bool {
        minimumRate > 0 && rate.isTooLow(at: now, minimum: minimumRate, period: period)
    }
}
