import HTTPCore
import JSON
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// What `respite top` counts and draws.
@Suite struct TopTests {
    private static func json(_ text: String) throws -> JSONValue { try JSONReader.parse(Array(text.utf8)) }

    private static func status(_ hits: Int, loads: Int = 0) throws -> JSONValue {
        try json(
            """
            {"uptimeSeconds":100,"mode":"auto","connections":3,"traffic":{"hits":\(hits),"loads":\(loads),"passes":0,\
            "failures":0,"refused":0,"bytesFromCache":\(hits * 1000),"bytesFromOrigins":0},\
            "memory":{"usedBytes":1048576,"limitBytes":2097152}}
            """
        )
    }

    private static func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    private static func request(_ url: String, _ outcome: String, _ duration: Int64, at time: Int64) -> AnsweredRequest
    {
        var request = AnsweredRequest()
        request.url = url
        request.outcome = outcome
        request.reason = outcome == "hit" ? "hit" : "uri-miss, no-lifetime-no-validator"
        request.duration = duration
        request.time = time
        request.bytes = 10
        return request
    }

    private static let long = "http://a.example/" + String(repeating: "long/", count: 60)

    private static func model() throws -> TopModel {
        var model = TopModel(try status(10), history: .null, at: time(1))
        model.note(try status(30, loads: 10), at: time(3))
        model.begin()
        let requests = [
            request(long, "miss", 9000, at: 1000), request(long, "hit", 10, at: 1001),
            request("http://b.example/", "miss", 20_000, at: 1002),
            request("http://b.example/x", "error", 500, at: 1003),
        ]
        model.add(requests, at: 2000)
        return model
    }

    @Test("rates are the rise of counters in a second; a daemon that counts from 0 again gives none")
    func rates() throws {
        var model = try Self.model()
        #expect(model.rates == TopModel.Rates(requests: 15, loads: 5, bytes: 10_000))
        model.note(try Self.status(1), at: Self.time(4))
        #expect(model.rates == TopModel.Rates())
    }

    @Test("requests older than five minutes do not count; nor do those of before, once the daemon tells them anew")
    func window() throws {
        var model = try Self.model()
        #expect(model.hits == (1, 4))
        model.trim(at: 301_002)
        #expect(model.requests.map(\.url) == ["http://b.example/", "http://b.example/x"])
        model.begin()
        #expect(model.requests.isEmpty)
    }

    @Test("tables begin with the most requests, the slowest origin and the most time lost")
    func tables() throws {
        let model = try Self.model()
        #expect(model.hottest.first == TopModel.HotURL(url: Self.long, requests: 2, hits: 1, bytes: 20))
        #expect(
            model.slowest.map(\.name) == ["http://b.example", "http://a.example"] && model.slowest.first?.mean == 10_250
        )
        #expect(model.worst.map(\.url) == ["http://b.example/", Self.long, "http://b.example/x"])
    }

    @Test(
        "a frame fits the screen, whatever its size, and its first line stays",
        arguments: [1, 5, 20, 40, 80, 200],
        [1, 3, 6, 10, 24, 60]
    )
    func fits(width: Int, height: Int) throws {
        let screen = Screen(isTerminal: true, columns: width, environment: ["NO_COLOR": "1"])
        var model = try Self.model()
        for _ in 0..<2 {
            let lines = TopFrame(model: model, address: "127.0.0.1:3129").lines(on: screen, height: height)
            #expect(lines.count <= height && "15 requests/s".hasPrefix(lines[0].prefix(13)) != lines[0].isEmpty)
            // The columns that always stay need some room.
            #expect(width < 20 || lines.allSatisfy { $0.count <= width }, "\(lines)")
            model.note(fault: "no daemon answers at 127.0.0.1:3129; trying again every second")
            model.note(try Self.status(30), at: Self.time(1))
            model.note(try Self.status(60), at: Self.time(3))
        }
    }

    @Test("the numbers of the slowest origins end below the ends of their titles")
    func columns() throws {
        let screen = Screen(isTerminal: true, columns: 80, environment: ["NO_COLOR": "1"])
        let lines = TopFrame(model: try Self.model(), address: "h").lines(on: screen, height: 24)
        let first = try #require(lines.firstIndex { $0.contains("ERRORS") })
        #expect(
            lines[first...].prefix(3) == [
                "    MEAN   SLOWEST  WAITS  ERRORS  ORIGIN",
                "   10 ms     20 ms      2       1  http://b.example",
                "  9.0 ms    9.0 ms      1       0  http://a.example",
            ]
        )
    }

    @Test("what is wrong stands in the second line, in place of the daemon's memory")
    func fault() throws {
        let screen = Screen(isTerminal: true, columns: 80, environment: [:])
        var model = try Self.model()
        let fine = TopFrame(model: model, address: "h").lines(on: screen, height: 24)
        #expect(fine[1].contains("memory 1.0 MiB of 2.0 MiB   mode auto   h"))
        model.note(fault: "no daemon answers")
        #expect(
            TopFrame(model: model, address: "h").lines(on: screen, height: 24)[1]
                == "\u{1B}[31mno daemon answers\u{1B}[0m"
        )
        model.note(try Self.status(1), at: Self.time(9))
        #expect(TopFrame(model: model, address: "h").lines(on: screen, height: 24)[1].contains("memory"))
    }

    @Test(
        "tables share the lines alike, and what one does not need is for the others",
        arguments: [([9, 9, 9], 10, [4, 3, 3]), ([1, 9, 2], 10, [1, 7, 2]), ([1, 1], 10, [1, 1]), ([5], -1, [0])]
    )
    func rooms(counts: [Int], room: Int, expected: [Int]) {
        #expect(TopFrame.rooms(counts, of: room) == expected)
    }

    @Test(
        "a narrower screen leaves out one column after the other, and the first and the last stay",
        arguments: [
            ("REQUESTS", ["BYTES", "HITS"]), ("MEAN", ["SLOWEST", "ERRORS", "WAITS"]), ("TIME", ["REASON", "MISSES"]),
        ]
    )
    func ranks(first: String, leaving: [String]) throws {
        let frame = TopFrame(model: try Self.model(), address: "h")
        var left: [String] = []
        for width in (8...120).reversed() {
            let screen = Screen(isTerminal: true, columns: width, environment: ["NO_COLOR": "1"])
            let heading = try #require(frame.lines(on: screen, height: 24).first { $0.contains(first) }, "\(width)")
            left += leaving.reversed().filter { !heading.contains($0) && !left.contains($0) }
        }
        #expect(left == leaving)
    }

    @Test("limits are shown from 40 columns on")
    func limits() throws {
        let frame = TopFrame(model: try Self.model(), address: "h")
        func second(_ width: Int) -> String {
            let screen = Screen(isTerminal: true, columns: width, environment: ["NO_COLOR": "1"])
            return frame.lines(on: screen, height: 24)[1]
        }
        #expect(second(40) == "memory 1.0 MiB of 2.0 MiB   mode auto")
        #expect(second(39) == "memory 1.0 MiB   mode auto   h")
    }

    @Test("why no requests are shown stands in the second line until there are some; a fault goes before it")
    func absence() throws {
        let screen = Screen(isTerminal: true, columns: 80, environment: [:])
        var model = try Self.model()
        func second() -> String { TopFrame(model: model, address: "h").lines(on: screen, height: 24)[1] }
        model.note(absence: "none is kept")
        #expect(model.requests.isEmpty && second() == "\u{1B}[33mnone is kept\u{1B}[0m")
        model.note(fault: "no daemon answers")
        #expect(second() == "\u{1B}[31mno daemon answers\u{1B}[0m")
        model.note(try Self.status(1), at: Self.time(9))
        #expect(second() == "\u{1B}[33mnone is kept\u{1B}[0m")
        model.begin()
        #expect(second().contains("memory"))
    }

    @Test("of very many requests the latest 10,000 count")
    func most() throws {
        var model = try Self.model()
        model.begin()
        model.add((0...10_000).map { Self.request("http://a.example/\($0)", "hit", 1, at: 1000) }, at: 1000)
        #expect(model.requests.count == 10_000 && model.requests.first?.url == "http://a.example/1")
    }
}
