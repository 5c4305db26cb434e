public import HTTPCore
import Locking

/// Limits the rate of requests: surplus ones wait for their turn, or are refused.
///
/// Safe from any thread. It is the generic cell rate algorithm, with one arithmetic step for each request, however many
/// wait.
public final class RateLimiter: Sendable {
    /// The allowed rate.
    public struct Rate: Sendable, Equatable {
        /// The number of requests in each `interval`; at least 1.
        public var requests: Int
        public var interval: Duration
        /// The number of requests that may be sent at once after a pause; at least 1.
        public var burst: Int
        /// The longest time that a request waits for its turn; one that would wait longer is refused at once.
        public var maximumWait: Duration

        public init(requests: Int, interval: Duration, burst: Int, maximumWait: Duration) {
            self.requests = max(1, requests)
            self.interval = max(.milliseconds(1), interval)
            self.burst = max(1, burst)
            self.maximumWait = max(.zero, maximumWait)
        }

        /// The time between two requests of a steady stream.
        var spacing: Duration { interval / requests }
    }

    enum Admission: Equatable {
        /// The request may be sent after this time.
        case after(Duration)
        /// Its turn would come too late; try again after this time.
        case refused(retryAfter: Duration)
    }

    public let rate: Rate
    /// The name of its rule or service, for messages.
    public let name: String
    /// The time at which a steady stream would have sent all admitted requests.
    private let horizon = Lock<MonotonicTime?>(nil)

    public init(_ rate: Rate, name: String) {
        self.rate = rate
        self.name = name
    }

    /// Admits a request, or refuses it.
    func admit(at now: MonotonicTime) -> Admission {
        horizon.withLock { horizon in
            let end = max(horizon ?? now, now)
            let wait = max(.zero, (end - now) - rate.spacing * (rate.burst - 1))
            guard wait <= rate.maximumWait else { return .refused(retryAfter: wait - rate.maximumWait) }
            horizon = end + rate.spacing
            return .after(wait)
        }
    }

    /// How long a request that came now would wait for its turn.
    public func wait(at now: MonotonicTime) -> Duration {
        let end = horizon.withLock { $0 } ?? now
        return max(.zero, (end - now) - rate.spacing * (rate.burst - 1))
    }

    /// Withdraws a request that was admitted but is not sent.
    func withdraw() { horizon.withLock { $0 = $0.map { $0 + (.zero - rate.spacing) } } }
}
