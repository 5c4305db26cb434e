/// JSON text (RFC 8259) and its values, as the standard transformer gives them and requests take them.
///
/// Values are `String`, `Int`, `Double`, `Bool`, `JSONNull`, and dictionaries and arrays of these.
public enum JSONText {
    /// The text of a value, members sorted by name; nil if a part of it is no such value, or no finite number.
    public static func bytes(of value: any Sendable) -> [UInt8]? { JSONWriter.bytes(of: value) }

    /// The value of a text; nil if it is no JSON, or nested deeper than 512 levels.
    public static func value(of text: [UInt8]) -> (any Sendable)? {
        try? JSONValues.value(of: text, depthLimit: JSONValues.depthBound)
    }
}
