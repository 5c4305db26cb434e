import HTTPCore

/// Brings selecting request fields to a normal form (RFC 9111 §4.1), so that values with the same meaning are equal
/// bytes.
enum FieldNormalization {
    /// The normal form of all lines named `name` (lower-cased); nil if there is none.
    static func value(of name: [UInt8], _ known: KnownField?, in request: Fields) -> [UInt8]? {
        let lines = known.map { request.values(of: $0) } ?? request.values(named: name)
        guard !lines.isEmpty else { return nil }
        let plain = withoutBlanks(Array(lines.joined(separator: [0x2C])), around: [0x2C])
        switch known {
        case .acceptLanguage, .acceptEncoding: return weighted(plain.lowercased) ?? plain
        case .accept: return weighted(plain) ?? plain
        default: return plain
        }
    }

    /// The text without blanks around `separators`, except in quotes, and without blanks at its ends.
    private static func withoutBlanks(_ text: [UInt8], around separators: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var blanks: [UInt8] = []
        var isQuoted = false
        var isEscaped = false
        for byte in text {
            if !isQuoted, byte.isBlank {
                blanks.append(byte)
                continue
            }
            let isSeparator = !isQuoted && separators.contains(byte)
            if let last = result.last, !isSeparator, isQuoted || !separators.contains(last) {
                result.append(contentsOf: blanks)
            }
            blanks = []
            if byte == 0x22, !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == 0x5C && !isEscaped
            result.append(byte)
        }
        return result
    }

    // MARK: Lists with weights

    private struct Member {
        var name: [UInt8]
        /// In thousandths.
        var weight: Int
    }

    /// Sorts a list with `q` weights by descending weight, then by name; nil if it is no such list.
    ///
    /// The order of members of equal weight has no meaning (RFC 9110 §12.4.2).
    private static func weighted(_ list: [UInt8]) -> [UInt8]? {
        guard !list.contains(0x22) else { return nil }
        let tight = withoutBlanks(list, around: [0x2C, 0x3B])
        var members: [Member] = []
        for part in tight.split(separator: 0x2C) {
            guard let member = member(Array(part)) else { return nil }
            members.append(member)
        }
        members.sort { left, right in
            left.weight == right.weight
                ? left.name.lexicographicallyPrecedes(right.name) : left.weight > right.weight
        }
        return Array(members.map(text).joined(separator: [0x2C]))
    }

    private static func member(_ text: [UInt8]) -> Member? {
        let parts = text.split(separator: 0x3B, omittingEmptySubsequences: false).map { Array($0) }
        var kept: [[UInt8]] = []
        var weight = 1000
        for (index, part) in parts.enumerated() {
            if index > 0, part.count >= 2, part[0] | 0x20 == 0x71, part[1] == 0x3D {
                guard index == parts.count - 1, let value = thousandths(Array(part.dropFirst(2))) else { return nil }
                weight = value
            } else {
                kept.append(index == 0 ? part.lowercased : part)
            }
        }
        return Member(name: Array(kept.joined(separator: [0x3B])), weight: weight)
    }

    /// Parses a weight: `0` or `1` with up to three decimals (RFC 9110 §12.4.2).
    private static func thousandths(_ text: [UInt8]) -> Int? {
        guard let first = text.first, first == 0x30 || first == 0x31, text.count <= 5 else { return nil }
        guard text.count == 1 || text[1] == 0x2E else { return nil }
        var value = Int(first - 0x30)
        for index in 2..<5 {
            let digit = index < text.count ? text[index] &- 0x30 : 0
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value <= 1000 ? value : nil
    }

    private static func text(of member: Member) -> [UInt8] {
        member.weight == 1000 ? member.name : member.name + Array(";q=\(member.weight)".utf8)
    }
}
