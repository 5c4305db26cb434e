import Testing

@testable import Formats

/// Encodings of text, in both directions.
@Suite("Text encodings") struct TextEncodingTests {
    private static let all = (0...255).map { UInt8($0) }
    /// What the bytes 0x80 to 0x9F are in windows-1252.
    private static let specials = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ"

    @Test("each byte is the character of its number in ASCII and ISO-8859-1; windows-1252 has characters of its own")
    func singleBytes() {
        for byte in Self.all {
            let character = String(Character(Unicode.Scalar(byte)))
            #expect(TextEncoding.ascii.decode([byte]) == (byte < 0x80 ? character : nil))
            #expect(TextEncoding.isoLatin1.decode([byte]) == character)
            if !(0x80..<0xA0 ~= byte) { #expect(TextEncoding.windows1252.decode([byte]) == character) }
        }
        let specials = (0x80..<0xA0).map { UInt8($0) }
        #expect(TextEncoding.windows1252.decode(specials) == Self.specials)
        #expect(TextEncoding.windows1252.encode(Self.specials) == specials)
    }

    @Test("all that an encoding decodes it encodes to the same bytes")
    func roundTrip() {
        for (encoding, bytes) in [
            (.ascii, Array(Self.all[..<0x80])), (.isoLatin1, Self.all), (.windows1252, Self.all),
            (.utf16BigEndian, [0, 0x61, 0xD8, 0x34, 0xDD, 0x1E, 0xFF, 0xFD]),
            (.utf16LittleEndian, [0x61, 0, 0x34, 0xD8, 0x1E, 0xDD, 0xFD, 0xFF]),
            (.utf16, [0xFE, 0xFF, 0, 0x61, 0xD8, 0x34, 0xDD, 0x1E]), (.utf8, Array("a𝄞".utf8)),
        ] as [(TextEncoding, [UInt8])] {
            #expect(encoding.decode(bytes).flatMap { encoding.encode($0) } == bytes, "\(encoding)")
        }
    }

    @Test(
        "a character that an encoding lacks makes the text unencodable",
        arguments: [
            (.ascii, "\u{80}"), (.isoLatin1, "\u{100}"), (.windows1252, "\u{80}"), (.windows1252, "\u{9F}"),
            (.windows1252, "\u{100}"), (.windows1252, "ł"), (.other("KOI8-R"), "a"),
        ] as [(TextEncoding, String)]
    )
    func lacking(encoding: TextEncoding, text: String) {
        #expect(encoding.encode("a" + text) == nil)
    }

    @Test(
        "a byte order mark is no text; without one UTF-16 is big-endian (RFC 2781 §4.3)",
        arguments: [
            (.utf8, [0xEF, 0xBB, 0xBF, 0x61], "a"), (.utf16, [0xFE, 0xFF, 0, 0x61], "a"),
            (.utf16, [0xFF, 0xFE, 0x61, 0], "a"), (.utf16, [0, 0x61], "a"), (.utf16, [], ""),
            (.utf16BigEndian, [0xFE, 0xFF, 0, 0x61], "a"), (.utf16LittleEndian, [0xFF, 0xFE, 0x61, 0], "a"),
            (.utf16BigEndian, [0x01, 0x61], "š"), (.utf16LittleEndian, [0x61, 0x01], "š"),
        ] as [(TextEncoding, [UInt8], String)]
    )
    func marks(encoding: TextEncoding, bytes: [UInt8], text: String) {
        #expect(encoding.decode(bytes) == text)
    }

    @Test(
        "bytes that are no text of an encoding are none",
        arguments: [
            (.utf8, [0xFF]), (.utf16, [0]), (.utf16BigEndian, [0xD8, 0x34]), (.utf16LittleEndian, [0x61, 0, 0]),
            (.other("EUC-JP-MS"), [0xC6]), (.other("EUC-JP-MS"), [0x61, 0xFF]), (.other("no such encoding"), [0x61]),
        ] as [(TextEncoding, [UInt8])]
    )
    func invalid(encoding: TextEncoding, bytes: [UInt8]) {
        #expect(encoding.decode(bytes) == nil)
    }

    @Test("other encodings are those of the system")
    func others() {
        #expect(TextEncoding.other("KOI8-R").decode([0xF0, 0xD2]) == "Пр")
        #expect(TextEncoding.other("EUC-JP-MS").decode([0xC6, 0xFC, 0x61, 0xCB, 0xDC]) == "日a本")
        #expect(TextEncoding.other("KOI8-R").decode([]) == "")
    }

    @Test(
        "an encoding is found by its names in any case; other names mean what they mean in browsers",
        arguments: [
            ("UTF-8", .utf8), ("utf8", .utf8), ("US-ASCII", .ascii), ("ISO-8859-1", .isoLatin1), ("latin1", .isoLatin1),
            ("CP1252", .windows1252), ("x-cp1252", .windows1252), ("utf16", .utf16), ("UTF-16BE", .utf16BigEndian),
            ("utf-16le", .utf16LittleEndian), ("KOI8-R", .other("KOI8-R")), ("unicode11utf8", .utf8), ("x-none", nil),
        ] as [(String, TextEncoding?)]
    )
    func names(name: String, encoding: TextEncoding?) {
        #expect(TextEncoding(ianaName: name) == encoding)
        if let encoding { #expect(TextEncoding(ianaName: encoding.ianaName) == encoding) }
    }

    @Test("each encoding has its preferred name in lower case, and its usual aliases")
    func aliases() {
        let all: [(TextEncoding, [String])] = [
            (.utf8, ["utf-8", "utf8"]), (.ascii, ["us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us"]),
            (.isoLatin1, ["iso-8859-1", "iso_8859-1", "latin1", "l1", "iso8859-1"]),
            (.windows1252, ["windows-1252", "cp1252"]), (.utf16, ["utf-16", "utf16"]),
            (.utf16BigEndian, ["utf-16be"]), (.utf16LittleEndian, ["utf-16le"]), (.other("KOI8-R"), ["koi8-r"]),
        ]
        for (encoding, names) in all {
            #expect(encoding.ianaName == names.first)
            for name in names { #expect(TextEncoding(ianaName: name) == encoding, "\(name)") }
        }
    }

    @Test(
        "a label of any other encoding means what the Encoding Standard says, or the superset that it asks for",
        arguments: [
            ("866", [0x80, 0xA0], "Аа"), ("l2", [0xA1, 0xB1], "Ąą"), ("latin3", [0xA1], "Ħ"),
            ("iso-ir-110", [0xA2, 0xC1], "ĸÁ"), ("cyrillic", [0xA1], "Ё"), ("ecma-114", [0xC7], "\u{627}"),
            ("sun_eu_greek", [0xB6, 0xE1], "Άα"), ("logical", [0xA4, 0xE0], "¤\u{5D0}"), ("visual", [0xE0], "\u{5D0}"),
            ("l6", [0xA2, 0xC1], "ĒÁ"), ("iso8859-13", [0xA1], "”"), ("iso885914", [0xA1], "Ḃ"), ("l9", [0xA4], "€"),
            ("iso-8859-16", [0xA3], "Ł"), ("koi", [0xC1, 0xA4], "а╓"), ("koi8-ru", [0xC1, 0xA4], "ає"),
            ("x-mac-roman", [0x8E], "é"), ("x-mac-ukrainian", [0x80, 0xE0], "Аа"), ("tis-620", [0x80, 0xA1], "€ก"),
            ("x-cp1250", [0x8C, 0xB1], "Ś±"), ("x-cp1251", [0x80, 0xC0], "ЂА"), ("x-cp1253", [0xA2, 0xE1], "Άα"),
            ("latin5", [0x80, 0xD0], "€Ğ"), ("x-cp1255", [0xA4, 0xE0], "\u{20AA}\u{5D0}"),
            ("x-cp1256", [0x81, 0xC7], "\u{67E}\u{627}"), ("x-cp1257", [0x80, 0xC0], "€Ą"),
            ("x-cp1258", [0x80, 0xFE], "€₫"), ("chinese", [0xD6, 0xD0, 0xA2, 0xE3], "中€"),
            ("x-x-big5", [0x88, 0x62, 0xA4, 0xA4], "\u{CA}\u{304}中"), ("x-euc-jp", [0xAD, 0xA1, 0xC6, 0xFC], "①日"),
            ("csiso2022jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"),
            ("ms_kanji", [0x87, 0x40, 0x93, 0xFA], "①日"), ("korean", [0x81, 0x41, 0xC7, 0xD1], "갂한"),
            ("unicodeFFFE", [0, 0x61], "a"), ("csUnicode", [0x61, 0], "a"), ("iso-2022-kr", [0x61], nil),
            ("hz-gb-2312", [0x61], nil), ("replacement", [0x61], nil),
        ] as [(String, [UInt8], String?)]
    )
    func labels(label: String, bytes: [UInt8], text: String?) {
        #expect(TextEncoding(ianaName: label)?.decode(bytes) == text)
    }

    @Test("only the two encodings of 16 bits are UTF-16")
    func sixteenBits() {
        for label in ["utf-16", "UTF-16BE", "utf-8", "latin1", "koi8-r"] {
            #expect(CharacterEncoding(label: Array(label.utf8))?.isUTF16 == label.lowercased().hasPrefix("utf-16"))
        }
    }
}
