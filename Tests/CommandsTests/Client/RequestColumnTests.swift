import JSON
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// The columns of `respite tail` and `respite ls`, and sums.
@Suite struct RequestColumnTests {
    private static func json(_ text: String) throws -> JSONValue { try JSONReader.parse(Array(text.utf8)) }

    private static let all: [RequestColumn] = [.id, .time, .status, .cache, .method, .duration, .size]

    @Test("each column of requests has its title and its width; the URL stands behind them")
    func titles() {
        let table = RequestColumn.table(Self.all)
        #expect(
            table.columns.map { "\($0.title) \($0.width)" } == [
                "ID 10", "TIME (UTC) 12", "STATUS 6", "CACHE 11", "METHOD 7", "TOOK 7", "SIZE 8", "URL 3",
            ]
        )
    }

    @Test(
        "a line has the columns for which it has room",
        arguments: [
            (nil, [.time, .status, .cache, .method, .duration, .size]),
            (100, [.time, .status, .cache, .method, .duration, .size]), (99, [.time, .status, .cache, .duration]),
            (60, [.time, .status, .cache, .duration]), (59, [.status, .cache]), (40, [.status, .cache]),
            (39, [.status]), (0, [.status]),
        ] as [(Int?, [RequestColumn])]
    )
    func fitting(width: Int?, columns: [RequestColumn]) {
        #expect(RequestColumn.fitting(width) == columns && RequestPrinter.columns(false, width) == columns)
        #expect(RequestPrinter.columns(true, width.map { $0 + 12 }) == [.id] + columns)
    }

    @Test("a value that is not told is a dash, and words have their colours")
    func cells() throws {
        for column in Self.all { #expect(column.cell(.null).plain == "-", "\(column)") }
        #expect(RequestColumn.status.cell(try Self.json("{\"status\":0}")).plain == "-")
        for (status, color) in [(200, nil), (301, 36), (404, 33), (503, 31)] as [(Int, Int?)] {
            let cell = RequestColumn.status.cell(try Self.json("{\"status\":\(status)}"))
            #expect(cell.plain == "\(status)" && cell.color == color)
        }
        for (word, color) in [("hit", 32), ("stale", 33), ("refused", 31), ("error", 31), ("miss", nil)]
            as [(String, Int?)]
        {
            let cell = RequestColumn.cache.cell(try Self.json("{\"cache\":\"\(word)\"}"))
            #expect(cell.plain == word && cell.color == color)
        }
        let time = RequestColumn.time.cell(try Self.json("{\"time\":\"2023-11-14T22:13:20.123Z\"}"))
        #expect(time.human == "22:13:20.123" && time.plain == "2023-11-14T22:13:20.123Z")
    }

    @Test("a URL is shortened to what the line leaves, but to no less than eight characters")
    func urls() throws {
        let request = try Self.json("{\"status\":200,\"url\":\"http://a.example/0123456789\"}")
        func url(_ width: Int?) throws -> Table.Cell {
            try #require(RequestPrinter.row(request, [.status], width: width).last)
        }
        #expect(try url(nil).human == "http://a.example/0123456789" && url(35).human == "http://a.example/0123456789")
        #expect(try url(34).human.count == 26 && url(20).human.count == 12 && url(9).human.count == 8)
        #expect(try url(9).plain == "http://a.example/0123456789")
        #expect(RequestPrinter.row(.null, [], width: 20).map(\.human) == ["-"])
    }

    @Test("on a narrow terminal the columns of a listing go by their ranks")
    func ranks() {
        func text(_ isLong: Bool) -> [String] {
            ListColumn.allCases.map { one in
                let column = one.column(isLong: isLong)
                return "\(column.title) \(column.rank)\(column.isNumber ? " number" : "")"
            }
        }
        #expect(
            text(false) == [
                "STATE 0", "STATUS 3 number", "SIZE 1 number", "AGE 2 number", "FOR 8", "HITS 7 number", "IN 3",
                "VARIANTS 4 number", "TYPE 2", "URL 0",
            ]
        )
        #expect(text(true)[1] == "STATUS 6 number" && text(true)[3] == "AGE 5 number")
        #expect(ListColumn.type.column(isLong: true).most == 20)
        #expect(ListColumn.usual == [.state, .status, .size, .age, .partition, .hits, .url])
    }

    @Test("a cell of a listing has what the daemon tells")
    func listing() throws {
        let resource = try Self.json(
            """
            {"uri":"http://h.example/","state":"fresh","ttlSeconds":7200,"status":200,"size":2048,"ageSeconds":60,
            "partition":"shared","hits":3,"inMemory":true,"variants":2,"contentType":"text/css"}
            """
        )
        #expect(
            ListColumn.allCases.map { $0.cell(resource).plain } == [
                "fresh", "200", "2048", "60", "shared", "3", "memory", "2", "text/css", "http://h.example/",
            ]
        )
        #expect(
            ListColumn.allCases.map { $0.cell(.null).plain } == ["-", "-", "-", "-", "-", "-", "store", "-", "-", "-"]
        )
        for (state, seconds, text) in [
            ("fresh", 1, "fresh for 1 s"), ("fresh", 0, "fresh"), ("stale", -1, "stale for 1 s"), ("stale", 0, "stale"),
            ("stale", 5, "stale"), ("fresh", -1, "fresh"), ("loading", 5, "loading"),
        ] {
            let cell = Table.Cell.standing(try Self.json("{\"state\":\"\(state)\",\"ttlSeconds\":\(seconds)}"))
            #expect(cell.human == text && cell.plain == state)
        }
    }

    @Test("the sums are those of variants where a resource has some")
    func totals() throws {
        var totals = ListTotals()
        #expect(totals.text == "0 resources, 0 B, 0 hits")
        totals.add(try Self.json(#"{"size":1000,"hits":1,"variants":2}"#))
        #expect(totals.text == "1 resource, 1000 B, 1 hit" && totals.count == 1)
        totals.add(try Self.json(#"{"size":7,"hits":7,"variants":[{"size":24,"hits":2},{"size":1024,"hits":3},{}]}"#))
        #expect(totals.text == "2 resources, 2.0 KiB, 6 hits")
    }

    @Test("the summary of a refresh names what there was, and the size that is known")
    func summary() {
        var progress = RefreshProgress(total: 0, on: .none)
        #expect(progress.summary == "0 loaded" && progress.line == "[\(String(repeating: "-", count: 30))] 0/0")
        progress.note(isNotModified: true, bytes: nil)
        #expect(progress.summary == "0 loaded, 1 not modified")
        progress.note(isNotModified: false, bytes: 5)
        progress.note(isNotModified: false, bytes: 6)
        progress.noteFailure()
        #expect(progress.summary == "2 loaded, 1 not modified, 1 failed, 11 B" && progress.failures == 1)
    }
}
