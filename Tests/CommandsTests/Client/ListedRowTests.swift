import JSON
import Testing

@testable import Commands
@testable import Terminal

/// Rows of `respite tunnels` and `respite log`.
@Suite struct ListedRowTests {
    private static func json(_ text: String) throws -> JSONValue { try JSONReader.parse(Array(text.utf8)) }

    @Test("a tunnel's row has its bytes up and down, when it was opened and how long it has been idle")
    func tunnels() throws {
        let row = TunnelsCommand.row(
            try Self.json(
                """
                {"id":7,"client":"127.0.0.1:1","route":"forward","state":"open","bytesUp":2048,"bytesDown":3072,\
                "ageSeconds":180,"idleSeconds":61,"target":"a.example:443"}
                """
            )
        )
        #expect(
            row.map(\.human) == [
                "7", "127.0.0.1:1", "forward", "open", "2.0 KiB", "3.0 KiB", "3 min ago", "1 min", "a.example:443",
            ]
        )
        #expect(
            row.map(\.plain) == [
                "7", "127.0.0.1:1", "forward", "open", "2048", "3072", "180", "61", "a.example:443",
            ]
        )
        #expect(TunnelsCommand.row(.object([])).map(\.human) == [String](repeating: "-", count: 9))
    }

    @Test("each category is on, which is green, or off")
    func categories() throws {
        let rows = LogCommand.rows(try Self.json(#"{"categories":["a","b"],"enabled":["b"]}"#))
        #expect(rows.map { $0.map(\.human) } == [["a", "off"], ["b", "on"]])
        #expect(rows.map { $0.map(\.color) } == [[nil, nil], [nil, 32]])
    }
}
