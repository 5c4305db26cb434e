/// Where a Redis server listens.
public enum ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address, IPv6 without brackets.
    case host(String, port: UInt16)
    /// The path of a Unix socket.
    case socket(String)

    /// Reads `host:port`, IPv6 in brackets.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard Self.isHost(host) else { return nil }
        self = .host(String(host), port: port)
    }

    /// The target of a redirection, which has IPv6 without brackets; nil without host, or for what is no address.
    init?(redirection text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]),
            Self.isHost(text[..<colon])
        else { return nil }
        self = .host(String(text[..<colon]), port: port)
    }

    /// A host as a server names it; nil for what is none.
    init?(host: String, port: Int64) {
        guard Self.isHost(host[...]), let port = UInt16(exactly: port), port > 0 else { return nil }
        self = .host(host, port: port)
    }

    private static func port(_ digits: Substring) -> UInt16? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
            port > 0
        else { return nil }
        return port
    }

    private static func isHost(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= 255
            && text.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F: true
                default: false
                }
            }
    }

    /// The host as connections want it, IPv6 in brackets.
    var authority: String? {
        guard case .host(let host, _) = self else { return nil }
        return host.contains(":") ? "[\(host)]" : host
    }

    public var description: String {
        switch self {
        case .host(_, let port): "\(authority ?? ""):\(port)"
        case .socket(let path): path
        }
    }
}
