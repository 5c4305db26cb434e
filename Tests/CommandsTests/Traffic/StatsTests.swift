import JSON
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// How `respite stats` counts and shows.
@Suite struct StatsTests {
    private static func request(
        _ url: String,
        _ outcome: String,
        _ microseconds: Int64,
        status: String = ""
    ) throws -> AnsweredRequest {
        let text = """
            {"id":"1","time":"2023-11-14T22:13:20.123Z","url":"\(url)","status":200,"cache":"\(outcome)",\
            "cacheStatus":"\(status)","durationMicroseconds":\(microseconds),"bytes":10}
            """
        return AnsweredRequest(try JSONReader.parse(Array(text.utf8)))
    }

    private static let history = """
        {"now":1000,"columns":["seconds","hits","loads","passes","failures","refused","bytesFromCache",\
        "bytesFromOrigins"],"series":[{"stepSeconds":5,"samples":[[980,50,10,0,0,0,500,100],[990,60,10,0,0,0,600,100]]},\
        {"stepSeconds":60,"samples":[[700,5,4,0,0,0,50,40]]}]}
        """

    private static let status = """
        {"uptimeSeconds":900,"traffic":{"hits":70,"loads":20,"passes":0,"failures":1,"refused":0,\
        "bytesFromCache":700,"bytesFromOrigins":200}}
        """

    @Test(
        "a period begins at the latest sample that is old enough, else at the oldest, else at the start",
        arguments: [
            (nil, 900, 70, true), (10, 10, 10, false), (11, 20, 20, false), (30, 300, 65, false),
            (800, 300, 65, false), (900, 900, 70, true),
        ] as [(Int64?, Int64, Int64, Bool)]
    )
    func period(wanted: Int64?, seconds: Int64, hits: Int64, isSinceStart: Bool) throws {
        let status = try JSONReader.parse(Array(Self.status.utf8))
        let history = try JSONReader.parse(Array(Self.history.utf8))
        let period = TrafficPeriod(wanted, status: status, history: history)
        #expect(period.seconds == seconds && period.counters.hits == hits && period.isSinceStart == isSinceStart)
    }

    @Test("a request's reason is what Cache-Status says behind fwd and detail; its time is in milliseconds")
    func reasons() throws {
        let miss = try Self.request(
            "http://a.example/1",
            "miss",
            1,
            status: "respite; fwd=uri-miss; stored; detail=no-store"
        )
        #expect(
            miss.reason == "uri-miss, no-store" && miss.time == 1_700_000_000_123 && miss.origin == "http://a.example"
        )
        #expect(try Self.request("http://a.example?b", "refused", 1).reason == "refused")
        #expect(try Self.request("http://a.example?b", "refused", 1).origin == "http://a.example")
        #expect(AnsweredRequest.milliseconds("2024-02-29T00:00:00.000Z") == 1_709_164_800_000)
        #expect(AnsweredRequest.milliseconds("yesterday") == nil)
    }

    @Test("hits save what loads of their URL take longer, or else loads of their origin; the rest saves nothing")
    func saved() throws {
        let requests = [
            try Self.request("http://a.example/1", "miss", 100), try Self.request("http://a.example/1", "hit", 10),
            try Self.request("http://a.example/2", "hit", 10), try Self.request("http://b.example/1", "hit", 10),
            try Self.request("http://a.example/3", "error", 300, status: "respite; fwd=miss; detail=dns_error"),
        ]
        let summary = RequestSummary(requests)
        // 90 by the URL, 190 by the mean of the origin.
        #expect(summary.saved == 90 + 190)
        #expect(summary.reasons.map(\.reason) == ["miss", "miss, dns_error"])
        #expect(summary.origins.map(\.name) == ["http://a.example", "http://b.example"])
        #expect(summary.origins.map(\.mean) == [200, nil] && summary.origins.map(\.errors) == [1, 0])
    }

    @Test("no line is longer than the terminal; programs get plain values between tabs", arguments: [20, 40, 80, 200])
    func lines(width: Int) throws {
        let url = "http://" + String(repeating: "long.", count: 20) + "example/1"
        let summary = RequestSummary([
            try Self.request(url, "miss", 1500, status: "respite; fwd=uri-miss; detail=no-lifetime-no-validator")
        ])
        let status = try JSONReader.parse(Array(Self.status.utf8))
        let report = StatsReport(period: TrafficPeriod(nil, status: status, history: .null), summary: summary)
        let screen = Screen(isTerminal: true, columns: width, environment: ["NO_COLOR": "1"])
        let text = report.text(on: screen)
        #expect(text.hasPrefix("Since the start, ") && text.contains("70, 77 %"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= width }, "\(text)")
        let plain = report.text(on: .none)
        #expect(plain.contains("hits\t70\n") && plain.contains("miss\t1\turi-miss, no-lifetime-no-validator\n"))
        #expect(plain.contains("origin\t1\t0\t0\t1500\t1500\thttp://long."))
    }
}
