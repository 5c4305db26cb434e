/// Reads JSON text as Swift values.
///
/// An object becomes `[String: any Sendable]`; of members with the same name, the last wins. An array becomes `[any
/// Sendable]`, `null` becomes `JSONNull`. A number without fraction and exponent becomes an `Int` if it fits. Any other
/// becomes the nearest `Double`, which is infinite beyond the range of that type.
enum JSONValueReader {
    /// Does not recurse, however deep the text is nested.
    static func value(of text: [UInt8], depthLimit: Int) throws(JSONSyntaxError) -> any Sendable {
        var scanner = JSONScanner(depthLimit: depthLimit)
        var builder = Builder(text)
        var at = 0
        var last: JSONToken?
        while let token = try scanner.next(text.span, &at) {
            if let last { builder.add(last) }
            last = token
        }
        // Until here the last token might be cut off.
        try scanner.finish()
        if let last { builder.add(last) }
        return builder.result
    }

    /// An open object or array.
    private struct Container {
        let isObject: Bool
        var members: [String: any Sendable] = [:]
        var elements: [any Sendable] = []
        /// The name of the member whose value follows.
        var name = ""
    }

    private struct Builder {
        private let text: [UInt8]
        private var open: [Container] = []
        private(set) var result: any Sendable = JSONNull()

        init(_ text: [UInt8]) { self.text = text }

        mutating func add(_ token: JSONToken) {
            switch token.kind {
            case .nameSeparator, .valueSeparator: break
            case .beginObject: open.append(Container(isObject: true))
            case .beginArray: open.append(Container(isObject: false))
            case .endObject, .endArray:
                guard let container = open.popLast() else { return }
                if container.isObject { append(container.members) } else { append(container.elements) }
            case .name: open[open.count - 1].name = string(token.range)
            case .string: append(string(token.range))
            case .number: append(number(token.range))
            case .literal: append(literal(token.range))
            }
        }

        private mutating func append(_ value: some Sendable) {
            guard let last = open.indices.last else {
                result = value
                return
            }
            if open[last].isObject {
                open[last].members[open[last].name] = value
            } else {
                open[last].elements.append(value)
            }
        }

        private func string(_ range: Range<Int>) -> String {
            let inner = range.lowerBound + 1..<range.upperBound - 1
            guard text[inner].contains(0x5C) else { return String(decoding: text[inner], as: UTF8.self) }
            var bytes: [UInt8] = []
            var at = inner.lowerBound
            while at < inner.upperBound {
                if text[at] == 0x5C {
                    JSONString.appendEscape(of: text, &at, to: &bytes, .replaced)
                } else {
                    bytes.append(text[at])
                    at += 1
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        private func number(_ range: Range<Int>) -> any Sendable {
            let isIntegral = text[range].allSatisfy { $0 == 0x2D || JSONByte.isDigit($0) }
            let text = String(decoding: text[range], as: UTF8.self)
            if isIntegral, let number = Int(text) { return number }
            return Double(text) ?? .nan
        }

        private func literal(_ range: Range<Int>) -> any Sendable {
            switch text[range.lowerBound] {
            case 0x74: true
            case 0x66: false
            default: JSONNull()
            }
        }
    }
}
