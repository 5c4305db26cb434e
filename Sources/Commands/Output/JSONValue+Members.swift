import Settings

extension JSONValue {
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    /// The value of any number, whole or not.
    var number: Double? { if case .real(let number) = self { number } else { integer.map(Double.init) } }
    var isTrue: Bool { self == .boolean(true) }
    /// The elements of an array; empty for other values.
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
}
