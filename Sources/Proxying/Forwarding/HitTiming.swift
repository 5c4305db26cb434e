import Eventing
import HTTPCore
import Observability

/// Measures hits of one loop, a few of them: one stands for those since the one before.
///
/// A hit reads no clock: the time of its loop's turn is enough to judge freshness. One in sixteen on average, at random
/// distances of up to 31, reads it once more. The distances are random, since clients send requests in rounds.
///
/// Bound to its loop.
final class HitTiming {
    private let durations: Histogram
    private var count = 0
    private var distance = 1
    private var random = RandomDistance()

    init(_ durations: Histogram) { self.durations = durations }

    /// - Parameter start: the time of the loop's turn.
    @inline(__always)
    func countHit(since start: MonotonicTime) {
        count &+= 1
        if count >= distance { measure(since: start) }
    }

    @inline(never)
    private func measure(since start: MonotonicTime) {
        durations.observe(nanoseconds: MonotonicTime.now.nanoseconds &- start.nanoseconds, times: count)
        count = 0
        distance = random.next(mean: 16)
    }
}
