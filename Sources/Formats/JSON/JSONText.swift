/// JSON text (RFC 8259) and its values in Swift.
///
/// Values are `String`, `Int`, `Double`, `Bool`, `JSONNull`, and dictionaries and arrays of these.
public enum JSONText {
    /// The greatest depth of nested arrays and objects.
    ///
    /// Swift releases nested values recursively, so that more would overflow the stack.
    package static let depthBound = 512

    /// Returns the text of a value, with members sorted by name.
    ///
    /// Returns nil if the value or a part of it has another type, is not a finite number, or is nested deeper than 512
    /// levels. Besides the types above it accepts all integer types and `Float`.
    public static func bytes(of value: any Sendable) -> [UInt8]? {
        var writer = JSONWriter(escaping: .required)
        return writer.value(value, depth: 0) ? writer.bytes : nil
    }

    /// Returns the value of a text; nil if it is not JSON, or nested deeper than 512 levels.
    public static func value(of text: [UInt8]) -> (any Sendable)? { try? value(of: text, depthLimit: depthBound) }

    /// Returns the value of a text whose arrays and objects are nested at most `depthLimit` deep, and never deeper than
    /// 512.
    package static func value(of text: [UInt8], depthLimit: Int) throws(JSONSyntaxError) -> any Sendable {
        try JSONValueReader.value(of: text, depthLimit: min(depthLimit, depthBound))
    }
}
