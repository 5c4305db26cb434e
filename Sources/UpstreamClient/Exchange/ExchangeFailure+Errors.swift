import Eventing
import HTTPCore
import ResourceCore
import TransportSecurity

extension ExchangeFailure {
    /// No connection came about.
    init(_ error: ConnectError) {
        self.init(Kind(rawValue: error.proxyErrorType) ?? .destinationUnavailable, error.userMessage)
    }

    /// TLS broke on a connection that stood.
    init(_ error: TLSError, responseHadBegun: Bool) {
        self.init(
            Kind(rawValue: error.proxyErrorType) ?? .connectionTerminated,
            "the connection to the origin broke: " + error.sentence,
            responseHadBegun: responseHadBegun,
            requestMayHaveArrived: true
        )
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
