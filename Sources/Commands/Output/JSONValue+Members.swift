import Formats
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

extension JSONWriter {
    /// Writes a value that was read.
    mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .boolean(let flag): boolean(flag)
        case .integer(let number): integer(number)
        case .real(let number): real(number)
        case .text(let text): self.text(text)
        case .array(let elements): array { writer in for element in elements { writer.value(element) } }
        case .object(let members):
            object { writer in
                for member in members {
                    writer.name(member.name)
                    writer.value(member.value)
                }
            }
        }
    }
}
