import HTTPCore

/// A client's Accept-Encoding (RFC 9110 §12.5.3).
struct AcceptEncoding {
    /// The weights of the named codings, in thousandths; the first weight of a coding counts.
    private var named: [(name: [UInt8], weight: Int)] = []
    /// The weight of `*`.
    private var anyWeight: Int?
    /// Whether the request has the field.
    private let isPresent: Bool

    init(_ request: Fields) {
        isPresent = request.contains(.acceptEncoding)
        for member in ListMembers.members(of: .acceptEncoding, in: request) { note(member) }
    }

    /// The coding that the client prefers: the one with the highest weight, and among equals the first of `offered`.
    ///
    /// Nil means identity. Identity wins if its weight is higher, or if the client names no offered coding: a client
    /// that can decode says so.
    func best(of offered: [ContentCoding]) -> ContentCoding? {
        guard isPresent else { return nil }
        var best: (coding: ContentCoding, weight: Int)?
        for coding in offered {
            let weight = weight(of: coding)
            if weight > (best?.weight ?? 0) { best = (coding, weight) }
        }
        guard let best else { return nil }
        if let identity = weight(of: "identity"), identity > best.weight { return nil }
        return best.coding
    }

    /// Whether the client refuses uncoded content: `identity;q=0`, or `*;q=0` without `identity`.
    var forbidsIdentity: Bool { (weight(of: "identity") ?? anyWeight) == 0 }

    private func weight(of coding: ContentCoding) -> Int {
        if let weight = weight(of: coding.rawValue) { return weight }
        if coding == .gzip, let weight = weight(of: "x-gzip") { return weight }
        return anyWeight ?? 0
    }

    private func weight(of name: String) -> Int? {
        named.first { $0.name.elementsEqual(name.utf8) }?.weight
    }

    private mutating func note(_ member: [UInt8]) {
        let parts = member.split(separator: 0x3B, omittingEmptySubsequences: false).map(Self.trimmed)
        guard let name = parts.first, Token.isToken(name.span) else { return }
        var weight = 1000
        for part in parts.dropFirst() where part.count >= 2 && part[0] | 0x20 == 0x71 && part[1] == 0x3D {
            // A malformed weight excludes the coding.
            weight = Self.weight(part.dropFirst(2)) ?? 0
        }
        if name == [0x2A] {
            anyWeight = anyWeight ?? weight
        } else {
            named.append((name.map(\.asciiLowercased), weight))
        }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let start = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        guard let last = start.lastIndex(where: { $0 != 0x20 && $0 != 0x09 }) else { return [] }
        return Array(start[...last])
    }

    /// A `qvalue` (RFC 9110 §12.4.2) in thousandths.
    private static func weight(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first, first == 0x30 || first == 0x31, bytes.count <= 5 else { return nil }
        var weight = first == 0x31 ? 1000 : 0
        let rest = bytes.dropFirst()
        guard rest.first ?? 0x2E == 0x2E else { return nil }
        var unit = 100
        for digit in rest.dropFirst() {
            guard digit &- 0x30 < 10 else { return nil }
            weight += Int(digit - 0x30) * unit
            unit /= 10
        }
        return weight <= 1000 ? weight : nil
    }
}
