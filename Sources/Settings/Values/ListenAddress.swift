public import HTTPCore

/// Where connections are accepted: an address with a port, or the path of a Unix socket.
public enum ListenAddress: Sendable, Hashable {
    /// Port 0 asks the system for a free one.
    case tcp(IPAddress, port: UInt16)
    /// An address with a port, for TLS.
    case tls(IPAddress, port: UInt16)
    case unix(path: String)

    /// Reads `127.0.0.1:3128`, `[::1]:3128`, `localhost:3128` or `unix:PATH`; nil for anything else.
    ///
    /// `localhost` is the IPv4 loopback address. An address may follow `http://` or `https://`.
    public init?(text: String) {
        for (scheme, isSecure) in [("http://", false), ("https://", true)] where text.hasPrefix(scheme) {
            let rest = text.dropFirst(scheme.count)
            guard case .tcp(let address, let port)? = Self(plain: String(rest.hasSuffix("/") ? rest.dropLast() : rest))
            else { return nil }
            self = isSecure ? .tls(address, port: port) : .tcp(address, port: port)
            return
        }
        self.init(plain: text)
    }

    private init?(plain text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            // 108 bytes with the terminator: sockaddr_un.
            guard !path.isEmpty, path.utf8.count < 108, !path.utf8.contains(0) else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), let port = Self.port(text[colon...].dropFirst())
        else {
            return nil
        }
        var host = String(text[..<colon])
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        guard let address = IPAddress(text: host == "localhost" ? "127.0.0.1" : host), address.isIPv4 != isBracketed
        else {
            return nil
        }
        self = .tcp(address, port: port)
    }

    /// Whether only programs on this machine can connect to it.
    public var isLocal: Bool {
        switch self {
        case .tcp(let address, _), .tls(let address, _): address.isLoopback
        case .unix: true
        }
    }

    /// Whether it is for TLS.
    public var isSecure: Bool { if case .tls = self { true } else { false } }

    /// The address to bind, without TLS.
    public var endpoint: ListenAddress {
        if case .tls(let address, let port) = self { .tcp(address, port: port) } else { self }
    }

    static func port(_ text: Substring) -> UInt16? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
            return nil
        }
        return UInt16(text)
    }
}

extension ListenAddress: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tcp(let address, let port): address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
        case .tls: "https://\(endpoint)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
