import Settings

/// What the admin listener answered.
struct AdminResponse {
    var status: UInt16
    /// Empty where a sink took it.
    var content: [UInt8]

    /// The content as JSON.
    func json() throws(CommandFailure) -> JSONValue {
        do {
            return try JSONReader.parse(content, sizeLimit: content.count)
        } catch {
            throw CommandFailure("the daemon's answer is no JSON: \(error)")
        }
    }

    /// Text of a problem document that goes over several lines.
    func member(_ name: String) -> String? {
        guard let json = try? JSONReader.parse(content), case .text(let text)? = json[name] else { return nil }
        return text.split(separator: "\n").map { Console.printable(String($0)) }.joined(separator: "\n")
    }

    /// The sentence of a problem document.
    var detail: String {
        guard let json = try? JSONReader.parse(content), case .text(let text)? = json["detail"] else {
            return "status \(status)"
        }
        return Console.printable(text)
    }
}

extension JSONValue {
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    /// Of a whole number, too.
    var number: Double? { if case .real(let number) = self { number } else { integer.map(Double.init) } }
    var isTrue: Bool { self == .boolean(true) }
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
}
