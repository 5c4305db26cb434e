import HTTPCore
import Testing

/// What is said of a text that is no pattern, or no URL.
@Suite("Sentences about faulty patterns") struct PatternSentenceTests {
    @Test(
        "each fault of a pattern has its sentence",
        arguments: [
            ("", "the pattern is empty; `**` is everything"),
            (String(repeating: "a", count: 4097), "the pattern is longer than 4096 bytes"),
            ("http://h.example/a b", "a pattern holds no blank or control character; write `%20` for a blank"),
            ("http://h.example/a#b", "a pattern holds no fragment; leave out `#` and what follows, or write `%23`"),
            ("ftp://h.example/x", "the scheme of a pattern is `http`, `https` or `*`"),
            ("http://user@h.example/x", "a pattern holds no user name; leave out what stands before `@`"),
            ("http:///x", "the pattern has no host; `*` is every host"),
            ("http://bücher.example/", "the host of a pattern is ASCII; write its `xn--` form"),
            ("http://h%2E/", "the host of a pattern is ASCII; write its `xn--` form"),
            ("http://::1/x", "a host has one `:`, before its port; an IPv6 address stands in brackets: `[::1]`"),
            ("http://[::1/x", "nothing closes this `[`"),
            ("http://[::1]x/", "behind the `]` of an address stands nothing but `:PORT`"),
            ("http://h.example:0/x", "the port of a pattern is a number from 1 to 65535, or `*` for every port"),
            ("http://h.example:65536/x", "the port of a pattern is a number from 1 to 65535, or `*` for every port"),
            ("http://h.example/a}", "a `}` closes nothing; write `%7D` for the letter"),
            (
                "http://h.example/" + String(repeating: "{a,b}", count: 7),
                "the braces stand for more than 64 combinations; split the pattern"
            ),
            (
                "http://h.example/" + String(repeating: "x", count: 400) + "{" + String(repeating: "a,", count: 63)
                    + "b}",
                "the combinations of the braces are longer than 16384 bytes; split the pattern"
            ),
            (
                "http://h.example/{a,{b,c}}",
                "braces stand inside braces; list the alternatives side by side: `{a,b,c}`"
            ),
            (
                "http://h.example/{a}",
                "braces list alternatives: `{a,b}`; write `*` for any text, `%7B` and `%7D` for the letters"
            ),
            ("http://h.example/{a,b", "nothing closes this `{`; write `%7B` for the letter"),
        ] as [(String, String)]
    )
    func patterns(text: String, sentence: String) {
        let error = #expect(throws: URLGlob.SyntaxError.self) { try URLGlob(text) }
        #expect(error?.userMessage == sentence)
        if let error { #expect(error.message(in: text) == "\(sentence) (character \(error.column(in: text)))") }
    }

    @Test("64 combinations are a pattern, and a port may be the first or the last one")
    func bounds() {
        for text in [
            "http://h.example/" + String(repeating: "{a,b}", count: 6), "http://h.example:1/",
            "http://h.example:65535/",
        ] {
            #expect(throws: Never.self) { try URLGlob(text) }
        }
    }

    @Test("where only hosts are known no path is asked for; what fits nothing is told so")
    func hosts() throws {
        let error = #expect(throws: URLGlob.SyntaxError.self) { try HostPattern("a.example/x") }
        #expect(error?.userMessage == "only the host is known here, no path; the pattern is HOST or HOST:PORT")
        #expect(error?.column(in: "a.example/x") == 10)
        #expect(try HostPattern("http://a.example/**").warning?.reason == "fits nothing: CONNECT leads to https")
        let dots = "fits nothing: segments `.` and `..` are resolved before a URL is compared"
        #expect(try URLGlob("https://h.example/a/../b").warning()?.reason == dots)
    }

    @Test("each fault of a list of URLs has its sentence")
    func lists() {
        let sentences = URLList(parsing: Array("http://a.example/*\n{\nx\n".utf8)).faults.map(\.userMessage)
        let pattern = "a list has URLs and no patterns; write a * of a URL as %2A and a { as %7B"
        let none = "this is no http or https URL; write one, such as https://example.org/x, or # in front"
        #expect(sentences == [pattern, pattern, none])
    }
}
