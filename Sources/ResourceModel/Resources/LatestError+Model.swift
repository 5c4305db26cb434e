import Exchanges
import HTTPCore
import Outcomes
import ResourceCore

extension LatestError {
    /// A program's request failed; the retry time counts from when its error was made (S-164).
    ///
    /// For an error that the program made, that is its timestamp, unless it lies in the future.
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
        self.init(failure, cause: error, at: error.timestamp, limitsRetries: true)
    }
}
