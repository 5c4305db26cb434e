import HTTPCore

/// The reply to a request of SOCKS5 (RFC 1928 §6).
public enum SOCKSReply: UInt8, Sendable {
    case succeeded = 0
    case failed = 1
    case notAllowed = 2
    case networkUnreachable = 3
    case hostUnreachable = 4
    case connectionRefused = 5
    case commandNotSupported = 7
    case addressTypeNotSupported = 8

    /// The reply with the meaning of a response to CONNECT.
    init(status: UInt16, error: ProxyErrorType?) {
        switch error {
        case .connectionRefused: self = .connectionRefused
        case .destinationIPUnroutable: self = .networkUnreachable
        case .dnsError, .dnsTimeout, .destinationNotFound, .connectionTimeout: self = .hostUnreachable
        case .destinationIPProhibited, .httpRequestDenied, .proxyLoopDetected: self = .notAllowed
        default: self = Self(status: status)
        }
    }

    private init(status: UInt16) {
        switch status {
        case 200..<300: self = .succeeded
        case 403, 405, 407, 421: self = .notAllowed
        default: self = .failed
        }
    }

    /// The whole message; the address in it is unspecified, since our own end is of no use to a client.
    var bytes: [UInt8] { [SOCKSHandshake.version, rawValue, 0, 1, 0, 0, 0, 0, 0, 0] }
}

/// How a client of SOCKS named its target.
public enum SOCKSAddressing: Sendable {
    case name
    /// The name, if there is one, is only in what the client sends behind.
    case address
}

/// Whether a client may use SOCKS on a listener.
public enum SOCKSAccess: Sendable {
    /// The listener does not speak it: the bytes are judged as HTTP.
    case off
    /// Without login.
    case open
    /// Only with login. User name and password (RFC 1929) are not offered, so such clients are refused by 0xFF.
    case withLogin
}

/// Why a client's SOCKS is refused before it is known where it wants to go.
public enum SOCKSFault: String, Error, Sendable, CaseIterable {
    /// SOCKS4 or 4a.
    case version4
    /// Bytes that begin as SOCKS5 and go on otherwise.
    case version
    /// The client accepts no method that is open to it.
    case method
    /// BIND, UDP ASSOCIATE or an unknown command.
    case command
    /// Neither IPv4, IPv6 nor a name.
    case addressType = "address-type"
    /// A host that is no name and no address, or port 0.
    case target

    /// What the client gets before the connection ends.
    var answer: [UInt8] {
        switch self {
        case .version4: [0, 0x5B, 0, 0, 0, 0, 0, 0]
        case .method: [SOCKSHandshake.version, 0xFF]
        case .version, .target: SOCKSReply.failed.bytes
        case .command: SOCKSReply.commandNotSupported.bytes
        case .addressType: SOCKSReply.addressTypeNotSupported.bytes
        }
    }

    /// A sentence for people, with the remedy.
    public var userMessage: String {
        switch self {
        case .version4: "the client speaks SOCKS4; give it a URL with socks5:// or socks5h://"
        case .version: "the client's SOCKS is not of version 5 throughout"
        case .method:
            "the client and this listener have no SOCKS method in common; the listener wants `no authentication`"
        case .command: "the client wants another command of SOCKS than CONNECT; BIND and UDP are not offered"
        case .addressType: "the client names its target by an address type that SOCKS5 does not know"
        case .target: "the target that the client names by SOCKS is no host name, no address or port 0"
        }
    }
}
