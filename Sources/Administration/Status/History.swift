public import HTTPCore
import Locking

/// What the daemon did lately, in a fixed number of samples.
///
/// There is one every 5 s for 5 minutes, every minute for an hour, and every 10 minutes for a day. A sample has
/// counters since the start; the difference of two is what happened between them.
public final class History: Sendable {
    /// Counters and sizes at one moment.
    public struct Sample: Sendable, Equatable {
        public var time = MonotonicTime(nanoseconds: 0)
        public var traffic = TrafficStatistics()
        /// Bytes of stored responses in memory, and in the store.
        public var memory = 0
        public var store: Int64 = 0
        public var connections = 0

        public init() {}
    }

    /// Samples at equal distances; the oldest goes.
    struct Series: Sendable {
        let step: Duration
        let limit: Int
        private(set) var samples: [Sample] = []

        init(step: Duration, limit: Int) {
            self.step = step
            self.limit = limit
            samples.reserveCapacity(limit)
        }

        /// Keeps a sample unless it comes too early: timers may be somewhat off.
        mutating func add(_ sample: Sample) {
            if let last = samples.last, sample.time - last.time < step - .seconds(1) { return }
            if samples.count == limit { samples.removeFirst() }
            samples.append(sample)
        }
    }

    /// How often to call `record`.
    public static let step = Duration.seconds(5)

    private let state = Lock([
        Series(step: History.step, limit: 60), Series(step: .seconds(60), limit: 60),
        Series(step: .seconds(600), limit: 144),
    ])

    public init() {}

    var series: [Series] { state.withLock { $0 } }

    /// Keeps a sample.
    public func record(_ sample: Sample) {
        state.withLock { series in
            for index in series.indices { series[index].add(sample) }
        }
    }
}
