import HTTPCore
import Testing

@Suite struct PercentEncodingTests {
    @Test(
        "an escape is a percent sign and two digits of either case, and all else stays",
        arguments: [
            ("", ""), ("a", "a"), ("%41", "A"), ("x%41", "xA"), ("%41%42c", "ABc"), ("%", "%"), ("%4", "%4"),
            ("%4g", "%4g"), ("%g4", "%g4"), ("%2B", "+"), ("%25%34%31", "%41"), ("a%7", "a%7"), ("%%41", "%A"),
            ("%6a", "j"), ("%6A", "j"), ("%C3%a9", "é"),
        ]
    )
    func escapes(text: String, expected: String) {
        // The bytes of a slice do not begin at zero.
        for form in [text, "0\(text)"] {
            let bytes = Array(form.utf8)[(form.utf8.count - text.utf8.count)...]
            #expect(String(decoding: PercentEncoding.decoded(bytes), as: UTF8.self) == expected)
            #expect(String(decoding: PercentEncoding.decoded(bytes, plusIsBlank: true), as: UTF8.self) == expected)
        }
    }

    @Test("a plus sign is a blank in a form only, and an escaped one is none")
    func plus() {
        let bytes = Array("+a+%2B".utf8)[...]
        #expect(PercentEncoding.decoded(bytes) == Array("+a++".utf8))
        #expect(PercentEncoding.decoded(bytes, plusIsBlank: true) == Array(" a +".utf8))
    }
}
