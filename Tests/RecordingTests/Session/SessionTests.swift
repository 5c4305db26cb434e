import Cassettes
import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Recording

/// What a session keeps, and what it tells at the end.
@Suite struct SessionTests {
    @Test("a recording keeps 512 MiB of content, and what is given up makes room again")
    func room() throws {
        let session = CassetteSession(recordingWith: try Scrubber(ScrubbingRules.standard))
        #expect(CassetteSession.contentLimit == 64 << 20 && CassetteSession.sizeLimit == 512 << 20)
        #expect(session.reserve((512 << 20) - 1) && !session.reserve(2) && session.reserve(1) && !session.reserve(1))
        session.release(3)
        #expect(session.reserve(2) && !session.reserve(2) && session.reserve(1))
    }

    @Test("what is above the limit of the session is not recorded, and told")
    func full() throws {
        let world = try SessionWorld.recording()
        #expect(world.session.reserve(CassetteSession.sizeLimit - 3))
        let client = try world.ask()
        world.origin.exchanges.first?.answer(200, [], "hello")
        #expect(client.text == "hello" && world.session.cassette.entries.isEmpty)
        #expect(
            world.session.report.unrecorded
                == ["GET http://api.example/a: the recording has more than 512 MiB of content"]
        )
        #expect(world.session.reserve(3) && !world.session.reserve(1))
    }

    @Test("what fails gives its room back")
    func released() throws {
        let world = try SessionWorld.recording()
        #expect(world.session.reserve(CassetteSession.sizeLimit - 5))
        _ = try world.ask()
        let asked = try #require(world.origin.exchanges.first)
        asked.head(200)
        asked.content("hello")
        #expect(!world.session.reserve(1))
        asked.fail(.responseIncomplete)
        #expect(world.session.reserve(5) && !world.session.reserve(1))
    }

    @Test("content of exactly 64 MiB is recorded, one byte more is not", arguments: [0, 1])
    func contentLimit(more: Int) throws {
        let world = try SessionWorld.recording()
        _ = try world.ask()
        let asked = try #require(world.origin.exchanges.first)
        asked.head(200, [("Content-Type", "application/octet-stream")])
        asked.content([UInt8](repeating: 0x61, count: CassetteSession.contentLimit))
        if more > 0 { asked.content("x") }
        asked.end()
        #expect(world.session.report.recorded == 1 - more && world.session.report.unrecorded.count == more)
    }

    @Test("each kind of line-wise stream is recorded in pieces, other content is not")
    func streams() throws {
        func pieces(_ type: String) throws -> Int? {
            let world = try SessionWorld.recording()
            _ = try world.ask()
            world.origin.exchanges.first?.answer(200, [("Content-Type", type)], "a")
            return world.session.cassette.entries.first?.response.pieces.count
        }
        for type in [
            "text/event-stream", "application/jsonl", "application/x-ndjson", "application/ndjson",
            "application/x-jsonlines", "application/stream+json", "Text/Event-Stream ; charset=utf-8",
        ] {
            #expect(try pieces(type) == 1, "\(type)")
        }
        for type in ["text/plain", "application/json", ""] { #expect(try pieces(type) == 0, "\(type)") }
    }

    @Test("twenty requests that were missed are told, and all are counted; a text of what is not recorded comes once")
    func report() {
        var report = SessionReport()
        for number in 0..<21 {
            report.note(CassetteMiss(request: "GET http://a.example/\(number)", reason: .empty))
            report.note(unrecorded: "text \(number)")
            report.note(unrecorded: "text 0")
        }
        #expect(report.missed == 21 && report.misses.map(\.request) == (0..<20).map { "GET http://a.example/\($0)" })
        #expect(report.unrecorded == (0..<20).map { "text \($0)" })
    }

    @Test("only a replay that fails what it has not opens no connections")
    func roles() {
        #expect(!SessionRole.replaying(.fail).opensConnections)
        for role in [.recording, .replaying(.pass), .replaying(.record)] as [SessionRole] {
            #expect(role.opensConnections)
        }
    }

    @Test("what was replayed, missed and not used is told")
    func replayed() throws {
        func entry(_ path: String) -> CassetteEntry {
            CassetteEntry(
                started: "2026-01-01T00:00:00Z",
                request: CassetteRequest(method: "GET", url: "http://a.example/\(path)", content: []),
                response: CassetteResponse(status: 200, reason: "OK", fields: [], content: [])
            )
        }
        let world = try SessionWorld.replaying(Cassette(entries: [entry("1"), entry("2")]))
        _ = try world.ask(.get, "http://a.example/1")
        _ = try world.ask(.get, "http://a.example/3")
        _ = try world.ask(.get, "http://a.example/4")
        let report = world.session.report
        #expect(report.replayed == 1 && report.missed == 2 && report.recorded == 0)
        #expect(report.unused == ["GET http://a.example/2"])
    }

    @Test("a replay that passes a request on lets the client grant, and leave, as it likes")
    func granting() throws {
        let world = try SessionWorld.replaying(Cassette(entries: []), onMiss: .pass)
        let client = try world.ask(.get, "http://a.example/new")
        let asked = try #require(world.origin.exchanges.first)
        let before = asked.credit
        client.exchange.value?.grant(77)
        world.context.run()
        #expect(asked.credit == before + 77)
        #expect(!asked.isCancelled)
        client.exchange.value?.cancel()
        #expect(asked.isCancelled)
    }

    @Test("the client of a passed request gets its interim heads, and a response in one piece as one")
    func passing() throws {
        let world = try SessionWorld.replaying(Cassette(entries: []), onMiss: .pass)
        let client = try world.ask(.get, "http://a.example/new", acceptsWhole: true)
        let asked = try #require(world.origin.exchanges.first)
        asked.interim(103)
        asked.answer(200, [], "hello")
        #expect(client.interims.value == [103] && client.wholes.value == 1 && client.text == "hello")
        let failed = try world.ask(.get, "http://a.example/other")
        world.origin.exchanges.last?.fail(.responseIncomplete)
        #expect(failed.outcome.value == "scripted" && failed.status == nil)
    }

    @Test("an upload of 64 MiB is answered from the cassette, a longer one is refused")
    func upload() throws {
        func status(_ count: Int) throws -> UInt16? {
            let world = try SessionWorld.replaying(Cassette(entries: []))
            let client = SessionClient()
            let request = OriginRequest(
                method: .post,
                uri: try TargetURI(parsing: "http://a.example/x"),
                fields: Fields(),
                framing: .chunked
            )
            let exchange = world.context.perform { world.provider.start(request, receiver: client) }
            world.context.run()
            exchange.send(ByteChunk([UInt8](repeating: 0x61, count: CassetteSession.contentLimit)))
            if count > CassetteSession.contentLimit { exchange.send(ByteChunk("x")) }
            world.context.run()
            return client.status
        }
        #expect(try status(CassetteSession.contentLimit) == nil)
        #expect(try status(CassetteSession.contentLimit + 1) == 504)
    }
}
