import Platform
import Testing

@Suite("Text for terminals") struct TerminalTextTests {
    @Test(
        "what a terminal would act on, or nobody can see, is replaced",
        arguments: [
            ("abc äö 漢 👍", "abc äö 漢 👍"), ("a\u{1B}[2J", "a\u{FFFD}[2J"), ("a\nb\u{7F}", "a\u{FFFD}b\u{FFFD}"),
            ("\u{202E}x\u{2028}\u{2029}", "\u{FFFD}x\u{FFFD}\u{FFFD}"), ("\u{E000}\u{378}", "\u{FFFD}\u{FFFD}"),
            ("", ""),
        ]
    )
    func printable(text: String, expected: String) {
        #expect(TerminalText.printable(text) == expected)
    }

    @Test(
        "what is too long has its middle left out",
        arguments: [
            (nil, "abcdefgh"), (9, "abcdefgh"), (8, "abcdefgh"), (7, "abc…fgh"), (6, "ab…fgh"), (3, "a…h"), (2, "…h"),
            (1, "…"), (0, ""), (-1, ""),
        ] as [(Int?, String)]
    )
    func shortened(limit: Int?, expected: String) {
        #expect("abcdefgh".shortened(to: limit) == expected)
    }
}
