import Eventing
import HTTPCore
import ResourceCore

extension ExchangeFailure {
    /// No connection came about.
    init(_ error: ConnectError) {
        self.init(Kind(rawValue: error.proxyErrorType) ?? .destinationUnavailable, error.userMessage)
    }

    /// The response cannot be read.
    init(_ error: ParseError) {
        self.init(
            Kind(rawValue: error.proxyErrorType.rawValue) ?? .protocolError,
            "the origin's response cannot be used: " + error.userMessage,
            responseHadBegun: true,
            requestMayHaveArrived: true
        )
    }
}
