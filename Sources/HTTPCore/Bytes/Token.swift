/// Tokens and quoted strings (RFC 9110 §5.6.2, §5.6.4).
public enum Token {
    /// Whether `bytes` are one token.
    public static func isToken(_ bytes: Span<UInt8>) -> Bool {
        !bytes.isEmpty && ByteScan.end(of: .token, bytes, from: 0, to: bytes.count) == bytes.count
    }

    /// Whether `bytes` equal `text` (lower-case ASCII), ignoring case.
    public static func matches(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
        ByteScan.matches(bytes, 0..<bytes.count, text)
    }

    /// Whether two runs of bytes are equal, ignoring ASCII case.
    public static func matches(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        for index in one.indices where one[index].asciiLowercased != other[index].asciiLowercased { return false }
        return true
    }

    /// The text of a quoted string, without quotes and escapes; nil if `bytes` are no quoted string.
    public static func unquoted(_ bytes: Span<UInt8>) -> [UInt8]? {
        let end = bytes.count - 1
        guard end >= 1, bytes[0] == 0x22, bytes[end] == 0x22 else { return nil }
        var result: [UInt8] = []
        var at = 1
        while at < end {
            var byte = bytes[at]
            if byte == 0x22 { return nil }
            if byte == 0x5C {
                at += 1
                guard at < end else { return nil }
                byte = bytes[at]
            }
            guard byte == 0x09 || (byte >= 0x20 && byte != 0x7F) else { return nil }
            result.append(byte)
            at += 1
        }
        return result
    }

    /// Appends `text` as a quoted string (`sf-string`, RFC 9651 §3.3.3); bytes other than printable ASCII become `?`.
    public static func appendQuoted(_ text: [UInt8], to output: inout [UInt8]) {
        output.append(0x22)
        for byte in text {
            if byte == 0x22 || byte == 0x5C { output.append(0x5C) }
            output.append((0x20..<0x7F).contains(byte) ? byte : 0x3F)
        }
        output.append(0x22)
    }
}
