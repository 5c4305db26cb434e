import HTTPCore
import Synchronization

/// Counts durations in fixed classes; safe from any thread.
public final class Histogram: Sendable {
    /// Upper bounds in nanoseconds.
    ///
    /// Each class includes its bound; the last class has no bound. From 10 µs, a hit, to 30 s, a slow origin.
    static let bounds: [Int64] = [
        10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000,
        50_000_000, 100_000_000,
        250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
        30_000_000_000,
    ]

    private let counts: [HistogramClass]
    private let nanoseconds = Atomic<Int>(0)

    public init() { counts = (0...Self.bounds.count).map { _ in HistogramClass() } }

    /// Counts one duration; a negative one counts as 0.
    public func observe(_ duration: Duration) { observe(nanoseconds: duration.wholeNanoseconds) }

    /// Counts a duration; a negative one counts as 0.
    ///
    /// - Parameter times: how many observations it stands for.
    public func observe(nanoseconds value: Int64, times: Int = 1) {
        let value = max(0, value)
        let index = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        counts[index].count.wrappingAdd(times, ordering: .relaxed)
        nanoseconds.wrappingAdd(Int(value) &* times, ordering: .relaxed)
    }

    /// The observations so far.
    public var snapshot: Snapshot {
        Snapshot(
            counts: counts.map { $0.count.load(ordering: .relaxed) },
            nanoseconds: nanoseconds.load(ordering: .relaxed)
        )
    }

    /// The state of a histogram at one moment.
    public struct Snapshot: Sendable, Equatable {
        /// The observations of each class, not cumulative.
        public var counts: [Int]
        /// The sum of all durations.
        public var nanoseconds: Int

        /// The number of observations.
        public var total: Int { counts.reduce(0, &+) }
    }
}

/// One class of a histogram.
private final class HistogramClass: Sendable {
    let count = Atomic<Int>(0)
}
