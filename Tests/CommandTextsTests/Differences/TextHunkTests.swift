import CommandTexts
import Testing

/// Where the parts of a difference begin and end.
@Suite struct TextHunkTests {
    private static func text(_ lines: [String]) -> String { lines.map { "\($0)\n" }.joined() }

    private static func lines(_ count: Int, changing changed: Set<Int> = []) -> [String] {
        (1...count).map { changed.contains($0) ? "new \($0)" : "\($0)" }
    }

    @Test(
        "changes with no more than four equal lines between them are in one part",
        arguments: [(4, 1), (5, 1), (6, 2), (7, 2)]
    )
    func near(distance: Int, parts: Int) {
        let found = TextDifference.lines(
            from: Self.text(Self.lines(20)),
            to: Self.text(Self.lines(20, changing: [8, 8 + distance]))
        )
        #expect(found.count { $0.hasPrefix("@@") } == parts)
        #expect(found.count { $0.hasPrefix(" ") } == min(distance - 1, 4) + 4)
        #expect(found.first == (parts == 1 ? "@@ -6,\(5 + distance) +6,\(5 + distance) @@" : "@@ -6,5 +6,5 @@"))
    }

    @Test(
        "a change at an end has lines on one side alone",
        arguments: [
            ("a\n", "b\n", ["@@ -1,1 +1,1 @@", "-a", "+b"]), ("a\n", "", ["@@ -1,1 +1,0 @@", "-a"]),
            ("a\nb\nc\nd\n", "x\nb\nc\nd\n", ["@@ -1,3 +1,3 @@", "-a", "+x", " b", " c"]),
            ("a\nb\nc\nd\n", "a\nb\nc\n", ["@@ -2,3 +2,2 @@", " b", " c", "-d"]),
            ("a\nb\n", "a\nx\nb\n", ["@@ -1,2 +1,3 @@", " a", "+x", " b"]),
            ("a\r\nb\r\n", "a\nb\n", []), ("a", "a\n", []), ("a\n\nb", "a\nb", ["@@ -1,3 +1,2 @@", " a", "-", " b"]),
            ("a\tb\n", "\tb\n", ["@@ -1,1 +1,1 @@", "-a    b", "+    b"]),
            ("x\nx\n", "x\nx\nx\n", ["@@ -1,2 +1,3 @@", " x", " x", "+x"]),
        ]
    )
    func ends(old: String, new: String, lines: [String]) {
        #expect(TextDifference.lines(from: old, to: new) == lines)
    }

    @Test("of very long texts all lines between the equal ends are changed ones", arguments: [(1498, 2), (1499, 1501)])
    func long(equal: Int, removed: Int) {
        let middle = Self.lines(equal)
        let found = TextDifference.lines(
            from: Self.text(["same", "a"] + middle + ["b", "end"]),
            to: Self.text(["same", "c"] + middle + ["d", "end"])
        )
        #expect(found.count { $0.hasPrefix("-") } == removed && found.count { $0.hasPrefix("+") } == removed)
        #expect(found.dropFirst().first == " same" && found.last == " end")
    }
}
