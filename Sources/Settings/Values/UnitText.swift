/// Whole numbers, each followed by a unit.
enum UnitText {
    /// Splits `30s`, `64 KiB` or `0`; nil unless the text is a number that fits, followed by letters only.
    static func split(_ text: String) -> (number: Int, unit: String)? {
        guard let parts = parts(of: text), parts.count == 1 else { return nil }
        return parts[0]
    }

    /// Splits `1h30m` into its numbers with their units; nil unless the text has just these, and all numbers fit.
    static func parts(of text: String) -> [(number: Int, unit: String)]? {
        var rest = Array(text.utf8)[...]
        var parts: [(number: Int, unit: String)] = []
        repeat {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
            rest = rest[digits.endIndex...].drop { $0 == UInt8(ascii: " ") }
            let unit = rest.prefix { ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") }
            parts.append((number, String(decoding: unit, as: UTF8.self)))
            rest = rest[unit.endIndex...].drop { $0 == UInt8(ascii: " ") }
        } while !rest.isEmpty
        return parts
    }

    /// The text with units that users write elsewhere, in their spelling here: `10 seconds` is `10s`.
    ///
    /// Nil if a part has no such unit.
    ///
    /// - Parameter units: all units in their order.
    static func respelt(_ text: String, _ units: [String], _ spelling: (String) -> String?) -> String? {
        var found: [String: Int] = [:]
        for part in parts(of: text) ?? [] {
            guard let unit = spelling(part.unit), found[unit] == nil else { return nil }
            found[unit] = part.number
        }
        return found.isEmpty ? nil : units.compactMap { unit in found[unit].map { "\($0)\(unit)" } }.joined()
    }
}
