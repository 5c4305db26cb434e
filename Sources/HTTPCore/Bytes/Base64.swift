/// The Base64 encoding of bytes (RFC 4648 §4).
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Encodes bytes, with padding.
    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var word: UInt32 = 0
            for offset in 0..<3 { word = word << 8 | (offset < count ? UInt32(bytes[index + offset]) : 0) }
            for offset in 0..<4 {
                let value = Int(word >> UInt32(18 - 6 * offset) & 63)
                result.append(offset <= count ? alphabet[value] : UInt8(ascii: "="))
            }
            index += 3
        }
        return result
    }

    /// Decodes text with or without padding; nil for other bytes, and for bits that would be lost.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var (word, bits, padding) = (UInt32(0), 0, 0)
        for byte in text {
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(of: byte) else { return nil }
            word = (word << 6 | value) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                result.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
            }
        }
        guard bits < 6, word & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return padding == 0 || (text.count % 4 == 0 && padding <= 2) ? result : nil
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
