/// Bytes as text (RFC 4648 §4).
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// With padding.
    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var word: UInt32 = 0
            for place in 0..<3 { word = word << 8 | (place < count ? UInt32(bytes[index + place]) : 0) }
            for place in 0..<4 {
                let value = Int(word >> UInt32(18 - 6 * place) & 63)
                result.append(place <= count ? alphabet[value] : UInt8(ascii: "="))
            }
            index += 3
        }
        return result
    }
}
