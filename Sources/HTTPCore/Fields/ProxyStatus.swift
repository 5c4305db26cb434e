/// The member that this proxy adds to `Proxy-Status` (RFC 9209).
public struct ProxyStatus: Sendable, Equatable {
    /// An alert of TLS.
    public struct Alert: Sendable, Equatable {
        public var id: UInt8
        /// Its name in the registry, a token such as `handshake_failure`.
        public var name: String

        public init(id: UInt8, name: String) {
            self.id = id
            self.name = name
        }
    }

    public var error: ProxyErrorType?
    /// Host or address of the next hop.
    public var nextHop: [UInt8]?
    public var receivedStatus: UInt16?
    /// The alert that ended TLS with the next hop (§2.3.16).
    public var alert: Alert?
    /// A sentence for people.
    public var details: String?

    public init(
        error: ProxyErrorType? = nil,
        nextHop: [UInt8]? = nil,
        receivedStatus: UInt16? = nil,
        alert: Alert? = nil,
        details: String? = nil
    ) {
        self.error = error
        self.nextHop = nextHop
        self.receivedStatus = receivedStatus
        self.alert = alert
        self.details = details
    }

    /// The member, such as `respite; error=http_request_error; details="…"`.
    public var bytes: [UInt8] {
        var text = Array("respite".utf8)
        if let error { text += "; error=\(error.rawValue)".utf8 }
        if let nextHop {
            text += "; next-hop=".utf8
            Token.appendQuoted(nextHop, to: &text)
        }
        if let receivedStatus { text += "; received-status=\(receivedStatus)".utf8 }
        if let alert { text += "; alert-id=\(alert.id); alert-message=\(alert.name)".utf8 }
        if let details {
            text += "; details=".utf8
            Token.appendQuoted(Array(details.utf8), to: &text)
        }
        return text
    }

    public var text: String { String(decoding: bytes, as: UTF8.self) }
}
