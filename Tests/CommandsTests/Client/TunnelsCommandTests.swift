import Testing

@testable import Commands
@testable import Terminal

/// Which columns of tunnels fit a terminal.
@Suite struct TunnelsCommandTests {
    private static func terminal(_ width: Int) -> Screen {
        Screen(isTerminal: true, columns: width, environment: ["NO_COLOR": "1"])
    }

    @Test("the less wide the terminal is, the fewer columns of tunnels there are; the target stays")
    func tunnels() {
        func titles(_ width: Int) -> Set<Substring> {
            let words = TunnelsCommand.table.heading(on: Self.terminal(width)).dropLast().split(separator: " ")
            // The last title is shortened.
            return Set(words.dropLast())
        }
        var (shown, left) = (titles(200), [Substring]())
        for width in stride(from: 199, to: 7, by: -1) {
            let now = titles(width)
            left += shown.subtracting(now)
            shown = now
        }
        #expect(left == ["IDLE", "ID", "ROUTE", "OPENED", "UP", "DOWN", "CLIENT", "STATE"] && shown.isEmpty)
    }
}
