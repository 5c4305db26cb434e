import Exchanges
import HTTPCore
import ResourceCore

extension LatestError {
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
        self.init(failure, cause: error, at: error.timestamp, limitsRetries: true)
    }
}
