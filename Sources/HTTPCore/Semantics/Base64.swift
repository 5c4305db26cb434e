/// Octets as text (RFC 4648 §4).
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// With padding.
    public static func encode(_ octets: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < octets.count {
            let count = min(3, octets.count - index)
            var word: UInt32 = 0
            for place in 0..<3 { word = word << 8 | (place < count ? UInt32(octets[index + place]) : 0) }
            for place in 0..<4 {
                let value = Int(word >> UInt32(18 - 6 * place) & 63)
                result.append(place <= count ? alphabet[value] : UInt8(ascii: "="))
            }
            index += 3
        }
        return result
    }
}
