import Formats
import Testing

private func json(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

@Suite struct JSONWriterTests {
    @Test("commas are between members and elements only")
    func structure() {
        let text = json { writer in
            writer.object { writer in
                writer.member("a", 1)
                writer.memberArray("b") { writer in
                    writer.text("x")
                    writer.array { _ in }
                    writer.object { $0.member("c", true) }
                    writer.null()
                }
                writer.memberObject("d") { _ in }
                writer.member("e", 0.5)
                writer.member("f", Double.nan)
                writer.member("g", "h")
            }
        }
        #expect(text == #"{"a":1,"b":["x",[],{"c":true},null],"d":{},"e":0.5,"f":null,"g":"h"}"#)
    }

    @Test(
        "no control, terminal sequence or malformed UTF-8 gets out (H-159)",
        arguments: [
            (Array("a\"b\\c".utf8), #""a\"b\\c""#), (Array("\n\r\t\0\u{1B}".utf8), #""\n\r\t\u0000\u001b""#),
            ([0x61, 0xFF, 0x62], "\"a\u{FFFD}b\""), (Array("\u{7F}\u{85}".utf8), #""\u007f\u0085""#),
            (Array("\u{2028}\u{202E}".utf8), #""\u2028\u202e""#), (Array("ä😀".utf8), "\"ä😀\""),
            ([0xF0, 0x9F], "\"\u{FFFD}\u{FFFD}\""),
        ] as [([UInt8], String)]
    )
    func escaping(bytes: [UInt8], expected: String) {
        #expect(json { $0.text(bytes: bytes) } == expected)
    }
}
