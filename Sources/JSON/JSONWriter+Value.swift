public import Formats

extension JSONWriter {
    /// Writes a value, such as one that `JSONReader` has read.
    public mutating func value(_ value: JSONValue) {
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
