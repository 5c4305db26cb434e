import Cassettes
import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Recording

/// What a recording or a replay passes on between a client and an origin.
struct PassedExchangeTests {
    private let context = ManualContext()
    private let origin: DrivenProvider
    private let client = SessionClient()
    private let sum = CassetteField("X-Sum", "1")

    init() { origin = DrivenProvider(context) }

    private func recording() throws -> CassetteSession {
        CassetteSession(recordingWith: try Scrubber(ScrubbingRules()))
    }

    private func replaying(_ policy: MissPolicy, _ entries: [CassetteEntry] = []) throws -> CassetteSession {
        try CassetteSession(replaying: Cassette(entries: entries), .standard, isStrict: false, onMiss: policy)
    }

    /// Starts a request in a session.
    private func start(
        _ session: CassetteSession,
        _ timekeeper: any Timekeeper = ManualTimekeeper(),
        framing: Framing = .none
    ) throws -> any Exchange {
        let request = OriginRequest(
            method: framing == .none ? .get : .post,
            uri: try TargetURI(parsing: "http://api.example/a"),
            fields: Fields(),
            framing: framing
        )
        let provider = session.provider(over: origin, timekeeper)
        let exchange = context.perform { provider.start(request, receiver: client) }
        context.run()
        return exchange
    }

    private func head(_ reason: String = "") -> ResponseHead {
        var head = ResponseHead(status: 200, framing: .chunked)
        head.reason = Array(reason.utf8)
        return head
    }

    // MARK: Recording

    @Test("a recording has the time of its begin, the origin's own reason and its trailers, which the client gets, too")
    func recorded() throws {
        let session = try recording()
        let exchange = try start(session)
        let receiver = try #require(origin.exchange.value?.receiver)
        receiver.exchangeDidReceive(head("Quite Fine"))
        receiver.exchangeDidReceive(ByteChunk("abc"))
        receiver.exchangeDidEnd(trailers: Fields([sum]))
        let entry = try #require(session.cassette.entries.first)
        #expect(entry.started == "1970-01-12T13:46:40Z" && entry.response.reason == "Quite Fine")
        #expect(entry.response.trailers == [sum] && client.trailers.value == [sum])
        #expect(client.text == "abc" && client.outcome.value == "end")
        // A client that leaves afterwards has its response.
        exchange.cancel()
        #expect(session.report.recorded == 1 && session.report.unrecorded.isEmpty)
        #expect(session.cassette.entries.count == 1)
    }

    @Test("a recording passes on what the client grants and sends, trailers included")
    func upward() throws {
        let exchange = try start(try recording(), framing: .chunked)
        let asked = try #require(origin.exchange.value)
        exchange.grant(7)
        exchange.send(ByteChunk("abc"))
        exchange.finish(trailers: Fields([sum]))
        #expect(asked.granted.value == 7 && asked.sent.value == Array("abc".utf8))
        #expect(asked.ends.value == [[sum]])
    }

    @Test("an origin that leaves HTTP is passed on, and not recorded")
    func switching() throws {
        let session = try recording()
        _ = try start(session)
        let connection = ClosedConnection()
        origin.exchange.value?.receiver.exchangeDidSwitch(ResponseHead(status: 101), to: connection)
        #expect(connection.closes.value == 1 && session.cassette.entries.isEmpty)
        let reason = "the origin has switched to another protocol"
        #expect(session.report.unrecorded == ["GET http://api.example/a: \(reason)"])
    }

    // MARK: Replaying

    @Test("a request that is passed on has its content and its trailers, in parts as the origin wants them")
    func passed() throws {
        let exchange = try start(try replaying(.pass), framing: .chunked)
        exchange.send(ByteChunk("abc"))
        exchange.finish(trailers: Fields([sum]))
        context.run()
        let asked = try #require(origin.exchange.value)
        for (bytes, sent, ends) in [(0, "", 0), (-1, "", 0), (2, "ab", 0), (1, "abc", 1), (1, "abc", 1)] {
            asked.receiver.exchangeWantsContent(bytes)
            #expect(asked.sent.value == Array(sent.utf8) && asked.ends.value.count == ends)
        }
        #expect(asked.ends.value == [[sum]])
        asked.receiver.exchangeDidReceive(head())
        asked.receiver.exchangeDidReceive(ByteChunk("d"))
        asked.receiver.exchangeDidEnd(trailers: Fields([sum]))
        #expect(client.text == "d" && client.trailers.value == [sum] && client.outcome.value == "end")
    }

    @Test(
        "chunked content that is empty has an end and trailers; a request without content has no end",
        arguments: [true, false]
    )
    func passedEmpty(isChunked: Bool) throws {
        let exchange = try start(try replaying(.pass), framing: isChunked ? .chunked : .none)
        if isChunked { exchange.finish(trailers: Fields([sum])) }
        context.run()
        let asked = try #require(origin.exchange.value)
        for _ in 0..<2 { asked.receiver.exchangeWantsContent(10) }
        #expect(asked.sent.value.isEmpty && asked.ends.value == (isChunked ? [[sum]] : []))
    }

    @Test("a replayed response has the trailers that were recorded")
    func replayedTrailers() throws {
        let entry = CassetteEntry(
            started: "2026-01-01T00:00:00Z",
            request: CassetteRequest(method: "GET", url: "http://api.example/a"),
            response: CassetteResponse(status: 200, content: Array("abc".utf8), trailers: [sum])
        )
        _ = try start(try replaying(.fail, [entry]))
        #expect(client.text == "abc" && client.trailers.value == [sum] && origin.exchange.value == nil)
    }

    @Test("a stream waits by one timer at a time, and by none once its client has left")
    func timers() throws {
        var entry = CassetteEntry(
            started: "2026-01-01T00:00:00Z",
            request: CassetteRequest(method: "GET", url: "http://api.example/a"),
            response: CassetteResponse(status: 200, content: Array("abc".utf8))
        )
        entry.response.pieces = [
            CassettePiece(count: 1, time: 0), CassettePiece(count: 1, time: 1000), CassettePiece(count: 1, time: 3000),
        ]
        let session = try CassetteSession(
            replaying: Cassette(entries: [entry]),
            .standard,
            isStrict: false,
            onMiss: .fail,
            speed: 1
        )
        let timekeeper = NotingTimekeeper()
        let exchange = try start(session, timekeeper)
        #expect(client.pieces.value == ["a"] && timekeeper.areCancelled == [false])
        exchange.grant(10)
        context.run()
        #expect(timekeeper.areCancelled == [false])
        timekeeper.inner.advance(by: .seconds(1))
        context.run()
        #expect(client.pieces.value == ["a", "b"] && timekeeper.areCancelled == [false, false])
        exchange.cancel()
        #expect(timekeeper.areCancelled == [false, true])
        timekeeper.inner.advance(by: .seconds(10))
        context.run()
        #expect(client.pieces.value == ["a", "b"] && client.outcome.value == nil)
    }
}

/// An origin whose only exchange the test drives.
private final class DrivenProvider: ExchangeProvider {
    let context: any DeliveryContext
    let exchange = LockedBox<DrivenExchange?>(nil)

    init(_ context: ManualContext) { self.context = context }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        let made = DrivenExchange(receiver)
        exchange.change { $0 = made }
        return made
    }
}

private final class DrivenExchange: Exchange {
    let receiver: any ExchangeReceiver
    let granted = LockedBox(0)
    let sent = LockedBox<[UInt8]>([])
    /// The trailers of each end of the request.
    let ends = LockedBox<[[CassetteField]]>([])

    init(_ receiver: any ExchangeReceiver) { self.receiver = receiver }

    func grant(_ bytes: Int) { granted.change { $0 += bytes } }
    func send(_ chunk: ByteChunk) { sent.change { $0 += chunk.bytes } }
    func finish(trailers: Fields?) { ends.change { $0.append(trailers?.recorded ?? []) } }
    func cancel() {}
}

/// Counts how often it is closed.
private final class ClosedConnection: SwitchedConnection {
    let closes = LockedBox(0)

    func close() { closes.change { $0 += 1 } }
}

/// Notes the timers that are set.
private final class NotingTimekeeper: Timekeeper {
    let inner = ManualTimekeeper()
    private let tokens = LockedBox<[any TimerToken]>([])

    /// Whether each timer was cancelled, in the order they were set.
    var areCancelled: [Bool] { tokens.value.map { ($0 as? ManualTimekeeper.Token)?.isCancelled ?? false } }

    var now: MonotonicTime { inner.now }
    var wallNow: HTTPDate { inner.wallNow }

    func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any TimerToken {
        let token = inner.after(delay, work)
        tokens.change { $0.append(token) }
        return token
    }
}
