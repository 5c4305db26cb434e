import Testing

@testable import Terminal

/// Which pager is used, and when.
@Suite struct PagedOutputTests {
    @Test(
        "the pager is RESPITE_PAGER, else PAGER, else less; none if that is empty, cat or not installed",
        arguments: [
            ([:], "less"), (["PAGER": "more"], "more"), (["PAGER": "more", "RESPITE_PAGER": "less -S"], "less -S"),
            (["PAGER": "more", "RESPITE_PAGER": ""], nil), (["PAGER": "cat"], nil), (["PAGER": "absent -x"], nil),
            (["PAGER": "'a b' -c"], "'a b' -c"), (["TERM": "dumb"], nil),
        ] as [([String: String], String?)]
    )
    func command(environment: [String: String], expected: String?) {
        #expect(PagedOutput.command(environment) { $0 == "less" || $0 == "more" } == expected)
    }

    @Test(
        "lines are those of the screen: a long one needs several",
        arguments: [("a\nb\n", 2), ("", 0), ("12345678901\n\n", 3)]
    )
    func lines(text: String, expected: Int) { #expect(PagedOutput.lines(Array(text.utf8), columns: 10) == expected) }
}
