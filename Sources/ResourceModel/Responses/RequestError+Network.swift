import Exchanges
import HTTPCore
import ResourceCore

extension RequestError {
    /// An error for a failed load over an exchange.
    init(_ error: ResourceError, timestamp: Timestamp = .now) {
        let cause: (any Error)? = error.kind.map { Cause.Network($0, message: error.userMessage) }
        let head = error.kind == nil ? ResponseHead(status: error.status) : nil
        self.init(response: head, cause: cause, userMessage: error.userMessage, timestamp: timestamp)
        time = error.time
    }

    /// An error for an exchange that ended without a response.
    init(_ failure: ExchangeFailure, timestamp: Timestamp = .now) {
        self.init(
            cause: Cause.Network(failure.kind, message: failure.userMessage),
            timestamp: timestamp
        )
    }

    /// Converts a provider's error to a well-known cause, if it is one (S-161).
    static func known(_ cause: any Error) -> any Error {
        switch cause {
        case let failure as ExchangeFailure where failure.kind == .cancelled: Cause.RequestCancelled(failure)
        case let failure as ExchangeFailure: Cause.Network(failure.kind, message: failure.userMessage)
        case is CancellationError: Cause.RequestCancelled(cause)
        default: cause
        }
    }
}
