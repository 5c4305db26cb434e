import Exchanges
import HTTPCore

/// How the last load of a resource failed, as programs see it and as the wire does; never changes.
final class LatestError: Sendable {
    let failure: ResourceError
    private let cause: RequestError?
    /// When, on the wall clock.
    let timestamp: Timestamp

    /// A load over an exchange failed.
    init(_ failure: ResourceError, at timestamp: Timestamp) {
        self.failure = failure
        cause = nil
        self.timestamp = timestamp
    }

    /// A request of the program's failed; the retry time counts from when the error was made (S-164).
    ///
    /// An error of the program's own making tells that by its timestamp, unless that lies in the future.
    init(_ error: RequestError, _ context: ResourceContext) {
        let age = max(.zero, context.timestamp - error.timestamp)
        let kind = (error.cause as? RequestError.Cause.Network)?.kind
        var failure = ResourceError(
            status: error.httpStatusCode.flatMap { UInt16(exactly: $0) } ?? 502,
            kind: kind ?? (error.httpStatusCode == nil ? .internalError : nil),
            userMessage: error.userMessage,
            time: error.time ?? context.now + (.zero - age)
        )
        if let kind, error.httpStatusCode == nil { failure.status = ExchangeFailure(kind, "").status }
        self.failure = failure
        cause = error
        timestamp = error.timestamp
    }

    /// When it happened: what the retry time is judged by.
    var time: MonotonicTime { failure.time }
    var request: RequestError { cause ?? RequestError(failure, timestamp: timestamp) }
}
