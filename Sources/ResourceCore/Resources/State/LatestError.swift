package import Exchanges
package import HTTPCore

/// How the last load of a resource failed, as programs see it and as the wire does.
package struct LatestError: Sendable {
    package let failure: ResourceError
    /// What a program's own request says of it.
    package let cause: (any Error)?
    /// When, on the wall clock.
    package let timestamp: Timestamp
    /// Whether nothing is loaded for the retry time; an invalidation does away with that (S-041).
    package var limitsRetries: Bool

    package init(_ failure: ResourceError, cause: (any Error)? = nil, at timestamp: Timestamp, limitsRetries: Bool) {
        self.failure = failure
        self.cause = cause
        self.timestamp = timestamp
        self.limitsRetries = limitsRetries
    }

    init(_ failure: ResourceError, _ context: ResourceContext, limitsRetries: Bool = true) {
        self.init(failure, at: context.timestamp, limitsRetries: limitsRetries)
    }

    /// When it happened: what the retry time is judged by.
    package var time: MonotonicTime { failure.time }
}
