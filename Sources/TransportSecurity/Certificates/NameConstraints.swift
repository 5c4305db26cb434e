/// Hosts for which an authority may sign certificates.
public enum PermittedHost: Sendable, Hashable {
    /// A name in lower case, and all names below it.
    case name(String)
    /// The addresses whose first `prefixLength` bits equal those of `base`, which has 4 or 16 bytes.
    case addresses(base: [UInt8], prefixLength: Int)
}

/// The hosts for which an authority may sign: its name constraints (RFC 5280 §4.2.1.10).
public struct NameConstraints: Sendable, Hashable {
    /// A struct, since with an enum of arrays the tag inside the pointer would hide the array from leak checkers.
    struct Subtree: Sendable, Hashable {
        let isAddress: Bool
        /// A name in lower case; or an address, followed by a mask of the same length.
        ///
        /// A name with a leading dot means all names below it, an empty one every name.
        fileprivate let bytes: [UInt8]

        static func name(_ name: [UInt8]) -> Self { Self(isAddress: false, bytes: name) }

        /// - Parameter bytes: base and mask, as in certificates.
        static func addresses(_ bytes: [UInt8]) -> Self { Self(isAddress: true, bytes: bytes) }

        fileprivate var base: ArraySlice<UInt8> { bytes[..<(bytes.count / 2)] }
        fileprivate var mask: ArraySlice<UInt8> { bytes[(bytes.count / 2)...] }
    }

    var permitted: [Subtree]
    var excluded: [Subtree]

    /// A name that no host has (RFC 6761).
    ///
    /// An authority for this name alone may sign for no name.
    private static let noName = Array("invalid".utf8)

    init(permitted: [Subtree], excluded: [Subtree]) {
        self.permitted = permitted
        self.excluded = excluded
    }

    /// Permits only these hosts.
    ///
    /// Without names among them no name is permitted, and without addresses no address.
    init(_ hosts: [PermittedHost]) {
        permitted = hosts.map { host in
            switch host {
            case .name(let name): .name(Array(name.utf8))
            case .addresses(let base, let length): .addresses(base + Self.mask(length, count: base.count))
            }
        }
        let all = [4, 16].map { [UInt8](repeating: 0, count: 2 * $0) }
        excluded = permitted.contains { $0.isAddress } ? [] : all.map { .addresses($0) }
        if !permitted.contains(where: { !$0.isAddress }) { permitted.append(.name(Self.noName)) }
    }

    private static func mask(_ length: Int, count: Int) -> [UInt8] {
        (0..<count).map { index in
            let bits = min(8, max(0, length - index * 8))
            return bits == 0 ? 0 : 0xFF << UInt8(8 - bits)
        }
    }

    /// Whether names are limited at all.
    public var limitsNames: Bool { permitted.contains { !$0.isAddress } }

    /// Whether a certificate for this host is permitted.
    public func permits(_ host: ServerName) -> Bool {
        let kin = permitted.filter { $0.isAddress == host.isAddress }
        return (kin.isEmpty || kin.contains { $0.holds(host.bytes) }) && !excluded.contains { $0.holds(host.bytes) }
    }

    /// Whether certificates for all names below this one are permitted.
    public func permitsAll(below name: [UInt8]) -> Bool {
        let names = permitted.filter { !$0.isAddress }
        let below = Array("*.".utf8) + name
        return (names.isEmpty || names.contains { $0.holds(below) }) && !excluded.contains { $0.holds(below) }
    }

    /// The permitted hosts, such as `example.com` or `10.0.0.0/8`.
    public var texts: [String] { permitted.filter { $0 != .name(Self.noName) }.map(\.text) }

    /// As in OpenSSL's configuration files; has only letters, digits, `-`, `_`, dots and colons.
    var configuration: String {
        let parts = permitted.map { "permitted;\($0.configuration)" } + excluded.map { "excluded;\($0.configuration)" }
        return "critical," + parts.joined(separator: ",")
    }
}

extension NameConstraints.Subtree {
    func holds(_ host: [UInt8]) -> Bool {
        guard isAddress else {
            let dotted = bytes.first == 0x2E ? bytes : [0x2E] + bytes
            return bytes.isEmpty || host == bytes || host.suffix(dotted.count).elementsEqual(dotted)
        }
        return base.count == host.count && zip(zip(base, mask), host).allSatisfy { $0.0 & $0.1 == $1 & $0.1 }
    }

    fileprivate var text: String {
        guard isAddress else { return String(decoding: bytes, as: UTF8.self) }
        return "\(Self.text(base))/\(mask.reduce(0) { $0 + $1.nonzeroBitCount })"
    }

    fileprivate var configuration: String {
        guard isAddress else { return "DNS:" + String(decoding: bytes, as: UTF8.self) }
        return "IP:\(Self.text(base))/\(Self.text(mask))"
    }

    private static func text(_ address: ArraySlice<UInt8>) -> String {
        let bytes = Array(address)
        guard bytes.count == 16 else { return bytes.map { "\($0)" }.joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }
}
