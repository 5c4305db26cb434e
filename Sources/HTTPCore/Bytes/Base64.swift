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
}
