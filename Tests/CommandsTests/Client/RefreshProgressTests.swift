import Testing

@testable import Commands
@testable import Terminal

/// The line of `respite refresh --from`.
@Suite struct RefreshProgressTests {
    private static func line(columns: Int?) -> String {
        let screen = Screen(isTerminal: true, columns: columns, environment: [:])
        var progress = RefreshProgress(total: 4, on: screen)
        progress.note(isNotModified: false, bytes: 2048)
        progress.noteFailure()
        return progress.line
    }

    @Test("the bar has 30 characters, and on a narrow terminal a third of the line")
    func bar() {
        let full = "[" + String(repeating: "#", count: 15) + String(repeating: "-", count: 15) + "]"
        #expect(Self.line(columns: nil) == "\(full) 2/4, 1 failed, 2.0 KiB")
        #expect(Self.line(columns: 120) == Self.line(columns: nil))
        #expect(Self.line(columns: 20) == "[###---] 2/4, 1 failed, 2.0 KiB")
        #expect(Self.line(columns: 2) == "[] 2/4, 1 failed, 2.0 KiB")
    }
}
