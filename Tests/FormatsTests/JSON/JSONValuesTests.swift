import TestSupport
import Testing

@testable import Formats

/// JSON text as Swift values.
@Suite("JSON values") struct JSONValuesTests {
    private static func value(_ text: String, depth: Int = 128) throws -> any Sendable {
        try JSONText.value(of: Array(text.utf8), depthLimit: depth)
    }

    /// The canonical text of a value, for comparison.
    private static func canonical(_ value: any Sendable) -> String {
        switch value {
        case let object as [String: any Sendable]:
            let members = object.keys.sorted().map { "\($0.debugDescription):\(canonical(object[$0] ?? JSONNull()))" }
            return "{\(members.joined(separator: ","))}"
        case let array as [any Sendable]: return "[\(array.map(canonical).joined(separator: ","))]"
        case let text as String: return text.debugDescription
        case let number as Int: return "i\(number)"
        case let number as Double: return "d\(number)"
        case let flag as Bool: return "\(flag)"
        case is JSONNull: return "null"
        default: return "?"
        }
    }

    @Test(
        "numbers without fraction and exponent are Int if they fit, all others Double",
        arguments: [
            ("0", "i0"), ("-17", "i-17"), ("9223372036854775807", "i9223372036854775807"),
            ("-9223372036854775808", "i-9223372036854775808"), ("9223372036854775808", "d9.223372036854776e+18"),
            ("1.0", "d1.0"), ("1e2", "d100.0"), ("-1.5E-1", "d-0.15"), ("1e999", "dinf"), ("-1e999", "d-inf"),
            ("1e-999", "d0.0"),
        ]
    )
    func numbers(text: String, expected: String) throws {
        #expect(Self.canonical(try Self.value(text)) == expected)
    }

    @Test(
        "escapes in strings are decoded; half a surrogate pair becomes U+FFFD",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e4\uD834\uDD1E""#, "ä𝄞"),
            (#""a\uD834b""#, "a\u{FFFD}b"), (#""\uDD1E\uD834""#, "\u{FFFD}\u{FFFD}"), (#""\u0000""#, "\u{0}"),
            (#""日本""#, "日本"), (#""""#, ""),
        ]
    )
    func strings(text: String, expected: String) throws {
        #expect(try Self.value(text) as? String == expected)
        #expect((try Self.value("{\(text):1}") as? [String: any Sendable])?.keys.first == expected)
    }

    @Test("if a name repeats, the last member counts")
    func repeatedNames() throws {
        #expect(Self.canonical(try Self.value(#"{"a":1,"\u0061":2}"#)) == #"{"a":i2}"#)
    }

    @Test("nesting is limited to the given depth, and never exceeds a fixed bound")
    func nesting() throws {
        func nested(_ depth: Int, _ opening: String, _ closing: String) -> String {
            String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
        }
        for (opening, closing) in [("[", "]"), ("{\"a\":", "}")] {
            #expect(throws: Never.self) { try Self.value(nested(128, opening, closing)) }
            #expect(throws: JSONSyntaxError(problem: .tooDeep(limit: 128), line: 1, column: 128 * opening.count + 1)) {
                try Self.value(nested(129, opening, closing))
            }
            // The value is also released without harm.
            #expect(throws: Never.self) { try Self.value(nested(JSONText.depthBound, opening, closing), depth: .max) }
            #expect(throws: JSONSyntaxError.self) { try Self.value(nested(200_000, opening, closing), depth: .max) }
            #expect(throws: JSONSyntaxError.self) {
                try Self.value(String(repeating: opening, count: 200_000), depth: .max)
            }
        }
        #expect(throws: JSONSyntaxError.self) { try Self.value("[1]", depth: 0) }
        #expect(throws: JSONSyntaxError.self) { try Self.value("[1]", depth: -1) }
    }

    // MARK: Any text

    /// Random values with their text.
    private struct Maker {
        var random: FixedRandom

        mutating func make(_ depth: Int) -> (value: any Sendable, text: String) {
            let space = [" ", "", "", "\n\t"][random.next(4)]
            switch random.next(depth > 0 ? 8 : 6) {
            case 0: return (JSONNull(), "\(space)null")
            case 1: return (true, "true\(space)")
            case 2:
                let number = Int(truncatingIfNeeded: random.next())
                return (number, "\(space)\(number)")
            case 3:
                let number = Double(Int32(truncatingIfNeeded: random.next())) / 1024
                return (number, "\(number)")
            case 4, 5:
                let (value, text) = string()
                return (value, text + space)
            case 6:
                let parts = (0..<random.next(4)).map { _ in make(depth - 1) }
                let values: [any Sendable] = parts.map(\.value)
                return (values, "[\(space)\(parts.map(\.text).joined(separator: ","))]")
            default:
                var members: [String: any Sendable] = [:]
                var texts: [String] = []
                for _ in 0..<random.next(4) {
                    let (name, nameText) = string()
                    let (value, text) = make(depth - 1)
                    members[name] = value
                    texts.append("\(nameText)\(space):\(text)")
                }
                return (members, "{\(texts.joined(separator: ",\(space)"))\(space)}")
            }
        }

        private mutating func string() -> (value: String, text: String) {
            var value = ""
            var text = "\""
            for _ in 0..<random.next(6) {
                let scalar = [Unicode.Scalar]("aZ\"\\\n/\u{7F}ä日𝄞\u{0}".unicodeScalars)[random.next(11)]
                value.unicodeScalars.append(scalar)
                let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
                if mustEscape || random.next(3) == 0 {
                    for unit in Character(scalar).utf16 {
                        let digits = String(unit, radix: 16)
                        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                    }
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
            return (value, text + "\"")
        }
    }

    @Test("any value comes back from its text")
    func roundTrips() throws {
        var maker = Maker(random: FixedRandom(seed: 42))
        for _ in 0..<3000 {
            let (value, text) = maker.make(5)
            #expect(Self.canonical(try Self.value(text)) == Self.canonical(value), "\(text)")
        }
    }

    @Test("damaged text is read if the scanner accepts it, or fails with a position; nothing traps")
    func damaged() {
        var maker = Maker(random: FixedRandom(seed: 7))
        for _ in 0..<5000 {
            var bytes = Array(maker.make(4).text.utf8)
            for _ in 0...maker.random.next(3) where !bytes.isEmpty {
                let at = maker.random.next(bytes.count)
                switch maker.random.next(4) {
                case 0: bytes.remove(at: at)
                case 1: bytes[at] = UInt8(truncatingIfNeeded: maker.random.next())
                case 2:
                    bytes.insert(contentsOf: Array(#"[{":,]}\eu0"#.utf8)[maker.random.next(11)...].prefix(1), at: at)
                default: bytes.removeSubrange(at...)
                }
            }
            let isJSON = (try? Self.scan(bytes)) != nil
            #expect(((try? JSONText.value(of: bytes, depthLimit: 128)) != nil) == isJSON)
        }
    }

    private static func scan(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        var scanner = JSONScanner(depthLimit: 128)
        var at = 0
        while try scanner.next(bytes.span, &at) != nil {}
        try scanner.finish()
    }
}
