import JSON
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// How `respite tail` reads and shows requests.
@Suite struct TailTests {
    private static let request = """
        {"id":"1a2b","time":"2023-11-14T22:13:20.123Z","client":"127.0.0.1","method":"GET",\
        "url":"http://a.example/a/long/path/to/file.txt","status":404,"cache":"miss","bytes":2048,\
        "durationMicroseconds":1234}
        """

    private static func row(_ width: Int?) throws -> [String] {
        let json = try JSONReader.parse(Array(request.utf8))
        return RequestPrinter.row(json, RequestColumn.fitting(width), width: width).map(\.human)
    }

    private static func screen(_ width: Int) -> Screen {
        Screen(isTerminal: true, columns: width, environment: ["NO_COLOR": "1"])
    }

    @Test("a row has time, status, outcome, method, duration, size and URL; a narrow line has less")
    func rows() throws {
        let url = "http://a.example/a/long/path/to/file.txt"
        #expect(try Self.row(nil) == ["22:13:20.123", "404", "miss", "GET", "1.2 ms", "2.0 KiB", url])
        #expect(try Self.row(200) == Self.row(nil))
        #expect(try Self.row(100).last == "http://a.example/a…g/path/to/file.txt")
        #expect(try Self.row(60).count == 5 && Self.row(40).count == 3 && Self.row(20).count == 2)
        for width in [20, 39, 40, 59, 60, 80, 99, 100, 120] {
            let columns = RequestColumn.fitting(width)
            let json = try JSONReader.parse(Array(Self.request.utf8))
            let table = RequestColumn.table(columns)
            let text = table.text([RequestPrinter.row(json, columns, width: width)], on: Self.screen(width))
            #expect(text.count <= width + 1 && text.contains("…") == (text.count == width + 1), "\(width): \(text)")
        }
    }

    @Test("with identifiers a row still fits the terminal", arguments: [30, 52, 72, 80, 100, 111, 112, 200])
    func longRows(width: Int) throws {
        let columns = RequestPrinter.columns(true, width)
        let json = try JSONReader.parse(Array(Self.request.utf8))
        let row = RequestPrinter.row(json, columns, width: width)
        let text = RequestColumn.table(columns).text([row], on: Self.screen(width))
        #expect(columns.first == .id && text.count <= width + 1, "\(text)")
    }

    @Test(
        "times have the unit in which they read best",
        arguments: [
            (0, "0 µs"), (999, "999 µs"), (1000, "1.0 ms"), (9_949, "9.9 ms"), (9_950, "10 ms"), (250_400, "250 ms"),
            (999_499, "999 ms"), (999_500, "1.0 s"), (12_340_000, "12.3 s"), (59_950_000, "1 min"),
            (123_000_000, "2 min 3 s"),
        ]
    )
    func times(microseconds: Int64, text: String) {
        #expect(Table.Cell.readable(microseconds: microseconds) == text)
    }

    @Test("events are read from pieces of any size; comments and other lines are passed over")
    func events() {
        let blocks = [": respite\nretry: 1000", "id: 1\nevent: request\ndata: {}", ":", "event: gap\ndata: {}", ""]
        let text = Array(blocks.joined(separator: "\n\n").utf8)
        for size in 1...text.count {
            var reader = EventReader()
            var found: [EventReader.Event] = []
            for start in stride(from: 0, to: text.count, by: size) {
                found += reader.read(Array(text[start..<min(text.count, start + size)]))
            }
            #expect(found.map(\.name) == ["request", "gap"] && found.allSatisfy { $0.data == Array("{}".utf8) })
        }
    }
}
