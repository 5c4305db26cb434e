import Formats
import HTTPCore
import JSON
import Observability
import Outcomes
import Settings
import Testing

@testable import Administration

/// What is told of one recent request, in words and as an entry of an archive.
@Suite struct RequestDocumentTests {
    private static func record(_ change: (inout RequestRecord) -> Void = { _ in }) -> RequestRecord {
        var record = RequestRecord(
            id: RequestID(number: 6),
            milliseconds: 1_700_000_000_123,
            client: .v4(0xC000_0201),
            method: .get,
            target: Array("http://a.example/x".utf8),
            status: 200,
            outcome: "hit",
            contentBytes: 5,
            duration: 1_234_567
        )
        change(&record)
        return record
    }

    private static func text(_ record: RequestRecord) throws -> [String] {
        var writer = JSONWriter()
        writer.object { RequestDocument(record, masking: SecretParameters([])).writeExplained(to: &$0) }
        return try JSONReader.parse(writer.bytes)["text"]?.elements.compactMap(\.text) ?? []
    }

    @Test("a request that broke off is told with all that is known of it")
    func broken() throws {
        let record = Self.record { record in
            (record.client, record.user, record.status, record.outcome) = (nil, "alice", 0, "error")
            (record.route, record.service, record.rule) = ("service", "here", "rule 1")
            (record.reason, record.requestBytes, record.isComplete) = ("connection_refused", 3, false)
            record.isCut = true
        }
        #expect(
            try Self.text(record) == [
                "GET http://a.example/x…", "answered: 2023-11-14T22:13:20.123Z, to unix (alice)",
                "outcome: error, status 0", "route: service, service here", "rule: rule 1",
                "time: 1.234 ms, no response was sent", "content: 5 bytes sent, 3 received",
                "the response was cut: the client or the origin ended it early", "reason: connection_refused",
            ]
        )
    }

    @Test("a request that is whole is told without what it does not have")
    func whole() throws {
        let plain = [
            "GET http://a.example/x", "answered: 2023-11-14T22:13:20.123Z, to 192.0.2.1", "outcome: hit, status 200",
        ]
        let end = "content: 5 bytes sent, 0 received"
        #expect(try Self.text(Self.record()) == plain + ["time: 1.234 ms, head and content at once", end])
        let timed = Self.record { record in
            (record.route, record.headDuration) = ("forward", 1_007_999)
            (record.upstream.queue, record.upstream.name, record.upstream.connect) = (0, 999, 60_000)
            (record.upstream.handshake, record.upstream.firstByte) = (12_345_678, -1)
        }
        #expect(
            try Self.text(timed) == plain + [
                "route: forward", "time: 1.234 ms, head of the response after 1.007 ms",
                "origin: waited for a connection 0.000 ms, look-up of the name 0.000 ms, connect 0.060 ms, "
                    + "TLS 12.345 ms, first byte 0.000 ms", end,
            ]
        )
    }

    @Test("a reason that a note gives anyway is told once")
    func reasons() throws {
        let record = Self.record { record in
            record.cacheStatus = CacheStatus(.forwarded(.uriMiss))
            record.reason = "uri-miss"
        }
        let lines = try Self.text(record)
        #expect(!lines.contains("reason: uri-miss") && lines.contains { $0.hasPrefix("  uri-miss: ") })
    }

    @Test("an archive tells reason, rule, route and service, and no time below zero")
    func archive() throws {
        var recent = RecentRecords()
        recent.records = [
            Self.record { record in
                (record.reason, record.rule, record.route, record.service) = ("r", "rule 1", "service", "here")
                (record.headDuration, record.upstream.queue) = (100_000, 200_000)
                (record.client, record.isComplete, record.requestBytes) = (nil, false, 7)
            }
        ]
        let archive = HARDocument(recent, .all, masking: SecretParameters([]), version: "1.2.3")
        var writer = JSONWriter()
        writer.object { archive.write(to: &$0) }
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(text.contains(#""timings":{"blocked":0.2,"send":0.0,"wait":0.0,"receive":1.134},"#))
        let own = #""_id":"6","_cache":"hit","_reason":"r","_rule":"rule 1","_route":"service","_service":"here","#
        #expect(text.contains(own + #""_isComplete":false}"#))
        #expect(
            text.contains(#""bodySize":7,"queryString":[]"#) && text.contains(#""bodySize":5,"content":{"size":5,"#)
        )
    }

    /// As many recent requests, the oldest first.
    private static func admin(_ count: UInt64) throws -> TestAdmin {
        var recent = RecentRecords()
        recent.records = (1...count).map { number in Self.record { $0.id = RequestID(number: number) } }
        (recent.capacity, recent.horizon) = (500, RequestID(number: count))
        let found = recent
        return try TestAdmin { source, options in
            options.recentRequests = 500
            source.requests = RequestSource { _, completion in completion(found) }
        }
    }

    @Test(
        "a page has 100 requests unless a number is given, and names the next one if there are more",
        arguments: [("", 101, 100, "2"), ("", 100, 100, nil), ("?limit=1000", 101, 101, nil), ("?limit=1", 2, 1, "2")]
            as [(String, UInt64, Int, String?)]
    )
    func pages(query: String, count: UInt64, shown: Int, next: String?) throws {
        let page = try Self.admin(count).json("/v1/requests\(query)")
        #expect(page["requests"]?.elements.count == shown && page["next"]?.text == next)
        #expect(page["kept"]?.integer == 500)
    }

    @Test("the requests of a page are those before its cursor")
    func cursor() throws {
        let page = try Self.admin(5).json("/v1/requests?cursor=3")
        #expect(page["requests"]?.elements.map { $0["id"]?.text } == ["2", "1"])
    }

    @Test("a wrong cursor is refused, and the detail says what a cursor is", arguments: ["-", "A", "00000000000001"])
    func wrongCursor(cursor: String) throws {
        let answer = try Self.admin(1).get("/v1/requests?cursor=\(cursor)")
        let sentence = "`cursor` must be the `next` of an earlier page, or the `id` of a request"
        #expect(answer.status == 400 && answer.text.contains(sentence))
    }

    @Test("a source that was not set has no requests, and answers")
    func noSource() throws {
        let admin = try TestAdmin { _, options in options.recentRequests = 5 }
        #expect(try admin.get("/v1/requests").text == "{\"requests\":[],\"kept\":0}\n")
        #expect(try admin.json("/v1/requests.har")["log"]?["entries"]?.elements.isEmpty == true)
        #expect(try admin.get("/v1/requests/1").status == 404)
    }

    @Test("while too many readers are under way, an archive is 503, too")
    func busyArchive() throws {
        let admin = try TestAdmin { source, options in
            options.recentRequests = 5
            source.requests = RequestSource { _, completion in completion(nil) }
        }
        let answer = try admin.get("/v1/requests.har")
        #expect(answer.status == 503 && answer.text.contains("too many listings are in progress"))
    }
}
