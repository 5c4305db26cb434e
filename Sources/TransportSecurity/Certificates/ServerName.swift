import HTTPCore

/// The subject of a server's certificate: one host's name, or one address.
public struct ServerName: Sendable, Hashable, CustomStringConvertible {
    /// A name in lower case, or the 4 or 16 bytes of an address.
    let bytes: [UInt8]
    public let isAddress: Bool
    public let description: String

    /// Parses a host as in a URI or an SNI: a name with or without a final dot, or an address, IPv6 in brackets.
    ///
    /// Nil if no certificate can be for it. Labels are letters, digits, `-` and `_`, at most 63 bytes each and 253 in
    /// all.
    public init?(host: [UInt8]) {
        if let address = IPAddress(host: host.span) {
            bytes = address.bytes
            isAddress = true
            description = address.description
            return
        }
        var name = host.map(\.asciiLowercased)
        if name.last == UInt8(ascii: ".") { name.removeLast() }
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...253).contains(name.count), labels.allSatisfy(Self.isLabel) else { return nil }
        // All digits: implementations read such an address differently (RFC 6943 §3.1.1).
        guard let last = labels.last, !last.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        bytes = name
        isAddress = false
        description = String(decoding: name, as: UTF8.self)
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        (1...63).contains(label.count)
            && label.allSatisfy { byte in
                byte &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }
}
