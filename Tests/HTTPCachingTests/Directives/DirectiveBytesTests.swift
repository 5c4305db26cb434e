import HTTPCore
import Testing

@testable import HTTPCaching

/// Kinds of bytes, and lists without quoted strings.
@Suite struct DirectiveBytesTests {
    private static let lowercase = "abcdefghijklmnopqrstuvwxyz"
    /// The bytes of a token (RFC 9110 §5.6.2).
    private static let token = lowercase + lowercase.uppercased() + "0123456789!#$%&'*+-.^_`|~"
    private static let all = 0...255 as ClosedRange<UInt8>

    @Test("blanks, digits and the bytes of a token are told from their neighbours (RFC 9110 §5.6.2, §5.6.3)")
    func kinds() {
        #expect(Self.all.filter { $0.isTokenByte } == Self.token.utf8.sorted())
        #expect(Self.all.filter { $0.isBlank } == [0x09, 0x20])
        #expect(Self.all.filter { $0.isDigit } == "0123456789".bytes)
    }

    @Test("names of fields in an argument are tokens, between commas and blanks; another byte, and there are none")
    func names() {
        for byte in Self.all {
            let control = CacheControl(parsing: "private=\"a".bytes + [byte] + "b\"".bytes)
            let isSeparator = byte == 0x2C || byte == 0x20 || byte == 0x09
            let isToken = Self.token.utf8.contains(byte)
            let joined = [0x61, byte.asciiLowercased, 0x62]
            let expected: [[UInt8]] = isToken ? [joined] : isSeparator ? ["a".bytes, "b".bytes] : []
            #expect(control.privateFields == expected, "\(byte)")
            #expect(control.flags.contains(.isPrivate) == expected.isEmpty, "\(byte)")
        }
    }

    @Test("blanks at the ends of members, and members that are empty, do not count")
    func members() {
        for (text, trimmed) in [(" \ta \tb\t ", "a \tb"), (" \t", ""), ("", ""), ("a", "a"), ("\u{B}", "\u{B}")] {
            #expect(text.bytes.trimmed == trimmed.bytes)
        }
        #expect(" a ,,\tb c, \t,".bytes.plainMembers == ["a".bytes, "b c".bytes] && ", ,".bytes.plainMembers.isEmpty)
    }

    @Test("letters are equal in either case, and no other bytes are")
    func cases() {
        #expect("AZaz@[`{09".bytes.lowercased == "azaz@[`{09".bytes)
        #expect("aZ-".bytes.equalsIgnoringCase("Az-".bytes) && "".bytes.equalsIgnoringCase([]))
        for (one, other) in [("a", "ab"), ("ab", "a"), ("ab", "ac"), ("bb", "ab"), ("@", "`"), ("[", "{")] {
            #expect(!one.bytes.equalsIgnoringCase(other.bytes), "\(one)")
        }
    }
}
