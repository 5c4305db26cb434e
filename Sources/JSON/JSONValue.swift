/// A JSON text as a value (RFC 8259).
public enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case array([JSONValue])
    /// In the order of the text; no name occurs twice.
    case object([Member])

    /// A name with its value.
    public struct Member: Sendable, Equatable {
        public var name: String
        public var value: JSONValue

        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The member of that name, if this is an object that has it.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}

extension JSONValue {
    /// The kind of value, for error messages.
    public var kindName: String {
        switch self {
        case .null: "null"
        case .boolean: "true or false"
        case .integer: "a whole number"
        case .real: "a number with a fraction"
        case .text: "text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// Why a JSON text is refused; the response is 400.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `$`, `$.items[2].name`; for a text that is not JSON, `line 3, column 7`.
    public var path: String
    /// A sentence that says what is wrong.
    public var userMessage: String

    public init(path: String, userMessage: String) {
        self.path = path
        self.userMessage = userMessage
    }

    public var description: String { "\(path): \(userMessage)" }
}
