import Testing

@testable import CommandTexts

/// The language of man(7).
@Suite struct ManualTextTests {
    @Test(
        "each character stands for itself: what man(7) would read otherwise is escaped",
        arguments: [
            ("a b", "a b"), ("\\", "\\e"), ("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti"),
            ("…", "..."), ("–", "\\(en"), ("é", "\\[u00E9]"), ("→", "\\[u2192]"), ("😀", "\\[u1F600]"),
            ("\u{7F}", "\\[u007F]"), ("\t", "\\[u0009]"), (" !\"#}", " !\"#}"),
        ]
    )
    func escaping(text: String, expected: String) {
        #expect(ManualText.escaped(text) == expected)
    }

    @Test("a page begins with its title; no words are divided, and no spaces added")
    func title() {
        let text = ManualText("respite.toml", section: 5, version: "1.2").text
        #expect(text == ".TH \"RESPITE.TOML\" 5 \"\" \"respite 1.2\" \"Respite\"\n.nh\n.ad l\n")
    }

    @Test("sections, paragraphs, terms and examples")
    func elements() {
        var page = ManualText("r", section: 1, version: "1")
        let start = page.text.count
        page.section("A \"b\" c")
        page.subsection("d-e")
        page.paragraphs("one\ntwo\n\n.three")
        page.item("--term", "'meaning'")
        page.item("term", behind: "<x-y>", "meaning")
        page.example("a\n\n.b\n'c")
        #expect(
            page.text.dropFirst(start) == """
                .SH "A \\(dqb\\(dq c"
                .SS "d\\-e"
                .PP
                one two
                .PP
                \\&.three
                .TP
                \\fB\\-\\-term\\fR
                \\(aqmeaning\\(aq
                .TP
                \\fBterm\\fR <x\\-y>
                meaning
                .PP
                .nf
                .RS 4
                a

                \\&.b
                \\(aqc
                .RE
                .fi

                """
        )
    }
}
