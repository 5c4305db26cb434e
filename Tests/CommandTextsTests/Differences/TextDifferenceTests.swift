import CommandTexts
import Testing

/// Unified diffs.
@Suite struct TextDifferenceTests {
    @Test("text is compared line by line, with two lines around")
    func text() {
        let old = (1...20).map { "line \($0)" }
        var new = old
        new[9] = "other"
        new.append("last")
        let lines = TextDifference.lines(
            from: old.joined(separator: "\n") + "\n",
            to: new.joined(separator: "\n") + "\n"
        )
        #expect(
            lines == [
                "@@ -8,5 +8,5 @@", " line 8", " line 9", "-line 10", "+other", " line 11", " line 12",
                "@@ -19,2 +19,3 @@", " line 19", " line 20", "+last",
            ]
        )
        #expect(TextDifference.lines(from: "a\n", to: "a\n").isEmpty)
        #expect(TextDifference.lines(from: "", to: "a\u{1B}[2J\n") == ["@@ -1,0 +1,1 @@", "+a\u{FFFD}[2J"])
    }
}
