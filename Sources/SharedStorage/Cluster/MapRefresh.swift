import HTTPCore

/// Decides when to ask a cluster for its map: one question at a time, with pauses between.
struct MapRefresh {
    private var backOff: BackOff
    private var isRunning = false
    /// After a map has come, none is asked for before this moment.
    private var restsUntil: MonotonicTime?
    private let rest: Duration
    /// Why the last one did not come.
    private(set) var failure: SharedFailure?

    init(first: Duration, longest: Duration) {
        rest = first
        backOff = BackOff(first: first, longest: longest)
    }

    func isDue(_ now: MonotonicTime) -> Bool { isRunning || backOff.isDue(now) }

    /// Whether to ask now.
    mutating func begin(at now: MonotonicTime) -> Bool {
        guard !isRunning, backOff.isDue(now), restsUntil.map({ now >= $0 }) ?? true else { return false }
        isRunning = true
        return true
    }

    mutating func succeed(at now: MonotonicTime) {
        isRunning = false
        failure = nil
        backOff.succeed()
        restsUntil = now + rest
    }

    mutating func fail(_ failure: SharedFailure, at now: MonotonicTime) {
        isRunning = false
        self.failure = failure
        backOff.fail(at: now)
    }
}
