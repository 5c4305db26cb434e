public import HTTPCore

/// The address of a name server.
public struct NameServer: Sendable, Hashable, CustomStringConvertible {
    /// The port of DNS (RFC 1035 §4.2).
    private static let usualPort: UInt16 = 53

    public var address: IPAddress
    public var port: UInt16

    /// Reads `9.9.9.9`, `9.9.9.9:5353`, `2001:db8::1` or `[2001:db8::1]:5353`; nil for any other text.
    public init?(text: String) {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        if let address = IPAddress(text: isBracketed ? String(text.dropFirst().dropLast()) : text) {
            guard !isBracketed || !address.isIPv4 else { return nil }
            (self.address, port) = (address, Self.usualPort)
            return
        }
        guard !text.hasPrefix("localhost"), case .tcp(let address, let port)? = ListenAddress(text: text), port > 0,
            !text.contains("/")
        else { return nil }
        (self.address, self.port) = (address, port)
    }

    /// The text that `init` reads, without the default port.
    public var description: String {
        guard port != Self.usualPort else { return address.description }
        return address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    }
}
