/// A value as one kind; nil, or empty, if it is of another kind.
extension JSONValue {
    public var text: String? { if case .text(let text) = self { text } else { nil } }
    public var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    /// The value of any number, whole or not.
    public var number: Double? { if case .real(let number) = self { number } else { integer.map(Double.init) } }
    public var isTrue: Bool { self == .boolean(true) }
    /// The elements of an array; empty for other values.
    public var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
}
