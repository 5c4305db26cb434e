/// An IP address, parsed from text without a resolver.
public enum IPAddress: Sendable, Hashable {
    /// In host byte order.
    case v4(UInt32)
    /// The upper and lower half, in host byte order.
    case v6(UInt64, UInt64)

    /// Parses the host of a URI; nil unless it is dotted decimal, or IPv6 in brackets (RFC 3986 §3.2.2).
    public init?(host bytes: Span<UInt8>) {
        let count = bytes.count
        if count > 2, bytes[0] == 0x5B, bytes[count - 1] == 0x5D {
            guard let address = Self.v6(bytes, 1..<count - 1) else { return nil }
            self = address
        } else {
            guard let address = Self.v4(bytes, 0..<count) else { return nil }
            self = address
        }
    }

    /// The IPv4 address inside an IPv4-mapped one, otherwise this address.
    public var unmapped: IPAddress {
        guard case .v6(0, let low) = self, low >> 32 == 0xFFFF else { return self }
        return .v4(UInt32(truncatingIfNeeded: low))
    }

    /// The index after the four decimal numbers with which the text begins; nil if it does not.
    static func endOfV4(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        let text = bytes.extracting(range)
        var number: UInt32 = 0
        var digits = 0
        var dots = 0
        for at in 0..<text.count {
            let digit = text[at] &- 0x30
            if digit < 10 {
                // No leading zero, no fourth digit, at most 255.
                guard digits == 0 || number > 0 else { return nil }
                number = number &* 10 &+ UInt32(digit)
                digits &+= 1
                guard number <= 255 else { return nil }
            } else {
                guard digits > 0 else { return nil }
                guard dots < 3 else { return range.lowerBound + at }
                guard text[at] == 0x2E else { return nil }
                (number, digits, dots) = (0, 0, dots &+ 1)
            }
        }
        return dots == 3 && digits > 0 ? range.upperBound : nil
    }

    /// Parses four decimal numbers up to 255, without leading zeros.
    static func v4(_ bytes: Span<UInt8>, _ range: Range<Int>) -> IPAddress? {
        guard range.count >= 7, range.count <= 15 else { return nil }
        var address: UInt32 = 0
        var part: UInt32 = 0
        var digits = 0
        var dots = 0
        for index in range {
            let byte = bytes[index]
            if byte == 0x2E {
                guard digits > 0, dots < 3 else { return nil }
                address = address << 8 | part
                (part, digits, dots) = (0, 0, dots + 1)
            } else {
                guard byte.isDigit, digits == 0 || part > 0 else { return nil }
                part = part * 10 + UInt32(byte - 0x30)
                digits += 1
                guard part <= 255 else { return nil }
            }
        }
        return dots == 3 && digits > 0 ? .v4(address << 8 | part) : nil
    }

    /// Parses up to eight groups of hexadecimal digits with one `::`, perhaps with IPv4 at the end; without a zone.
    static func v6(_ bytes: Span<UInt8>, _ range: Range<Int>) -> IPAddress? {
        var groups: InlineArray<8, UInt16> = .init(repeating: 0)
        var count = 0
        var gap: Int?
        var at = range.lowerBound
        let end = range.upperBound
        if at + 1 < end, bytes[at] == 0x3A {
            guard bytes[at + 1] == 0x3A else { return nil }
            gap = 0
            at += 2
        }
        while at < end {
            var stop = at
            while stop < end, bytes[stop] != 0x3A { stop += 1 }
            if stop == end, let last = v4(bytes, at..<end), case .v4(let number) = last {
                guard count <= 6 else { return nil }
                groups[count] = UInt16(truncatingIfNeeded: number >> 16)
                groups[count + 1] = UInt16(truncatingIfNeeded: number)
                count += 2
                break
            }
            guard count < 8, let group = hexGroup(bytes, at..<stop) else { return nil }
            groups[count] = group
            count += 1
            guard stop < end else { break }
            at = stop + 1
            guard at < end else { return nil }
            if bytes[at] == 0x3A {
                guard gap == nil else { return nil }
                gap = count
                at += 1
            }
        }
        guard gap == nil ? count == 8 : count < 8 else { return nil }
        return assemble(groups, count: count, gap: gap ?? count)
    }

    private static func hexGroup(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt16? {
        guard !range.isEmpty, range.count <= 4 else { return nil }
        var value: UInt16 = 0
        for index in range {
            guard let digit = bytes[index].hexDigit else { return nil }
            value = value << 4 | UInt16(digit)
        }
        return value
    }

    private static func assemble(_ groups: InlineArray<8, UInt16>, count: Int, gap: Int) -> IPAddress {
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in 0..<8 {
            let group: UInt16
            if index < gap {
                group = groups[index]
            } else if index < gap + 8 - count {
                group = 0
            } else {
                group = groups[index - (8 - count)]
            }
            if index < 4 { high = high << 16 | UInt64(group) } else { low = low << 16 | UInt64(group) }
        }
        return .v6(high, low)
    }
}

extension IPAddress: CustomStringConvertible {
    /// Parses dotted decimal or the forms of RFC 4291 §2.2, without brackets and zone.
    public init?(text: String) {
        let bytes = Array(text.utf8)
        let span = bytes.span
        guard let address = Self.v4(span, 0..<span.count) ?? Self.v6(span, 0..<span.count) else { return nil }
        self = address
    }

    public var isIPv4: Bool {
        switch self {
        case .v4: true
        case .v6: false
        }
    }

    /// Whether it is in 127/8 or is `::1`; IPv4-mapped addresses count, too.
    public var isLoopback: Bool {
        switch unmapped {
        case .v4(let bits): bits >> 24 == 127
        case .v6(let high, let low): high == 0 && low == 1
        }
    }

    /// The 4 or 16 bytes in network order.
    public var bytes: [UInt8] {
        func split(_ bits: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: bits >> UInt64((count - 1 - $0) * 8)) }
        }
        return switch self {
        case .v4(let bits): split(UInt64(bits), 4)
        case .v6(let high, let low): split(high, 8) + split(low, 8)
        }
    }

    /// The customary text (RFC 5952), IPv6 without brackets.
    public var description: String {
        switch self {
        case .v4: return bytes.map { "\($0)" }.joined(separator: ".")
        case .v6(0, let low) where low >> 32 == 0xFFFF: return "::ffff:\(unmapped)"
        case .v6(let high, let low):
            let groups = [high, low].flatMap { half in
                (0..<4).map { UInt16(truncatingIfNeeded: half >> UInt64(48 - $0 * 16)) }
            }
            let gap = Self.longestGap(groups)
            let text = { (range: Range<Int>) in groups[range].map { String($0, radix: 16) }.joined(separator: ":") }
            return gap.count < 2 ? text(0..<8) : text(0..<gap.lowerBound) + "::" + text(gap.upperBound..<8)
        }
    }

    /// The first of the longest runs of zero groups.
    private static func longestGap(_ groups: [UInt16]) -> Range<Int> {
        var best = 0..<0
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start > best.count { best = start..<index }
            start = index + 1
        }
        return best
    }
}
