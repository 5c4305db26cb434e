import Eventing
import Exchanges
import HTTPCore
import TransportSecurity

extension ExchangeFailure {
    /// No connection could be made.
    init(_ error: ConnectError) {
        self.init(Kind(rawValue: error.proxyErrorType) ?? .destinationUnavailable, error.userMessage)
        if case .parent = error.reason { ownStatus = error.status }
        receivedStatus = error.receivedStatus
        isOfParent = error.isOfParent
        alert = error.alert.map { ProxyStatus.Alert($0) }
    }

    /// A proxy on the route requires a login, which our settings must supply, not the client.
    init(refusedBy parent: ParentProxy) {
        let fault = ParentFault.refused(status: 407)
        self.init(.destinationUnavailable, "the proxy \(parent.text) does not let us through: \(fault.sentence)")
        receivedStatus = 407
        ownStatus = fault.status
        isOfParent = true
    }

    /// TLS failed on an established connection.
    init(_ error: TLSError) {
        self.init(
            Kind(rawValue: error.proxyErrorType) ?? .connectionTerminated,
            "the connection to the origin broke: " + error.sentence,
            requestMayHaveArrived: true
        )
        alert = error.alert.map { ProxyStatus.Alert($0) }
    }

    /// No connection may be made at present.
    static func connectionLimit(_ message: String) -> ExchangeFailure {
        ExchangeFailure(.connectionLimitReached, message + "; more are allowed by upstream.connections-per-origin")
    }

    /// The response cannot be read.
    init(_ error: ParseError) {
        self.init(
            Kind(rawValue: error.proxyErrorType.rawValue) ?? .protocolError,
            "the origin's response cannot be used: " + error.userMessage,
            requestMayHaveArrived: true
        )
    }
}

extension ProxyStatus.Alert {
    fileprivate init(_ number: UInt8) { self.init(id: number, name: TLSAlert.name(number)) }
}
