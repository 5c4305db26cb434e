import HTTPCore

/// Decodes JSON strings: removes quotes and escapes (RFC 8259 §7).
package enum JSONString {
    /// How to decode an escaped surrogate without its other half, which no Unicode text can contain.
    package enum LoneSurrogates: Sendable {
        /// As three bytes, encoded like any other code point, so that it equals only itself.
        case encoded
        /// U+FFFD.
        case replaced
    }

    /// Appends the character that the escape at `at` means, and moves `at` past it.
    ///
    /// `JSONScanner` must have accepted the text.
    package static func appendEscape(
        of bytes: [UInt8],
        _ at: inout Int,
        to result: inout [UInt8],
        _ loneSurrogates: LoneSurrogates
    ) {
        if let byte = JSONByte.unescaped(bytes[at + 1]) {
            result.append(byte)
            at += 2
            return
        }
        var point = unit(bytes, at) ?? 0xFFFD
        at += 6
        if point & 0xFC00 == 0xD800, let low = unit(bytes, at), low & 0xFC00 == 0xDC00 {
            point = 0x1_0000 + ((point & 0x3FF) << 10 | low & 0x3FF)
            at += 6
        }
        if point & 0xFFFF_F800 == 0xD800, loneSurrogates == .replaced { point = 0xFFFD }
        UTF8Scalar.append(point, to: &result)
    }

    /// The code unit of an escape such as `\u00E4`; nil if there is none at `start`.
    private static func unit(_ bytes: [UInt8], _ start: Int) -> UInt32? {
        guard start + 6 <= bytes.count, bytes[start] == 0x5C, bytes[start + 1] == 0x75 else { return nil }
        var unit: UInt32 = 0
        for index in start + 2..<start + 6 {
            guard let digit = Hexadecimal.value(bytes[index]) else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }
}
