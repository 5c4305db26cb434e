/// A position in a document.
///
/// Lines and columns begin at 1; columns count code points.
public struct TextPosition: Sendable, Hashable {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// A value of a TOML document with its position.
public struct TOMLNode: Sendable {
    public enum Value: Sendable {
        case text(String)
        case integer(Int64)
        case real(Double)
        case boolean(Bool)
        case dateOrTime
        case array([TOMLNode])
        /// In the order of the document.
        case table([TOMLMember])
        /// Text with a mistake, such as a variable that is not set.
        case faulty(TOMLError)
    }

    public var value: Value
    public var position: TextPosition
    /// The line in which text ends: of text of several lines it is greater than that of `position`.
    public var lastLine: Int
    /// The text as written, if variables were put into it; messages show it in place of the value.
    public var written: String?

    public init(value: Value, position: TextPosition, lastLine: Int? = nil) {
        self.value = value
        self.position = position
        self.lastLine = lastLine ?? position.line
    }
}

/// A name with its value.
public struct TOMLMember: Sendable {
    public var key: String
    public var keyPosition: TextPosition
    public var node: TOMLNode

    public init(key: String, keyPosition: TextPosition, node: TOMLNode) {
        self.key = key
        self.keyPosition = keyPosition
        self.node = node
    }
}

extension TOMLNode {
    /// The kind of value, for error messages.
    public var kindName: String {
        switch value {
        case .text: "text"
        case .integer: "a whole number"
        case .real: "a number with a fraction"
        case .boolean: "true or false"
        case .dateOrTime: "a date or time"
        case .array: "a list"
        case .table: "a table"
        case .faulty: "text with a mistake"
        }
    }
}

/// Why text is not TOML, or names no variable.
public struct TOMLError: Error {
    public var message: String
    public var position: TextPosition

    public init(message: String, position: TextPosition) {
        self.message = message
        self.position = position
    }
}
