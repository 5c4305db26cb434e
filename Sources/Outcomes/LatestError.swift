package import Exchanges
package import HTTPCore

/// How the last load of a resource failed, for programs and for clients.
package struct LatestError: Sendable {
    package let failure: ResourceError
    /// The cause, if a request of a program reported one.
    package let cause: (any Error)?
    /// When, on the wall clock.
    package let timestamp: Timestamp
    /// Whether it prevents loads for the retry time; an invalidation lifts that (S-041).
    package var limitsRetries: Bool

    package init(_ failure: ResourceError, cause: (any Error)? = nil, at timestamp: Timestamp, limitsRetries: Bool) {
        self.failure = failure
        self.cause = cause
        self.timestamp = timestamp
        self.limitsRetries = limitsRetries
    }

    /// When it happened; the retry time counts from here.
    package var time: MonotonicTime { failure.time }
}
