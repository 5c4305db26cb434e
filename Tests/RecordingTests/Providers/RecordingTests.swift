import Cassettes
import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Recording

/// What a daemon records.
struct RecordingTests {
    @Test("an exchange of any method is recorded whole, without what concerns one connection")
    func whole() throws {
        let world = try SessionWorld.recording()
        let fields = [("Content-Type", "application/json"), ("Via", "1.1 x"), ("Accept-Encoding", "gzip")]
        let client = try world.ask(.other(Array("REPORT".utf8)), "http://api.example/a?x=1", fields, #"{"q":1}"#)
        let asked = try #require(world.origin.exchanges.first)
        #expect(asked.value(of: .acceptEncoding) == "identity")
        world.timekeeper.advance(by: .milliseconds(30))
        asked.head(201, [("Content-Type", "text/plain"), ("Connection", "X-Hop"), ("X-Hop", "1")])
        asked.content("hel")
        world.timekeeper.advance(by: .milliseconds(5))
        asked.content("lo")
        asked.end()
        #expect(client.status == 201 && client.text == "hello" && client.outcome.value == "end")
        let entry = try #require(world.session.cassette.entries.first)
        #expect(entry.request.title == "REPORT http://api.example/a?x=1")
        #expect(entry.request.content == Array(#"{"q":1}"#.utf8))
        #expect(entry.request.fields.map(\.name) == ["Content-Type", "Accept-Encoding"])
        #expect(entry.response.status == 201 && entry.response.reason == "Created")
        #expect(entry.response.fields == [CassetteField("Content-Type", "text/plain")])
        #expect(entry.response.content == Array("hello".utf8) && entry.response.pieces.isEmpty)
        #expect(entry.waited == 30 && entry.received == 5)
    }

    @Test(
        "a stream is recorded with its pieces and their times",
        arguments: ["text/event-stream", "application/json-lines", "Application/X-NDJSON"]
    )
    func stream(type: String) throws {
        let world = try SessionWorld.recording()
        _ = try world.ask()
        let asked = try #require(world.origin.exchanges.first)
        asked.head(200, [("Content-Type", "\(type); charset=utf-8")])
        world.timekeeper.advance(by: .milliseconds(10))
        asked.content("data: 1\n\n")
        world.timekeeper.advance(by: .milliseconds(20))
        asked.content("data: 2\n\n")
        asked.end()
        let pieces = world.session.cassette.entries.first?.response.pieces
        #expect(pieces == [CassettePiece(count: 9, time: 10), CassettePiece(count: 9, time: 30)])
    }

    @Test("entries are in the order in which their requests began, however they end")
    func order() throws {
        let world = try SessionWorld.recording()
        for name in ["1", "2"] { _ = try world.ask(.get, "http://a.example/\(name)") }
        for exchange in world.origin.exchanges.reversed() { exchange.answer(200, [], "x") }
        #expect(world.session.cassette.entries.map(\.request.url) == ["http://a.example/1", "http://a.example/2"])
    }

    @Test("what is cut, abandoned or no exchange of HTTP is not recorded, and is told")
    func unrecorded() throws {
        let world = try SessionWorld.recording()
        _ = try world.ask(.get, "http://a.example/cut?api_key=verysecret1")
        world.origin.exchanges[0].head(200)
        world.origin.exchanges[0].fail(.responseIncomplete)
        let client = try world.ask(.get, "http://a.example/left")
        client.exchange.value?.cancel()
        _ = try world.ask(.get, "http://a.example/socket", upgrade: "websocket")
        #expect(world.session.cassette.entries.isEmpty)
        #expect(
            world.session.report.unrecorded == [
                "GET http://a.example/cut?api_key=scrubbed: scripted",
                "GET http://a.example/left: the client has left before its end",
                "GET http://a.example/socket: WebSockets and other upgrades are not recorded",
            ]
        )
        #expect(world.origin.exchanges[1].isCancelled)
    }

    @Test("a response in one piece is recorded and passed on as one; without content it has no pieces")
    func inOnePiece() throws {
        let world = try SessionWorld.recording()
        for (index, text) in ["data: 1\n\n", ""].enumerated() {
            let client = try world.ask(.get, "http://a.example/\(index)", acceptsWhole: true)
            let asked = try #require(world.origin.exchanges.last)
            asked.answer(200, [("Content-Type", "text/event-stream")], text)
            #expect(client.wholes.value == 1 && client.text == text && client.outcome.value == "end")
        }
        let entries = world.session.cassette.entries
        #expect(entries.map(\.response.content) == [Array("data: 1\n\n".utf8), []])
        #expect(entries.map(\.response.pieces) == [[CassettePiece(count: 9, time: 0)], []])
    }

    @Test("what a recording does not keep is passed on: interim heads, and what the origin wants of the content")
    func passedOn() throws {
        let world = try SessionWorld.recording()
        let client = try world.ask(.post, "http://a.example/x", [], "content")
        let asked = try #require(world.origin.exchanges.first)
        asked.interim(103)
        asked.wants(5)
        #expect(client.interims.value == [103] && client.wanted.value == 5)
        #expect(asked.sent.value == Array("content".utf8) && asked.ends.value == 1)
    }

    @Test("fields that differ between any two runs are not recorded")
    func tracing() throws {
        let world = try SessionWorld.recording()
        let fields = [("Traceparent", "00-1"), ("tracestate", "a=1"), ("via", "1.1 x"), ("X-Trace", "1")]
        _ = try world.ask(.get, "http://a.example/x", fields)
        world.origin.exchanges.first?.answer(200, [], "x")
        #expect(world.session.cassette.entries.first?.request.fields == [CassetteField("X-Trace", "1")])
    }

    @Test("a request for a server as a whole is passed on, and reported as not recorded")
    func serverWide() throws {
        let world = try SessionWorld.recording()
        let request = OriginRequest(
            method: .options,
            uri: try TargetURI(parsing: "http://a.example/"),
            fields: Fields([CassetteField("Accept-Encoding", "gzip")]),
            isServerWide: true
        )
        _ = world.context.perform { world.provider.start(request, receiver: SessionClient()) }
        // Its fields stay as they are.
        #expect(world.origin.exchanges.first?.value(of: .acceptEncoding) == "gzip")
        let reason = "requests for a server as a whole (OPTIONS *) are not recorded"
        #expect(world.session.report.unrecorded == ["OPTIONS http://a.example/: \(reason)"])
    }

    @Test("an exchange that ends without a response is not recorded, and reported")
    func withoutResponse() throws {
        let world = try SessionWorld.recording()
        _ = try world.ask()
        world.origin.exchanges.first?.end()
        #expect(world.session.report.unrecorded == ["GET http://api.example/a: it has no response"])
        #expect(world.session.cassette.entries.isEmpty)
    }

    @Test("content above the limit passes, and its exchange is not recorded")
    func tooLarge() throws {
        let world = try SessionWorld.recording()
        let client = try world.ask()
        let asked = try #require(world.origin.exchanges.first)
        asked.head(200)
        let block = [UInt8](repeating: 0x61, count: CassetteSession.contentLimit / 2)
        for _ in 0..<3 { asked.content(block) }
        asked.end()
        #expect(client.pieces.value.map(\.utf8.count) == [block.count, block.count, block.count])
        #expect(world.session.report.unrecorded == ["GET http://api.example/a: its content has more than 64 MiB"])
        #expect(world.session.cassette.entries.isEmpty)
    }

    @Test("a token that a policy adds below the recording is known, and in no response")
    func addedCredential() throws {
        let world = try SessionWorld.recording()
        let outgoing = ScriptedProvider(context: world.context)
        let request = OriginRequest(
            method: .get,
            uri: try TargetURI(parsing: "http://a.example/"),
            fields: Fields([CassetteField("Authorization", "Bearer added-token-1")])
        )
        _ = world.session.watched(outgoing).start(request, receiver: SessionClient())
        #expect(outgoing.exchanges.first?.value(of: .authorization) == "Bearer added-token-1")
        _ = try world.ask()
        world.origin.exchanges.first?.answer(200, [], "you are added-token-1")
        #expect(world.session.cassette.entries.first?.response.content == Array("you are scrubbed".utf8))
    }

    @Test("a secret of one request is in none of the entries")
    func secrets() throws {
        let world = try SessionWorld.recording()
        _ = try world.ask(.get, "http://a.example/before")
        world.origin.exchanges[0].answer(200, [], "your key is key-123456")
        _ = try world.ask(.get, "http://a.example/x?api_key=key-123456", [("X-Api-Key", "key-123456")])
        world.origin.exchanges[1].answer(200, [("X-Echo", "key-123456")], "ok")
        let file = String(decoding: world.session.cassette.har(creator: "1"), as: UTF8.self)
        #expect(!file.contains("key-123456") && file.contains("your key is scrubbed"))
    }
}
