import Formats
import JSON
import Settings

/// Writes JSON with a member or element on each line, so that differences between files can be read.
struct IndentedJSON {
    private(set) var bytes: [UInt8] = []

    /// Appends a value, and a line end.
    mutating func append(_ value: JSONValue) {
        write(value, depth: 0)
        bytes.append(0x0A)
    }

    /// Appends an element of an array on a line of its own, indented by `depth`, without a line end.
    mutating func append(_ value: JSONValue, depth: Int) {
        bytes += repeatElement(0x20, count: 2 * depth)
        write(value, depth: depth)
    }

    private mutating func write(_ value: JSONValue, depth: Int) {
        switch value {
        case .object(let members) where !members.isEmpty && !Self.isShort(value):
            block("{", "}", members, depth) { json, member in
                json.scalar(.text(member.name))
                json.bytes += ": ".utf8
                json.write(member.value, depth: depth + 1)
            }
        case .array(let elements) where !elements.isEmpty:
            block("[", "]", elements, depth) { $0.write($1, depth: depth + 1) }
        default: scalar(value)
        }
    }

    /// Whether an object is a name with a value, such as a field, which stands on one line.
    private static func isShort(_ value: JSONValue) -> Bool {
        guard case .object(let members) = value, members.count == 2 else { return false }
        return members.allSatisfy { member in
            switch member.value {
            case .array, .object: false
            case .null, .boolean, .integer, .real, .text: true
            }
        }
    }

    private mutating func block<Element>(
        _ begin: String,
        _ end: String,
        _ elements: [Element],
        _ depth: Int,
        _ write: (inout IndentedJSON, Element) -> Void
    ) {
        bytes += begin.utf8
        for (index, element) in elements.enumerated() {
            newLine(depth + 1)
            write(&self, element)
            if index < elements.count - 1 { bytes.append(UInt8(ascii: ",")) }
        }
        newLine(depth)
        bytes += end.utf8
    }

    private mutating func newLine(_ depth: Int) {
        bytes.append(0x0A)
        bytes += repeatElement(0x20, count: 2 * depth)
    }

    private mutating func scalar(_ value: JSONValue) {
        var writer = JSONWriter(appendingTo: bytes)
        bytes = []
        writer.value(value)
        bytes = writer.bytes
    }
}
