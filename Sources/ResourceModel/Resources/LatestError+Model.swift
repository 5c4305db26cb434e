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
        // Only a status that is an error explains by itself what failed.
        let status = error.httpStatusCode.flatMap { $0 < 400 ? nil : UInt16(exactly: $0) }
        let kind = (error.cause as? RequestError.Cause.Network)?.kind
        let failure = ResourceError(
            status: status ?? ExchangeFailure(kind ?? .internalError, "").status,
            kind: kind ?? (status == nil ? .internalError : nil),
            userMessage: error.userMessage,
            time: error.time ?? context.now + (.zero - age)
        )
        self.init(failure, cause: error, at: error.timestamp, limitsRetries: true)
    }
}
