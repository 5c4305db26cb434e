/// A whole number followed by a unit.
enum UnitText {
    /// Splits `30s`, `64 KiB` or `0`; nil unless the text is a number that fits, followed by letters only.
    static func split(_ text: String) -> (number: Int, unit: String)? {
        let bytes = Array(text.utf8)
        let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
        let unit = bytes[digits.count...].drop { $0 == UInt8(ascii: " ") }
        guard unit.allSatisfy({ ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") }) else {
            return nil
        }
        return (number, String(decoding: unit, as: UTF8.self))
    }
}
