/// Tokens and quoted strings (RFC 9110 §5.6.2, §5.6.4).
public enum Token {
    /// Whether `octets` are one token.
    public static func isToken(_ octets: Span<UInt8>) -> Bool {
        !octets.isEmpty && ByteScan.end(of: .token, octets, from: 0, to: octets.count) == octets.count
    }

    /// Whether `octets` are `text` (lower-case ASCII) in any case.
    public static func matches(_ octets: Span<UInt8>, _ text: StaticString) -> Bool {
        ByteScan.matches(octets, 0..<octets.count, text)
    }

    /// Whether two runs of octets are equal without regard to ASCII case.
    public static func matches(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        for index in one.indices where one[index].asciiLowercased != other[index].asciiLowercased { return false }
        return true
    }

    /// The text of a quoted string, its quotes and escapes taken off; nil if it is none.
    public static func unquoted(_ octets: Span<UInt8>) -> [UInt8]? {
        let end = octets.count - 1
        guard end >= 1, octets[0] == 0x22, octets[end] == 0x22 else { return nil }
        var result: [UInt8] = []
        var at = 1
        while at < end {
            var octet = octets[at]
            if octet == 0x22 { return nil }
            if octet == 0x5C {
                at += 1
                guard at < end else { return nil }
                octet = octets[at]
            }
            guard octet == 0x09 || (octet >= 0x20 && octet != 0x7F) else { return nil }
            result.append(octet)
            at += 1
        }
        return result
    }

    /// Appends `text` as a quoted string; what is no printable ASCII becomes `?` (a `sf-string`, RFC 9651 §3.3.3).
    public static func appendQuoted(_ text: [UInt8], to output: inout [UInt8]) {
        output.append(0x22)
        for octet in text {
            if octet == 0x22 || octet == 0x5C { output.append(0x5C) }
            output.append((0x20..<0x7F).contains(octet) ? octet : 0x3F)
        }
        output.append(0x22)
    }
}
