import HTTPCore
import Locking

/// Lets so many requests through in a time, and some at once; the others wait their turn, or are refused.
///
/// Safe from any thread. One arithmetic step for each request, whatever waits: the time at which a bucket would be full
/// again says when the next request may go (the generic cell rate algorithm).
public final class RateLimiter: Sendable {
    /// What is allowed.
    public struct Rate: Sendable, Equatable {
        /// Requests in each `interval`; at least 1.
        public var requests: Int
        public var interval: Duration
        /// Requests that may go at once after a pause; at least 1.
        public var burst: Int
        /// How long a request may wait for its turn; who would have to wait longer is refused at once.
        public var maximumWait: Duration

        public init(requests: Int, interval: Duration, burst: Int, maximumWait: Duration) {
            self.requests = max(1, requests)
            self.interval = max(.milliseconds(1), interval)
            self.burst = max(1, burst)
            self.maximumWait = max(.zero, maximumWait)
        }

        /// Between two requests of a steady stream.
        var spacing: Duration { interval / requests }
    }

    enum Admission: Equatable {
        /// The request may go once this has passed.
        case after(Duration)
        /// Its turn would be too late; it might have one after this.
        case refused(retryAfter: Duration)
    }

    public let rate: Rate
    /// How people call it: the rule or service it is of.
    public let name: String
    /// When all that was let through would have gone in a steady stream.
    private let horizon = Lock<MonotonicTime?>(nil)

    public init(_ rate: Rate, name: String) {
        self.rate = rate
        self.name = name
    }

    /// Takes a place in the stream.
    func admit(at now: MonotonicTime) -> Admission {
        horizon.withLock { horizon in
            let end = max(horizon ?? now, now)
            let wait = max(.zero, (end - now) - rate.spacing * (rate.burst - 1))
            guard wait <= rate.maximumWait else { return .refused(retryAfter: wait - rate.maximumWait) }
            horizon = end + rate.spacing
            return .after(wait)
        }
    }

    /// A place was taken and not used.
    func giveBack() { horizon.withLock { $0 = $0.map { $0 + (.zero - rate.spacing) } } }
}
