/// Values of Swift as JSON text (RFC 8259).
struct JSONWriter {
    /// How deep arrays and objects may be nested.
    private static let depthLimit = 512

    private var output: [UInt8] = []

    /// Members sorted by name; nil if a part cannot be expressed or lies too deep.
    static func bytes(of value: any Sendable) -> [UInt8]? {
        var writer = JSONWriter()
        return writer.append(value, depth: 0) ? writer.output : nil
    }

    /// False if the value cannot be expressed.
    private mutating func append(_ value: any Sendable, depth: Int) -> Bool {
        if depth > Self.depthLimit { return false }
        switch value {
        case let text as String: appendString(text)
        case let text as Substring: appendString(String(text))
        case let flag as Bool: append(flag ? "true" : "false")
        case is JSONNull: append("null")
        case let number as any BinaryInteger: append("\(number)")
        case let number as Double: return append(number)
        case let number as Float: return append(Double("\(number)") ?? .nan)
        case let members as [String: any Sendable]: return append(members, depth: depth)
        case let elements as [any Sendable]: return append(elements, depth: depth)
        default: return false
        }
        return true
    }

    private mutating func append(_ text: String) { output.append(contentsOf: text.utf8) }

    /// The shortest text that gives the same number again; JSON knows neither infinity nor "not a number".
    private mutating func append(_ number: Double) -> Bool {
        guard number.isFinite else { return false }
        append("\(number)")
        return true
    }

    private mutating func append(_ members: [String: any Sendable], depth: Int) -> Bool {
        output.append(0x7B)
        for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { output.append(0x2C) }
            appendString(member.key)
            output.append(0x3A)
            guard append(member.value, depth: depth + 1) else { return false }
        }
        output.append(0x7D)
        return true
    }

    private mutating func append(_ elements: [any Sendable], depth: Int) -> Bool {
        output.append(0x5B)
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(0x2C) }
            guard append(element, depth: depth + 1) else { return false }
        }
        output.append(0x5D)
        return true
    }

    private mutating func appendString(_ text: String) {
        output.append(0x22)
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5C:
                output.append(0x5C)
                output.append(byte)
            case 0..<0x20:
                append("\\u00")
                append(byte < 0x10 ? "0" : "1")
                append(String(byte & 0xF, radix: 16))
            default:
                output.append(byte)
            }
        }
        output.append(0x22)
    }
}
