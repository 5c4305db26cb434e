import HTTPCore

/// What a server's certificate is for: one host's name, or one address.
public struct ServerName: Sendable, Hashable, CustomStringConvertible {
    /// A name in lower case, or the 4 or 16 octets of an address.
    let octets: [UInt8]
    public let isAddress: Bool
    public let description: String

    /// A host as in a URI or an SNI: a name with or without the dot at its end, or an address, IPv6 in brackets.
    ///
    /// Nil where no certificate can be for it: labels are letters, digits, `-` and `_`, at most 63 octets each and 253 in
    /// all.
    public init?(host: [UInt8]) {
        if let address = IPAddress(host: host.span) {
            octets = address.octets
            isAddress = true
            description = address.description
            return
        }
        var name = host.map(\.asciiLowercased)
        if name.last == UInt8(ascii: ".") { name.removeLast() }
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...253).contains(name.count), labels.allSatisfy(Self.isLabel) else { return nil }
        // All digits: an address nobody reads the same way (RFC 6943 §3.1.1).
        guard let last = labels.last, !last.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        octets = name
        isAddress = false
        description = String(decoding: name, as: UTF8.self)
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        (1...63).contains(label.count)
            && label.allSatisfy { octet in
                octet &- 0x61 < 26 || octet &- 0x30 < 10 || octet == UInt8(ascii: "-") || octet == UInt8(ascii: "_")
            }
    }
}
