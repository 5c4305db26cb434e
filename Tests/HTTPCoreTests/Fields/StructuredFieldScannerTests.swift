import HTTPCore
import Testing

/// The grammar of structured fields: keys, items, parameters and members (RFC 9651 §4.2).
@Suite struct StructuredFieldScannerTests {
    private static let lowercase = "abcdefghijklmnopqrstuvwxyz"
    private static let letters = lowercase + lowercase.uppercased()
    private static let digits = "0123456789"
    private static let visible = text(0x20...0x7E as ClosedRange<UInt8>)

    private static func key(_ bytes: [UInt8]) -> [UInt8]? {
        var scanner = StructuredFieldScanner(bytes)
        return scanner.key()
    }

    /// The item that is all of these bytes.
    private static func item(_ bytes: [UInt8]) -> StructuredValue? {
        var scanner = StructuredFieldScanner(bytes)
        guard let value = scanner.bareItem(), scanner.isAtEnd else { return nil }
        return value
    }

    private static func member(_ text: String) -> StructuredValue? {
        var scanner = StructuredFieldScanner(latin(text))
        guard let value = scanner.memberValue(), scanner.isAtEnd else { return nil }
        return value
    }

    @Test("a byte belongs to a key, a token, a string or another item where the grammar lists it")
    func bytes() {
        func check(_ part: String, _ expected: String, _ isPart: (UInt8) -> Bool) {
            let found = (0...255 as ClosedRange<UInt8>).filter(isPart)
            #expect(found == expected.utf8.sorted(), "\(part)")
        }
        check("first of a key", Self.lowercase + "*") { Self.key([$0]) == [$0] }
        check("key", Self.lowercase + Self.digits + "_-.*") { Self.key([0x61, $0]) == [0x61, $0] }
        check("first of a token", Self.letters + "*") { Self.item([$0]) == .token([$0]) }
        check("token", Self.letters + Self.digits + "!#$%&'*+-.^_`|~:/") {
            Self.item([0x61, $0]) == .token([0x61, $0])
        }
        check("string", Self.visible.filter { $0 != "\"" && $0 != "\\" }) {
            Self.item([0x22, $0, 0x22]) == .string([$0])
        }
        check("escape", "\"\\") { Self.item([0x22, 0x5C, $0, 0x22]) == .string([$0]) }
        check("boolean", "01") { Self.item([0x3F, $0]) == .boolean($0 == 0x31) }
        check("byte sequence", Self.letters + Self.digits + "+/=") { Self.item([0x3A, $0, 0x3A]) == .other }
        check("date", Self.digits) { Self.item([0x40, $0]) == .other }
        check("display string", Self.visible.filter { $0 != "\"" && $0 != "%" }) {
            Self.item([0x25, 0x22, $0, 0x22]) == .other
        }
        for place in 0..<2 {
            check("escape in a display string", Self.digits + "abcdef") { byte in
                var escape: [UInt8] = [0x30, 0x30]
                escape[place] = byte
                return Self.item([0x25, 0x22, 0x25] + escape + [0x22]) == .other
            }
        }
    }

    @Test(
        "an integer has 15 digits at most; a decimal has twelve, and one to three behind the point (RFC 9651 §3.3)",
        arguments: [
            ("0", .integer(0)), ("-0", .integer(0)), ("007", .integer(7)),
            ("999999999999999", .integer(999_999_999_999_999)), ("-999999999999999", .integer(-999_999_999_999_999)),
            ("1000000000000000", nil), ("-1000000000000000", nil), ("123456789012.1", .other), ("-1.23", .other),
            ("123456789012.123", .other), ("1234567890123.1", nil), ("1.", nil), ("1.1234", nil), ("-", nil),
            ("-.5", nil), (".5", nil), ("--1", nil), ("@-1", .other), ("@1.5", nil), ("@", nil), ("", nil),
        ] as [(String, StructuredValue?)]
    )
    func numbers(text: String, expected: StructuredValue?) {
        #expect(Self.item(latin(text)) == expected)
    }

    @Test("of parameters with one key the last counts, and 256 of them are the most (RFC 9651 §3.1.2)")
    func parameters() throws {
        var scanner = StructuredFieldScanner(latin(";a=1;  b;a=\"x\" ;c"))
        let read = scanner.parameters()
        let found = try #require(read)
        #expect(found.count == 2 && found.contains { $0.key == latin("b") && $0.value == .boolean(true) })
        #expect(found.contains { $0.key == latin("a") && $0.value == .string(latin("x")) })
        let skipped = [scanner.skip(0x20), scanner.skip(0x20)]
        #expect(skipped == [true, false] && !scanner.isAtEnd)
        func count(_ names: [Int]) -> Int? {
            var scanner = StructuredFieldScanner(latin(names.map { ";p\($0)" }.joined()))
            return scanner.parameters()?.count
        }
        #expect(count([]) == 0 && count(Array(0..<256)) == 256 && count(Array(0..<257)) == nil)
        #expect(count(Array(0..<256) + [0]) == 256)
        for fault in [";", ";A", ";\ta", ";a=", ";a= 1", ";a=(b)", ";a;"] {
            var scanner = StructuredFieldScanner(latin(fault))
            let count = scanner.parameters()?.count
            #expect(count == nil, "\(fault)")
        }
    }

    @Test(
        "a member is true, an item or an inner list, each with parameters",
        arguments: [
            ("", .boolean(true)), (";a;b=1", .boolean(true)), (";A", nil), ("=1", .integer(1)), ("=1;a=2", .integer(1)),
            ("=1;A", nil), ("=", nil), ("= 1", nil), ("1", nil), ("=()", .innerList([])), ("=(  )", .innerList([])),
            ("=(a \"b\";p  1 ?1 :: );q", .innerList([latin("a"), latin("b"), nil, nil, nil])), ("=(a);Q", nil),
            ("=(a;P)", nil), ("=(a\tb)", nil), ("=(a,b)", nil), ("=(a\"b\")", nil), ("=(", nil), ("=(a", nil),
            ("=((a))", nil), ("=(a))", nil),
        ] as [(String, StructuredValue?)]
    )
    func members(text: String, expected: StructuredValue?) {
        #expect(Self.member(text) == expected)
    }

    @Test("spaces alone, or spaces and tabs, are skipped, and nothing at the end")
    func blanks() {
        var scanner = StructuredFieldScanner(latin("  \t \ta"))
        scanner.skipSpaces()
        let behindSpaces = [scanner.skip(0x20), scanner.skip(0x61)]
        scanner.skipBlanks()
        let behindBlanks = [scanner.skip(0x61), scanner.skip(0x61)]
        #expect(behindSpaces == [false, false] && behindBlanks == [true, false] && scanner.isAtEnd)
        scanner.skipSpaces()
        scanner.skipBlanks()
        let (item, key) = (scanner.bareItem(), scanner.key())
        #expect(scanner.isAtEnd && item == nil && key == nil)
    }
}
