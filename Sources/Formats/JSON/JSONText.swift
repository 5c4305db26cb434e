/// JSON text (RFC 8259) and its values in Swift.
///
/// Values are `String`, `Int`, `Double`, `Bool`, `JSONNull`, and dictionaries and arrays of these.
public enum JSONText {
    /// How deep arrays and objects may be nested at most: Swift releases nested values recursively.
    package static let depthBound = 512

    /// The text of a value, members sorted by name.
    ///
    /// Nil if a part of it is no such value, is no finite number, or lies deeper than 512 levels. Other integers and
    /// `Float` are written too.
    public static func bytes(of value: any Sendable) -> [UInt8]? {
        var writer = JSONWriter(escaping: .required)
        return writer.value(value, depth: 0) ? writer.bytes : nil
    }

    /// The value of a text; nil if it is not JSON, or nested deeper than 512 levels.
    public static func value(of text: [UInt8]) -> (any Sendable)? { try? value(of: text, depthLimit: depthBound) }

    /// The value of a text whose arrays and objects are nested at most `depthLimit` deep, and never deeper than 512.
    package static func value(of text: [UInt8], depthLimit: Int) throws(JSONSyntaxError) -> any Sendable {
        try JSONValueReader.value(of: text, depthLimit: min(depthLimit, depthBound))
    }
}
