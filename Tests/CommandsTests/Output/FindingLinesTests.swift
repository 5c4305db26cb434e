import Settings
import Testing

@testable import Commands
@testable import Terminal

/// Findings for programs.
@Suite struct FindingLinesTests {
    private static let findings = [
        Finding.ok("clock", "right"), .note("IPv6", "none"), .fault("store", "cannot be written", "chmod 700 /d"),
    ]

    @Test("each finding is a line of four values")
    func plain() {
        #expect(
            FindingText.text(Self.findings, on: .none)
                == "ok\tclock\tright\t-\nnote\tIPv6\tnone\t-\nfault\tstore\tcannot be written\tchmod 700 /d\n"
        )
    }

    @Test("JSON has all of it, and ends with a line's end")
    func json() {
        #expect(
            String(decoding: FindingText.json(Self.findings), as: UTF8.self) == """
                {"faults":1,"findings":[{"subject":"clock","verdict":"ok","seen":"right"},\
                {"subject":"IPv6","verdict":"note","seen":"none"},\
                {"subject":"store","verdict":"fault","seen":"cannot be written","remedy":"chmod 700 /d"}]}

                """
        )
    }

    @Test("a mark has the colour of its verdict, a remedy one of its own")
    func colors() {
        let screen = Screen(isTerminal: true, columns: 80, environment: [:])
        let text = FindingText.text(Self.findings, on: screen)
        for part in [
            "\u{1B}[32m✓ clock", "\u{1B}[33m• IPv6", "\u{1B}[31m✗ store", "\u{1B}[36m→ chmod 700 /d",
        ] { #expect(text.contains(part), "\(part)") }
    }

    @Test("the sums have an s where they need one, and no zeros")
    func sums() {
        #expect(FindingText.summary([]) == "no fault in 0 checks")
        #expect(FindingText.summary([.note("a", "b"), .note("c", "d")]) == "no fault, 2 notes in 2 checks")
        #expect(
            FindingText.summary([.fault("a", "b", "c"), .fault("a", "b", "c"), .ok("a", "b")])
                == "2 faults in 3 checks"
        )
    }
}
