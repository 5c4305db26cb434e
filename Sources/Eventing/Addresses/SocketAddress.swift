public import HTTPCore

/// An address that a socket is bound or connected to.
public enum SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// `scope` is the index of the interface that a link-local IPv6 address belongs to, otherwise 0.
    case ip(IPAddress, port: UInt16, scope: UInt32)
    /// A path; empty for the unnamed end of a connection.
    case unix(path: String)

    public static func ip(_ address: IPAddress, port: UInt16) -> SocketAddress { .ip(address, port: port, scope: 0) }

    /// Reads `127.0.0.1:3128`, `[::1]:3128` or `unix:PATH`; returns nil for any other text.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            return nil
        }
        var host = String(text[..<colon])
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        guard let address = IPAddress(text: host), address.isIPv4 != isBracketed else { return nil }
        self = .ip(address, port: port)
    }

    public var port: UInt16? {
        if case .ip(_, let port, _) = self { return port }
        return nil
    }

    public var ipAddress: IPAddress? {
        if case .ip(let address, _, _) = self { return address }
        return nil
    }

    /// Whether only this machine reaches it: a loopback address or a Unix socket.
    ///
    /// An IPv6 address that embeds a loopback address does not count: it may belong to another machine.
    public var isLocalOnly: Bool { ipAddress?.isLoopback ?? true }

    /// The text that `init(_:)` parses.
    public var description: String {
        switch self {
        case .ip(.v4, let port, _): "\(ipText):\(port)"
        case .ip(.v6, let port, _): "[\(ipText)]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    private var ipText: String { ipAddress.map(\.description) ?? "" }
}
