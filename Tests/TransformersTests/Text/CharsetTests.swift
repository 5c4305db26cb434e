import HTTPCore
import Transforms
import TestSupport
import Testing

@testable import Transformers

@Suite("Charset to UTF-8")
struct CharsetTests {
    private struct Result: Equatable {
        var text: String?
        var type: String?
    }

    private func apply(_ content: [UInt8], _ type: String, _ run: Run = Run()) throws(TransformFailure) -> Result {
        var run = run
        var response = head(("Content-Type", type), ("Content-Length", "9"))
        let transformer: CharsetTransformer
        do { transformer = try CharsetTransformer() } catch { throw TransformFailure(.failed, error.userMessage) }
        let result = try run.transform(transformer, &response, content)
        return Result(
            text: result.map { String(decoding: $0, as: UTF8.self) },
            type: response.fields.text(of: .contentType)
        )
    }

    private func failure(_ content: [UInt8], _ type: String, _ run: Run = Run()) -> TransformFailure? {
        do throws(TransformFailure) { _ = try apply(content, type, run) } catch { return error }
        return nil
    }

    @Test(
        "the charset parameter counts, wherever it stands, and becomes utf-8 (S-078)",
        arguments: [
            ("text/plain; charset=iso-8859-1", "text/plain; charset=utf-8"),
            ("text/plain; version=1; Charset=\"Latin1\"; x=\"a b\"", "text/plain; version=1; charset=utf-8; x=\"a b\""),
            ("TEXT/plain;charset=windows-1252;charset=utf-8", "text/plain; charset=utf-8"),
            ("text/plain; x=\"a\\\"\\\\b\"; charset=latin1", "text/plain; x=\"a\\\"\\\\b\"; charset=utf-8"),
        ]
    )
    func parameter(type: String, expected: String) throws {
        #expect(try apply([0x63, 0xE9, 0x80], type) == Result(text: "cé€", type: expected))
    }

    @Test(
        "encodings are converted, wherever the content is split",
        arguments: [
            ("koi8-r", "f0d2c9d7c5d4", "Привет"), ("windows-1251", "cff0e8e2e5f2", "Привет"),
            ("iso-8859-15", "a4", "€"), ("iso-8859-2", "b1", "ą"), ("shift_jis", "93fa967b 61", "日本a"),
            ("euc-jp", "c6fccbdc", "日本"), ("iso-2022-jp", "1b2442 467c 4b5c 1b2842 61", "日本a"),
            ("gb2312", "d6d0cec4", "中文"), ("gb18030", "81308130", "\u{80}"), ("big5", "a4a4a4e5", "中文"),
            ("euc-kr", "c7d1b1db", "한글"), ("utf-16le", "61003dd800de", "a😀"), ("utf-16be", "0061d83dde00", "a😀"),
            ("utf-8", "c3a9f09f9880", "é😀"), ("us-ascii", "61", "a"), ("windows-874", "a1", "ก"),
            ("macintosh", "8e", "é"), ("ibm866", "80", "А"), ("big5", "8862", "Ê̄"),
        ]
    )
    func encodings(label: String, bytes: String, text: String) throws {
        let content = hex(bytes)
        let expected = Result(text: text, type: "text/plain; charset=utf-8")
        let type = "text/plain; charset=\(label)"
        #expect(try apply(content, type) == expected)
        for piece in 1...content.count { #expect(try apply(content, type, Run(piece: piece, room: 1)) == expected) }
        let long = Array([[UInt8]](repeating: content, count: 1_000).joined())
        let many = Result(text: String(repeating: text, count: 1_000), type: expected.type)
        for (piece, room) in [(65_536, 262_144), (7, 100), (1_000, 300), (65_536, 16)] {
            #expect(try apply(long, type, Run(piece: piece, room: room)) == many)
        }
    }

    @Test("a byte order mark overrides the parameter, and is removed", arguments: [1, 2, 100])
    func byteOrderMark(piece: Int) throws {
        for (content, type) in [
            ("efbbbf c3a9", "text/plain; charset=iso-8859-1"), ("fffe e900", "text/plain"),
            ("feff 00e9", "application/json; charset=utf-8"),
        ] {
            #expect(try apply(hex(content), type, Run(piece: piece)).text == "é")
        }
        #expect(try apply(hex("efbbbf"), "text/plain", Run(piece: piece)).text == "")
        #expect(try apply(hex("efbb"), "text/plain", Run(piece: piece)).text == "ï»")
    }

    @Test("text without charset is UTF-8, unless its first bytes beyond ASCII are not", arguments: [1, 2, 3, 100])
    func undeclared(piece: Int) throws {
        let run = Run(piece: piece, room: 2)
        #expect(try apply(hex("61c3a9"), "text/plain", run) == Result(text: "aé", type: "text/plain; charset=utf-8"))
        #expect(try apply(hex("61e962"), "text/plain", run).text == "aéb")
        #expect(try apply(hex("e262e2"), "text/html", run).text == "âbâ")
        #expect(try apply(hex("61616161e2"), "text/css", run).text == "aaaaâ")
        #expect(try apply(hex("f09f9880e9"), "text/css", run, expecting: 4).text == nil)
        #expect(try apply([], "text/plain", run).text == "")
    }

    /// The result; nil if the failure names the byte at `position`.
    private func apply(_ content: [UInt8], _ type: String, _ run: Run, expecting position: Int) throws -> Result {
        let failure = failure(content, type, run)
        #expect(failure?.reason == .invalidContent)
        #expect(failure?.userMessage.contains("byte \(position) (") == true, "\(failure?.userMessage ?? "none")")
        return Result()
    }

    @Test(
        "a failure names the position of bytes that are not a character",
        arguments: [
            ("text/plain; charset=utf-8", "616180", 2), ("text/plain; charset=utf-8", "61c3", 1),
            ("text/plain; charset=utf-8", "efbbbf61ff", 4), ("application/json", "22e922", 1),
            ("text/xml", "3c612f3ee9", 4), ("text/plain; charset=utf-8", "c0af", 0),
            ("text/plain; charset=utf-8", "eda080", 0), ("text/plain; charset=utf-8", "61f4908080", 1),
            ("text/plain; charset=utf-8", "61f09f98", 1), ("text/plain; charset=shift_jis", "6193fa93", 3),
            ("text/plain; charset=euc-kr", "c7d1ff", 2), ("text/plain; charset=utf-16le", "6100 00dc 6100", 2),
            ("text/plain; charset=utf-16be", "0061 00", 2),
        ]
    )
    func undecodable(type: String, bytes: String, position: Int) throws {
        for piece in [1, 2, 3, 100] { _ = try apply(hex(bytes), type, Run(piece: piece), expecting: position) }
    }

    @Test("XML and HTML declare the charset where the head does not", arguments: [1, 50, 65_536])
    func declarations(piece: Int) throws {
        let run = Run(piece: piece)
        let xml = Array("<?xml version='1.0' encoding = 'koi8-r' ?><a>".utf8) + [0xD0]
        #expect(try apply(xml, "application/rss+xml", run).text?.last == "п")
        let html = Array("<html><META name=x><meta http-equiv='Content-Type' content='text/html; charset=koi8-r'>".utf8)
        #expect(try apply(html + [0xD0], "text/html", run).text?.last == "п")
        #expect(try apply(Array("<meta charset=\"koi8-r\">".utf8) + [0xD0], "text/html", run).text?.last == "п")
        let late = [UInt8](repeating: 0x20, count: 1_030) + Array("<meta charset=koi8-r>".utf8) + [0xD0]
        #expect(try apply(late, "text/html", run).text?.last == "Ð")
        #expect(try apply(html + [0xD0], "text/html; charset=iso-8859-1", run).text?.last == "Ð")
        #expect(try apply(Array("<meta charset=utf-16>é".utf8), "text/html", run).text?.last == "é")
        #expect(failure(Array("<meta charset=nonsense>".utf8), "text/html", run)?.reason == .unsupported)
    }

    @Test(
        "an unknown charset is unsupported and named; iconv's own options are not charsets",
        arguments: ["x-nonsense", "utf-7", "iso-2022-kr", "UTF-8//TRANSLIT", "hz-gb-2312"]
    )
    func unknown(label: String) {
        let failure = failure([0x61], "text/plain; charset=\"\(label)\"")
        #expect(failure == TransformFailure(.unsupported, "the charset `\(label)` is unknown"))
    }

    @Test("content that is not text stays as it is", arguments: ["image/png", "application/pdf; charset=latin1", "x"])
    func otherTypes(type: String) throws {
        #expect(try apply([0xE9], type) == Result(text: nil, type: type))
    }

    @Test("the system knows every encoding of the table, and each converts random bytes without harm")
    func noise() throws {
        var random = FixedRandom(seed: 11)
        for label in [
            "utf-8", "koi8-u", "iso-8859-16", "cp1258", "gb18030", "big5", "euc-jp", "iso-2022-jp", "sjis",
            "euc-kr", "utf-16le", "utf-16be", "x-mac-cyrillic", "iso-8859-8-i", "greek", "arabic", "windows-1255",
        ] {
            #expect(failure([], "text/plain; charset=\(label)") == nil)
            for _ in 0..<60 {
                let content = random.bytes(Int(random.next() % 64))
                let run = Run(piece: 1 + Int(random.next() % 20), room: 1 + Int(random.next() % 30))
                let failure = failure(content, "text/plain; charset=\(label)", run)
                #expect(failure == nil || failure?.reason == .invalidContent)
                // Pieces and room make no difference.
                #expect(failure == self.failure(content, "text/plain; charset=\(label)"))
            }
        }
    }

    @Test("there is no other target charset")
    func options() throws {
        _ = try CharsetTransformer(to: "UTF-8")
        #expect(throws: TransformerOptionError.self) { try CharsetTransformer(to: "latin1") }
        #expect(try CharsetTransformer().needsDecodedContent)
    }
}
