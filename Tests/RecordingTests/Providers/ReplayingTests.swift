import Cassettes
import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Recording

/// What a replaying daemon responds.
struct ReplayingTests {
    private static func entry(
        _ method: String = "GET",
        _ url: String = "http://api.example/a",
        _ content: String = "",
        status: UInt16 = 200,
        response: String = "hello",
        fields: [CassetteField] = []
    ) -> CassetteEntry {
        CassetteEntry(
            started: "2026-01-01T00:00:00Z",
            request: CassetteRequest(method: method, url: url, content: Array(content.utf8)),
            response: CassetteResponse(status: status, reason: "Fine", fields: fields, content: Array(response.utf8))
        )
    }

    @Test("a request gets its recorded response, with the length that the content has, and no origin is asked")
    func replay() throws {
        let entry = Self.entry(fields: [CassetteField("Content-Length", "99"), CassetteField("ETag", "\"x\"")])
        let world = try SessionWorld.replaying(Cassette(entries: [entry]))
        let client = try world.ask()
        #expect(client.status == 200 && client.text == "hello" && client.outcome.value == "end")
        #expect(client.head.value?.framing == .length(5) && client.head.value?.fields.text(of: .etag) == "\"x\"")
        #expect(client.head.value.map { String(decoding: $0.reason, as: UTF8.self) } == "Fine")
        #expect(world.origin.count == 0 && world.session.report.replayed == 1)
    }

    @Test("a response to HEAD, and 304, has no content but the length that was recorded")
    func withoutContent() throws {
        let length = [CassetteField("Content-Length", "99")]
        let world = try SessionWorld.replaying(
            Cassette(entries: [
                Self.entry("HEAD", response: "", fields: length),
                Self.entry("GET", "http://a.example/n", status: 304, response: ""),
            ])
        )
        let head = try world.ask(.head)
        #expect(head.head.value?.framing == Framing.none && head.head.value?.contentLength == 99 && head.text.isEmpty)
        let unchanged = try world.ask(.get, "http://a.example/n")
        #expect(unchanged.status == 304 && unchanged.head.value?.framing == Framing.none)
    }

    @Test("content is delivered as far as the receiver allows, a stream piece by piece")
    func credit() throws {
        var entry = Self.entry(response: "abcdef")
        entry.response.pieces = [CassettePiece(count: 4, time: 0), CassettePiece(count: 2, time: 1)]
        let world = try SessionWorld.replaying(Cassette(entries: [entry]))
        let client = try world.ask(credit: 3)
        #expect(client.pieces.value == ["abc"] && client.outcome.value == nil)
        client.exchange.value?.grant(100)
        world.context.run()
        #expect(client.pieces.value == ["abc", "d", "ef"] && client.outcome.value == "end")
        #expect(client.head.value?.framing == .chunked)
    }

    @Test("with a pace the pieces of a stream come when they are due, a client that reads slowly gets them later")
    func pace() throws {
        var entry = Self.entry(response: "abcdef")
        entry.response.pieces = [
            CassettePiece(count: 1, time: 0), CassettePiece(count: 2, time: 1000), CassettePiece(count: 3, time: 3000),
        ]
        let world = try SessionWorld.replaying(Cassette(entries: [entry]), speed: 2)
        let client = try world.ask(credit: 3)
        func advance(_ milliseconds: Int) {
            world.timekeeper.advance(by: .milliseconds(milliseconds))
            world.context.run()
        }
        #expect(client.pieces.value == ["a"])
        advance(499)
        #expect(client.pieces.value == ["a"])
        advance(1)
        #expect(client.pieces.value == ["a", "bc"])
        advance(1000)
        #expect(client.pieces.value == ["a", "bc"] && client.outcome.value == nil)
        client.exchange.value?.grant(10)
        world.context.run()
        #expect(client.pieces.value == ["a", "bc", "def"] && client.outcome.value == "end")
    }

    @Test("a request with more content than is compared gets a 504; all up to the first byte too many is asked for")
    func tooLarge() throws {
        let world = try SessionWorld.replaying(Cassette(entries: []))
        let content = String(repeating: "a", count: CassetteSession.contentLimit + 1)
        let client = try world.ask(.post, "http://a.example/x", [], content)
        #expect(client.wanted.value == content.utf8.count)
        #expect(client.status == 504 && client.outcome.value == "end")
        #expect(client.text.contains("requests with more content are not recorded"))
        #expect(world.session.report.replayed == 0 && world.origin.count == 0)
    }

    @Test("a request with other content gets a 504 that names the nearest one and the member that differs")
    func miss() throws {
        let world = try SessionWorld.replaying(
            Cassette(entries: [Self.entry("POST", "http://a.example/x", #"{"a":1}"#)])
        )
        let client = try world.ask(.post, "http://a.example/x", [], #"{"a":2}"#)
        #expect(client.wanted.value > 0)
        #expect(client.status == 504 && client.outcome.value == "end")
        #expect(client.head.value?.fields.text(of: .contentType) == "application/problem+json")
        #expect(client.head.value?.framing == .length(Int64(client.text.utf8.count)))
        #expect(
            client.text.contains(#""nearest":"POST http://a.example/x","differs":"$.a: recorded 1, asked 2"}"#),
            "\(client.text)"
        )
        #expect(world.origin.count == 0 && world.session.report.misses.map(\.request) == ["POST http://a.example/x"])
    }

    @Test("requests that differ only in secrets are equal")
    func secrets() throws {
        let recording = try SessionWorld.recording()
        let url = "http://a.example/x?api_key="
        _ = try recording.ask(.post, url + "first-key-1", [("X-Api-Key", "first-key-1")], "say first-key-1")
        recording.origin.exchanges[0].answer(200, [], "ok")
        let world = try SessionWorld.replaying(recording.session.cassette)
        let client = try world.ask(.post, url + "other-key-2", [("X-Api-Key", "other-key-2")], "say other-key-2")
        #expect(client.text == "ok")
    }

    @Test(
        "a recording of another tool, with secrets in it, is found by requests with others, and what is added has none"
    )
    func foreign() throws {
        var entry = Self.entry("GET", "http://a.example/x?api_key=foreign-key-1")
        entry.request.fields = [CassetteField("X-Api-Key", "foreign-key-1")]
        let world = try SessionWorld.replaying(Cassette(entries: [entry]), onMiss: .record)
        #expect(try world.ask(.get, "http://a.example/x?api_key=another-key-2").text == "hello")
        _ = try world.ask(.get, "http://a.example/y?api_key=another-key-2", [("X-Api-Key", "another-key-2")])
        world.origin.exchanges.first?.answer(200, [], "another-key-2")
        let file = String(decoding: world.session.cassette.har(creator: "1"), as: UTF8.self)
        #expect(world.session.cassette.entries.count == 2)
        #expect(!file.contains("foreign-key-1") && !file.contains("another-key-2"))
    }

    @Test("an upgrade is refused, since none is recorded")
    func upgrade() throws {
        let world = try SessionWorld.replaying(Cassette(entries: [Self.entry()]))
        let client = try world.ask(upgrade: "websocket")
        #expect(client.status == 504 && client.text.contains("WebSockets and other upgrades are not recorded"))
    }

    @Test("a request that was abandoned gets nothing")
    func cancelled() throws {
        let world = try SessionWorld.replaying(Cassette(entries: [Self.entry("POST", "http://a.example/x", "content")]))
        let client = SessionClient()
        let request = OriginRequest(
            method: .post,
            uri: try TargetURI(parsing: "http://a.example/x"),
            fields: Fields(),
            framing: .length(7)
        )
        let exchange = world.context.perform { world.provider.start(request, receiver: client) }
        exchange.cancel()
        exchange.finish(trailers: nil)
        world.context.run()
        #expect(client.status == nil && client.outcome.value == nil && world.session.report.replayed == 0)
    }

    @Test(
        "with `pass` the origin gets the whole request, and nothing is recorded; with `record` it is",
        arguments: [MissPolicy.pass, .record]
    )
    func fallback(policy: MissPolicy) throws {
        let world = try SessionWorld.replaying(Cassette(entries: [Self.entry()]), onMiss: policy)
        #expect(try world.ask().text == "hello")
        let client = try world.ask(.put, "http://a.example/new", [], "content")
        let asked = try #require(world.origin.exchanges.first)
        asked.wants(3)
        #expect(asked.sent.value == Array("con".utf8) && asked.ends.value == 0)
        asked.wants(100)
        #expect(asked.sent.value == Array("content".utf8) && asked.ends.value == 1)
        asked.answer(200, [], "from the origin")
        #expect(client.text == "from the origin" && client.outcome.value == "end")
        #expect(world.session.cassette.entries.count == (policy == .record ? 2 : 1))
        #expect(
            world.session.cassette.entries.last?.request.content == (policy == .record ? Array("content".utf8) : [])
        )
    }

    @Test(
        "with `pass` and `record`, what is never recorded goes to the origin at once, and only a recording tells it",
        arguments: [MissPolicy.pass, .record]
    )
    func passedUpgrade(policy: MissPolicy) throws {
        let world = try SessionWorld.replaying(Cassette(entries: [Self.entry()]), onMiss: policy)
        let client = try world.ask(upgrade: "websocket")
        #expect(world.origin.count == 1 && client.status == nil && world.session.report.missed == 0)
        let text = "GET http://api.example/a: WebSockets and other upgrades are not recorded"
        #expect(world.session.report.unrecorded == (policy == .record ? [text] : []))
    }

    @Test("a request that is refused counts as a miss, without its secrets")
    func refused() throws {
        let world = try SessionWorld.replaying(Cassette(entries: [Self.entry()]))
        let client = try world.ask(.get, "http://api.example/a?api_key=k-1", upgrade: "websocket")
        let title = "GET http://api.example/a?api_key=scrubbed"
        let miss = CassetteMiss(request: title, reason: .unrecordable("WebSockets and other upgrades"))
        #expect(world.session.report.misses == [miss] && world.session.report.missed == 1)
        #expect(client.text.contains("\"request\":\"\(title)\"") && world.origin.count == 0)
    }
}
