import Exchanges
import HTTPCore

/// How the last load of a resource failed, as programs see it and as the wire does.
struct LatestError: Sendable {
    let failure: ResourceError
    /// What a program's own request says of it.
    let cause: (any Error)?
    /// When, on the wall clock.
    let timestamp: Timestamp
    /// Whether nothing is loaded for the retry time; an invalidation does away with that (S-041).
    var limitsRetries: Bool

    init(_ failure: ResourceError, cause: (any Error)? = nil, at timestamp: Timestamp, limitsRetries: Bool) {
        self.failure = failure
        self.cause = cause
        self.timestamp = timestamp
        self.limitsRetries = limitsRetries
    }

    /// When it happened: what the retry time is judged by.
    var time: MonotonicTime { failure.time }
}
