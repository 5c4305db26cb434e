import Formats
import HTTPCore
import JSON
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// The whole of what `respite stats` and `respite top` tell programs.
@Suite struct TrafficReportTests {
    private static func request(_ url: String, _ outcome: String, _ duration: Int64) -> AnsweredRequest {
        var request = AnsweredRequest()
        request.url = url
        request.outcome = outcome
        request.reason = outcome
        request.duration = duration
        request.bytes = 10
        return request
    }

    private static let status = """
        {"uptimeSeconds":90,"traffic":{"hits":60,"loads":20,"passes":10,"failures":6,"refused":4,\
        "bytesFromCache":3072,"bytesFromOrigins":1024}}
        """

    private static func report(_ requests: [AnsweredRequest]?) throws -> StatsReport {
        let status = try JSONReader.parse(Array(status.utf8))
        return StatsReport(
            period: TrafficPeriod(nil, status: status, history: .null),
            summary: requests.map { RequestSummary($0) }
        )
    }

    private static func json(_ report: StatsReport) -> String {
        var writer = JSONWriter()
        writer.object { report.write(to: &$0) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static let requests = [
        request("http://a.example/1", "miss", 3000), request("http://a.example/1", "hit", 10),
        request("http://b.example/", "error", 500),
        request("http://c.example/", "stale", 5), request("http://a.example/2", "revalidated", 1000),
        request("-", "refused", 9),
    ]

    @Test("programs get each number with its name")
    func plain() throws {
        let text = try Self.report(Self.requests).text(on: .none)
        #expect(
            text == """
                seconds\t90
                requests\t100
                hits\t60
                loads\t20
                passed by\t10
                errors\t6
                refused\t4
                from the cache\t3072
                from origins\t1024
                saved microseconds\t2990
                miss\t1\terror
                miss\t1\tmiss
                miss\t1\trevalidated
                origin\t3\t1\t0\t2000\t3000\thttp://a.example
                origin\t1\t0\t1\t500\t500\thttp://b.example
                origin\t1\t1\t0\t-\t-\thttp://c.example

                """
        )
    }

    @Test("people get three tables, and no word of what the daemon does not keep")
    func human() throws {
        let screen = Screen(isTerminal: true, columns: 100, environment: ["NO_COLOR": "1"])
        let lines = try Self.report(Self.requests).text(on: screen).split(separator: "\n").map(String.init)
        #expect(lines.first == "Since the start, 1 min 30 s")
        for part in [
            "60, 60 %", "3.0 KiB, 75 %", "1.0 KiB, 25 %", "about 3.0 ms, in the last 6 requests",
        ] { #expect(lines.contains { $0.hasSuffix(part) }, "\(part)") }
        #expect(lines.contains { $0.hasSuffix("WHY NO HIT") } && lines.contains { $0.hasSuffix("ORIGIN") })
        #expect(lines.contains { $0.hasSuffix("  error") && $0.contains("17 %") })
        let less = try Self.report(nil).text(on: screen)
        #expect(!less.contains("time saved") && !less.contains("WHY") && !less.contains("ORIGIN"))
        #expect(try !Self.report([]).text(on: screen).contains("time saved"))
    }

    @Test("errors and refused requests are red, unless there are none")
    func red() {
        #expect(Table.Cell.bad(1).color == 31 && Table.Cell.bad(0).color == nil)
    }

    @Test("ten reasons and ten origins are shown")
    func most() throws {
        let many = (10..<22).map { Self.request("http://h\($0).example/", "pass", 1) }
            .map { request in
                var request = request
                request.reason = "because of \(request.url)"
                return request
            }
        let lines = try Self.report(many).text(on: .none).split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("miss\t") } == 10 && lines.count { $0.hasPrefix("origin\t") } == 10)
    }

    @Test("JSON has all of it")
    func json() throws {
        let head = """
            {"seconds":90,"isSinceStart":true,"requests":100,"hits":60,"loads":20,"passes":10,"errors":6,"refused":4,\
            "bytesFromCache":3072,"bytesFromOrigins":1024
            """
        #expect(Self.json(try Self.report(nil)) == head + "}")
        #expect(
            Self.json(try Self.report(Self.requests)) == head + """
                ,"recent":{"requests":6,"savedMicroseconds":2990,"misses":[{"reason":"error","requests":1},\
                {"reason":"miss","requests":1},{"reason":"revalidated","requests":1}],"origins":[\
                {"origin":"http://a.example","requests":3,"hits":1,"errors":0,"meanMicroseconds":2000,\
                "slowestMicroseconds":3000},{"origin":"http://b.example","requests":1,"hits":0,"errors":1,\
                "meanMicroseconds":500,"slowestMicroseconds":500},{"origin":"http://c.example","requests":1,"hits":1,\
                "errors":0}]}}
                """
        )
    }

    @Test("a moment needs six numbers; months before March count to the year before")
    func moments() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1), ("1970-02-28T01:02:03Z", 5_014_923_000),
            ("1970-03-01T00:00:00Z", 5_097_600_000), ("2000-12-31T23:59:59Z", 978_307_199_000),
            ("1970-01-01T00:00", nil),
            ("10000-01-01T00:00:00Z", nil), ("1970-01-0xT00:00:00Z", nil), ("", nil),
        ] as [(String, Int64?)] {
            #expect(AnsweredRequest.milliseconds(text) == expected, "\(text)")
        }
    }

    @Test(
        "what waited for the origin, what did not, and what failed",
        arguments: [
            ("hit", true, false, false), ("stale", true, false, false), ("miss", false, true, false),
            ("revalidated", false, true, false), ("collapsed", false, true, false), ("pass", false, true, false),
            ("upgrade", false, true, false), ("error", false, false, true), ("refused", false, false, false),
        ]
    )
    func outcomes(outcome: String, isHit: Bool, isForwarded: Bool, isError: Bool) {
        let request = Self.request("http://a.example/", outcome, 1)
        #expect(request.isHit == isHit && request.isForwarded == isForwarded && request.isError == isError)
    }

    @Test("a request of which nothing is said has no time, no content and dashes")
    func unsaid() {
        let request = AnsweredRequest(.null)
        var expected = AnsweredRequest()
        (expected.url, expected.outcome, expected.reason) = ("-", "-", "-")
        #expect(request == expected && request.origin == "-")
        #expect(AnsweredRequest().time == 0 && AnsweredRequest().duration == 0 && AnsweredRequest().bytes == 0)
    }

    @Test("what top knows as JSON")
    func top() throws {
        let status = try JSONReader.parse(Array(Self.status.utf8))
        var model = TopModel(status, history: .null, at: MonotonicTime(nanoseconds: 0))
        model.begin()
        model.add(Self.requests, at: 0)
        var writer = JSONWriter()
        writer.object { TopFrame(model: model, address: "h").write(to: &$0) }
        let json = try JSONReader.parse(writer.bytes)
        #expect(json["requests"]?.integer == 6 && json["hits"]?.integer == 2)
        let rate = try #require(json["requestsPerSecond"]?.number)
        #expect(abs(rate - 100.0 / 90) < 0.001)
        #expect(abs((json["loadsPerSecond"]?.number ?? 0) - 30.0 / 90) < 0.001)
        #expect(abs((json["bytesPerSecond"]?.number ?? 0) - 4096.0 / 90) < 0.01)
        func text(_ name: String) throws -> String {
            var writer = JSONWriter()
            writer.value(try #require(json[name]?.elements.first))
            return String(decoding: writer.bytes, as: UTF8.self)
        }
        #expect(try text("hottest") == #"{"url":"http://a.example/1","requests":2,"hits":1,"bytes":20}"#)
        #expect(
            try text("slowest") == """
                {"origin":"http://a.example","requests":3,"hits":1,"errors":0,"meanMicroseconds":2000,\
                "slowestMicroseconds":3000}
                """
        )
        #expect(try text("worst") == #"{"url":"http://a.example/1","misses":1,"microseconds":3000,"reason":"miss"}"#)
        #expect(json["hottest"]?.elements.count == 4 && json["slowest"]?.elements.count == 2)
        #expect(json["worst"]?.elements.count == 3)
    }

    @Test("of each table programs get fifty rows")
    func rows() throws {
        let status = try JSONReader.parse(Array(Self.status.utf8))
        var model = TopModel(status, history: .null, at: MonotonicTime(nanoseconds: 0))
        model.add((0..<60).map { Self.request("http://h\($0).example/", "miss", 1) }, at: 0)
        var writer = JSONWriter()
        writer.object { TopFrame(model: model, address: "h").write(to: &$0) }
        let json = try JSONReader.parse(writer.bytes)
        for name in ["hottest", "slowest", "worst"] { #expect(json[name]?.elements.count == 50) }
    }

    @Test("a rate is that of the last six statuses, and of the last second before there are two")
    func rates() throws {
        func status(_ hits: Int) throws -> JSONValue {
            try JSONReader.parse(Array("{\"uptimeSeconds\":2,\"traffic\":{\"hits\":\(hits)}}".utf8))
        }
        var model = TopModel(try status(0), history: .null, at: MonotonicTime(nanoseconds: 0))
        for second in 1...6 {
            let now = MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000)
            // The first second had many requests.
            model.note(try status(94 + second * 6), at: now)
            if second == 5 { #expect(model.rates.requests == 124.0 / 5) }
        }
        #expect(model.rates.requests == 6)
        model.note(try status(130), at: MonotonicTime(nanoseconds: 7_000_000_000))
        #expect(model.rates.requests == 24.0 / 5)
    }

    @Test("a rate has a decimal below ten; a frame without requests has no share of hits")
    func head() throws {
        let screen = Screen(isTerminal: true, columns: 200, environment: ["NO_COLOR": "1"])
        for (hits, text) in [(0, "0.0"), (99, "9.9"), (100, "10"), (104, "10"), (105, "11")] {
            let status = try JSONReader.parse(
                Array("{\"uptimeSeconds\":10,\"connections\":1,\"traffic\":{\"hits\":\(hits)}}".utf8)
            )
            let model = TopModel(status, history: .null, at: MonotonicTime(nanoseconds: 0))
            let lines = TopFrame(model: model, address: "h").lines(on: screen, height: 24)
            #expect(
                lines == [
                    "\(text) requests/s   - hits   0.0 loads/s   0 B/s   1 connection   0 requests in 5 min", "h",
                ]
            )
        }
    }
}
