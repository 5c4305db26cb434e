import HTTPCore

/// A proxy through which connections are made.
public struct ParentProxy: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// Speaks HTTP/1.1, without TLS.
        case http
        /// SOCKS5 (RFC 1928); the proxy looks names up, or we do.
        case socks5(looksUpNames: Bool)
    }

    /// User name and password for the proxy.
    public struct Login: Sendable, Hashable {
        public var user: [UInt8]
        public var password: [UInt8]

        public init(user: [UInt8], password: [UInt8]) {
            self.user = user
            self.password = password
        }
    }

    public var kind: Kind
    /// A name, or an address literal, IPv6 in brackets.
    public var host: [UInt8]
    public var port: UInt16
    public var login: Login?

    public init(_ kind: Kind, host: [UInt8], port: UInt16, login: Login? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.login = login
    }

    /// Host and port, for messages; never the login.
    public var text: String { "\(String(decoding: host, as: UTF8.self)):\(port)" }

    /// The value of Proxy-Authorization (RFC 7617); nil without a login.
    public var authorization: [UInt8]? {
        login.map { Array("Basic ".utf8) + Base64.encode($0.user + [0x3A] + $0.password) }
    }
}

/// How to reach a target.
public enum ConnectRoute: Sendable, Hashable {
    case direct
    /// By a connection through the proxy to the target.
    case tunnel(ParentProxy)
    /// By requests to the proxy itself, each of which names its target.
    case relay(ParentProxy)

    public var parent: ParentProxy? {
        switch self {
        case .direct: nil
        case .tunnel(let parent), .relay(let parent): parent
        }
    }
}
