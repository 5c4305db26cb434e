/// The origin server of a reverse proxy.
public struct GatewayOrigin: Sendable, Hashable, CustomStringConvertible {
    public let isSecure: Bool
    /// Lower-cased; an IPv6 literal keeps its brackets.
    public let host: String
    public let port: UInt16

    /// Reads `http://HOST[:PORT]` or `https://HOST[:PORT]`, with or without a `/` at the end; nil for anything else.
    public init?(text: String) {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let lowered = text.lowercased()
        isSecure = lowered.hasPrefix("https://")
        guard isSecure || lowered.hasPrefix("http://") else { return nil }
        var authority = lowered.dropFirst(isSecure ? 8 : 7)
        if authority.hasSuffix("/") { authority = authority.dropLast() }
        guard let location = HostAndPort(text: authority) else { return nil }
        host = location.host
        port = location.port ?? (isSecure ? 443 : 80)
    }

    public var description: String {
        let scheme = isSecure ? "https" : "http"
        return port == (isSecure ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}

enum HostName {
    /// Labels of letters, digits, `-` and `_`, 63 bytes each, 253 in all (H-140).
    static func isValid(_ name: String) -> Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return name.utf8.count <= 253 && !name.isEmpty
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(isLabelByte)
            }
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
