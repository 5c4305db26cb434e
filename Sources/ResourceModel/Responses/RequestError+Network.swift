import Exchanges
import HTTPCore
import Outcomes

extension RequestError {
    /// An error for a failed load over an exchange.
    init(_ error: ResourceError, timestamp: Timestamp = .now) {
        let message = ProgramTexts.text(error.userMessage)
        let cause: (any Error)? = error.kind.map { Cause.Network($0, message: message) }
        let head = error.kind == nil ? ResponseHead(status: error.status) : nil
        self.init(response: head, cause: cause, userMessage: message, timestamp: timestamp)
        time = error.time
    }

    /// An error for an exchange that ended without a response.
    init(_ failure: ExchangeFailure, timestamp: Timestamp = .now) {
        self.init(cause: Cause.Network(failure), timestamp: timestamp)
    }

    /// Converts a provider's error to a well-known cause, if it is one (S-161).
    static func known(_ cause: any Error) -> any Error {
        switch cause {
        case let failure as ExchangeFailure where failure.kind == .cancelled: Cause.RequestCancelled(failure)
        case let failure as ExchangeFailure: Cause.Network(failure)
        case is CancellationError: Cause.RequestCancelled(cause)
        default: ForeignErrors.cause(cause) ?? cause
        }
    }
}

extension RequestError.Cause.Network {
    fileprivate init(_ failure: ExchangeFailure) {
        self.init(failure.kind, message: ProgramTexts.text(failure.userMessage), underlying: failure)
    }
}
