import Formats
import Testing

@Suite("JSON scanner")
struct JSONScannerTests {
    /// All tokens of a text in pieces, with the parts of each joined: kind and text.
    private static func tokens(
        _ bytes: [UInt8],
        size: Int = .max,
        depth: Int = 128
    ) throws(JSONSyntaxError) -> [String] {
        var scanner = JSONScanner(depthLimit: depth)
        var result: [(JSONToken.Kind, [UInt8])] = []
        var start = 0
        while start < bytes.count {
            let end = size < bytes.count - start ? start + size : bytes.count
            let piece = bytes.span.extracting(start..<end)
            var at = 0
            while let token = try scanner.next(piece, &at) {
                if token.isStart { result.append((token.kind, [])) }
                result[result.count - 1].1 += Array(
                    bytes[start...][(start + token.range.lowerBound)..<(start + token.range.upperBound)]
                )
            }
            start = end
        }
        try scanner.finish()
        return result.map { "\($0.0) \(String(decoding: $0.1, as: UTF8.self))" }
    }

    private static func fault(_ bytes: [UInt8], size: Int = .max) -> JSONSyntaxError? {
        do throws(JSONSyntaxError) {
            _ = try tokens(bytes, size: size)
            return nil
        } catch { return error }
    }

    static let valid = [
        "0", "-0", "1.10", "1E400", "-1.5e-10", "10", "0e0", "\"\"", "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\"", "true",
        "false", "null",
        " \t\r\n[ ] ", "{}", "[1,2]", "{\"a\":{\"b\":[{}]}}", "\"\u{7F}äöü€𝄞\u{10FFFF}\"", "\"\\uD800\"",
        "\"\\uDC00\\uD800\"",
        "{\"a\":1,\"a\":2}", "\u{FEFF}[1]", "\"\u{FEFF}\"", "[[[[]]]]", "123456789012345678901234567890",
    ]

    @Test("JSON text is accepted, whole or split at every byte (RFC 8259)", arguments: valid)
    func accepts(text: String) throws {
        let bytes = Array(text.utf8)
        let whole = try Self.tokens(bytes)
        for size in 1...max(1, bytes.count) {
            #expect(try Self.tokens(bytes, size: size) == whole)
        }
    }

    static let invalid: [(String, Int, Int)] = [
        ("", 1, 1), ("  ", 1, 3), ("[", 1, 2), ("[1,]", 1, 4), ("[,1]", 1, 2), ("[1 2]", 1, 4), ("{", 1, 2),
        ("{\"a\"}", 1, 5),
        ("{\"a\":}", 1, 6), ("{\"a\":1,}", 1, 8), ("{a:1}", 1, 2), ("{'a':1}", 1, 2), ("]", 1, 1), ("[}", 1, 2),
        ("{]", 1, 2),
        ("[1}", 1, 3), ("01", 1, 2), ("-", 1, 2), ("+1", 1, 1), (".5", 1, 1), ("1.", 1, 3), ("1.e5", 1, 3),
        ("1e", 1, 3),
        ("1e+", 1, 4), ("0x10", 1, 2), ("NaN", 1, 1), ("Infinity", 1, 1), ("-Infinity", 1, 2), ("tru", 1, 4),
        ("trux", 1, 4),
        ("True", 1, 1), ("nulll", 1, 5), ("\"", 1, 2), ("\"a", 1, 3), ("\"\\x\"", 1, 3), ("\"\\u12G4\"", 1, 6),
        ("\"\\u12\"", 1, 6), ("\"\n\"", 1, 2), ("\"\t\"", 1, 2), ("\"\u{0}\"", 1, 2), ("1 2", 1, 3), ("{}{}", 1, 3),
        ("[1] // no", 1, 5), ("/**/1", 1, 1), ("[1,\n 2,\n x]", 3, 2), ("\"ä𝄞\" x", 1, 6), ("[\"ä\",\n\"ä\" x", 2, 5),
        ("\u{FEFF}x", 1, 1), ("\u{FEFF}\u{FEFF}1", 1, 1), (" \u{FEFF}1", 1, 2), ("\u{A0}1", 1, 1), ("\u{C}1", 1, 1),
    ]

    @Test("invalid JSON is rejected with line and column, however it is split", arguments: invalid)
    func refuses(text: String, line: Int, column: Int) throws {
        let bytes = Array(text.utf8)
        for size in 1...max(1, bytes.count) {
            let error = try #require(Self.fault(bytes, size: size))
            #expect(error.line == line && error.column == column)
            #expect("\(error)".contains("the content is not JSON: "))
        }
    }

    @Test(
        "bytes that are not UTF-8 are refused, also outside of strings (RFC 8259 §8.1)",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82], [0xC3], [0xC3, 0x28],
        ] as [[UInt8]]
    )
    func refusesOtherBytes(bytes: [UInt8]) {
        for text in [[0x22] + bytes + [0x22], bytes, [0x5B] + bytes + [0x5D]] {
            for size in 1...text.count { #expect(Self.fault(text, size: size) != nil) }
        }
        // UTF-16 with and without its mark.
        #expect(Self.fault([0xFF, 0xFE, 0x31, 0x00]) != nil)
        #expect(Self.fault([0x00, 0x31]) != nil)
    }

    @Test("each of the 256 bytes alone is JSON only if it is a digit")
    func singleBytes() {
        for byte in UInt8.min...UInt8.max {
            #expect((Self.fault([byte]) == nil) == (0x30...0x39 ~= byte))
        }
    }

    @Test("arrays and objects may be nested as deep as the limit says and no deeper (H-131)")
    func depth() {
        func nested(_ depth: Int) -> [UInt8] {
            var text = "1"
            for level in 0..<depth { text = level.isMultiple(of: 2) ? "[\(text)]" : "{\"a\":\(text)}" }
            return Array(text.utf8)
        }
        #expect(throws: Never.self) { try Self.tokens(nested(128)) }
        #expect(throws: JSONSyntaxError.self) { try Self.tokens(nested(129)) }
        #expect(throws: Never.self) { try Self.tokens([0x31], depth: 0) }
        #expect(Self.fault(Array(repeating: 0x5B, count: 100_000))?.problem == .tooDeep(limit: 128))
    }
}
