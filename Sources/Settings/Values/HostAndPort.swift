import HTTPCore

/// The authority of a URL without user information.
struct HostAndPort: Equatable {
    /// Lower-cased; an IPv6 literal keeps its brackets.
    let host: String
    let port: UInt16?

    /// Reads `HOST` or `HOST:PORT`, port 0 excluded.
    init?(text: some StringProtocol) {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let authority = text.lowercased()[...]
        let hostEnd = authority.utf8.firstIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        let colon = authority[hostEnd...].utf8.firstIndex(of: UInt8(ascii: ":"))
        host = String(authority[..<(colon ?? authority.endIndex)])
        guard Self.isHost(host) else { return nil }
        guard let colon else {
            port = nil
            return
        }
        guard let port = ListenAddress.port(authority[colon...].dropFirst()), port != 0 else { return nil }
        self.port = port
    }

    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            guard host.hasSuffix("]"), let address = IPAddress(text: String(host.dropFirst().dropLast())) else {
                return false
            }
            return !address.isIPv4
        }
        return HostName.isValid(host)
    }
}
