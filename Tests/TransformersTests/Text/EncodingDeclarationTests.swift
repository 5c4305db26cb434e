import Testing

@testable import Transformers

/// Encodings that content declares itself.
@Suite("Declared encodings") struct EncodingDeclarationTests {
    private static func xml(_ text: String) -> String? {
        EncodingDeclaration.xml(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func html(_ bytes: [UInt8]) -> String? {
        EncodingDeclaration.html(bytes).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "an XML declaration is at the very beginning and ends, and its label has quotes or ends with the declaration",
        arguments: [
            ("<?xml version=\"1.0\" encoding=\"koi8-r\"?><a>", "koi8-r"), ("<?xml encoding = 'A' ?>", "A"),
            ("<?xml encoding=a?>", "a"), (" <?xml encoding='a'?>", nil), ("<?xml encoding='a'", nil),
            ("<?xml?><a encoding='a'>", nil), ("<?xml encoding?>", nil), ("<?xml encoding=?>", nil),
            ("<?xml encoding=''?>", nil), ("<?xm encoding='a'?>", nil), ("<?xml encoding='a b'?>", "a b"),
        ] as [(String, String?)]
    )
    func xml(text: String, label: String?) {
        #expect(Self.xml(text) == label)
    }

    @Test(
        "the first meta element of HTML with a charset declares it",
        arguments: [
            ("<meta charset=koi8-r>", "koi8-r"), ("<!doctype html><META CHARSET=\"KOI8-R\">", "koi8-r"),
            ("<meta name=x><meta charset=a/><meta charset=b>", "a"), ("<meta content='text/html; charset=a;b'>", "a"),
            ("<meta x>charset=a", nil), ("<meta charset>", nil), ("<meta charset='a b'>", "a b"), ("<met", nil),
            ("<meta charset=a?b>", "a"), ("<meta charset=\"a'b\">", "a'b"), ("<meta charset=a\"b>", "a"), ("", nil),
            ("<metacharset=a", "a"), ("<meta charset=''><meta charset=b", "b"), ("<meta charset=a'b>", "a"),
        ] as [(String, String?)]
    )
    func html(text: String, label: String?) {
        #expect(Self.html(Array(text.utf8)) == label)
    }

    @Test("only blanks may stand around the equals sign")
    func blanks() {
        for byte in UInt8.min...UInt8.max {
            let isBlank = byte == 0x20 || 0x09...0x0D ~= byte
            let before = Self.html(Array("<meta charset".utf8) + [byte] + Array("=a>".utf8))
            #expect(before == (isBlank ? "a" : byte == 0x3D ? "=a" : nil), "\(byte)")
            guard isBlank else { continue }
            #expect(Self.html(Array("<meta charset=".utf8) + [byte] + Array("a>".utf8)) == "a", "\(byte)")
            #expect(Self.html(Array("<meta charset=a".utf8) + [byte] + Array("b>".utf8)) == "a", "\(byte)")
        }
    }

    @Test("a declaration is within the first 1024 bytes", arguments: [(1009, "a"), (1010, nil)] as [(Int, String?)])
    func reach(before: Int, label: String?) {
        #expect(Self.html([UInt8](repeating: 0x20, count: before) + Array("<meta charset=a>".utf8)) == label)
    }

    @Test("byte order marks have two or three bytes")
    func marks() {
        func mark(_ bytes: [UInt8]) -> String {
            EncodingDeclaration.byteOrderMark(bytes).map { "\($0.encoding) \($0.count)" } ?? "none"
        }
        #expect(mark([0xEF, 0xBB, 0xBF, 0x61]) == "utf8 3")
        #expect(
            mark([0xFE, 0xFF]) == "converted(\"UTF-16BE\") 2" && mark([0xFF, 0xFE]) == "converted(\"UTF-16LE\") 2"
        )
        for bytes in [[], [0xEF, 0xBB], [0xFE], [0xFF], [0xFF, 0xFF], [0xEF, 0xBB, 0xBE]] as [[UInt8]] {
            #expect(mark(bytes) == "none")
        }
    }
}
