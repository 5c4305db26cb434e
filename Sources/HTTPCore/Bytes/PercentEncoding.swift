/// The escapes of URLs and forms (RFC 3986 §2.1).
public enum PercentEncoding {
    /// The text with its escapes undone; what is no escape stays as it is.
    ///
    /// - Parameter plusIsBlank: reads `+` as a blank, as forms mean it.
    public static func decoded(_ text: ArraySlice<UInt8>, plusIsBlank: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            if let byte = byte(of: text, at: index) {
                bytes.append(byte)
                index += 3
            } else {
                let byte = text[index]
                bytes.append(byte == UInt8(ascii: "+") && plusIsBlank ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return bytes
    }

    /// The byte that the escape at `index` stands for; nil if there is none.
    static func byte(of text: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard text[index] == UInt8(ascii: "%"), index + 2 < text.endIndex, let high = text[index + 1].hexDigit,
            let low = text[index + 2].hexDigit
        else { return nil }
        return high << 4 | low
    }
}
