/// A position in a document.
///
/// Lines and columns begin at 1; columns count code points.
struct TextPosition: Sendable, Equatable {
    var line: Int
    var column: Int
}

/// A value of a TOML document with its position.
struct TOMLNode: Sendable {
    enum Value: Sendable {
        case text(String)
        case integer(Int64)
        case real(Double)
        case boolean(Bool)
        case dateOrTime
        case array([TOMLNode])
        /// In the order of the document.
        case table([TOMLMember])
    }

    var value: Value
    var position: TextPosition
}

/// A name with its value.
struct TOMLMember: Sendable {
    var key: String
    var keyPosition: TextPosition
    var node: TOMLNode
}

extension TOMLNode {
    /// The kind of value, for error messages.
    var kindName: String {
        switch value {
        case .text: "text"
        case .integer: "a whole number"
        case .real: "a number with a fraction"
        case .boolean: "true or false"
        case .dateOrTime: "a date or time"
        case .array: "a list"
        case .table: "a table"
        }
    }
}

/// Why text is not TOML.
struct TOMLError: Error {
    var message: String
    var position: TextPosition
}
