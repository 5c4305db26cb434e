import Exchanges
import HTTPCore
import Testing

@testable import UpstreamClient

/// The parts of an exchange, without a connection.
@Suite struct ExchangeRulesTests {
    @Test("content is sent at once, after 100 Continue, or there is none")
    func uploadPhases() {
        let framings: [Framing] = [.none, .length(0), .length(1), .chunked]
        let phases = framings.map { Upload(framing: $0, awaitsContinue: false).phase }
        #expect(phases == [.complete, .complete, .sending, .sending])
        let waiting = framings.map { Upload(framing: $0, awaitsContinue: true).phase }
        #expect(waiting == [.complete, .complete, .awaitingContinue, .awaitingContinue])
        var (first, second) = (
            Upload(framing: .chunked, awaitsContinue: true), Upload(framing: .none, awaitsContinue: true)
        )
        first.begin()
        second.begin()
        #expect(first.phase == .sending && !first.isComplete && second.phase == .complete && second.isComplete)
    }

    @Test("content is asked for up to a ceiling, a quarter of it at least")
    func asking() {
        var upload = Upload(framing: .chunked, awaitsContinue: false)
        let first = [upload.ask(unsent: 0, ceiling: 100), upload.ask(unsent: 0, ceiling: 100)]
        #expect(first == [100, 0])
        _ = upload.accept(24)
        let early = upload.ask(unsent: 0, ceiling: 100)
        _ = upload.accept(1)
        let late = upload.ask(unsent: 0, ceiling: 100)
        #expect(early == 0 && late == 25)
        _ = upload.accept(1000)
        let counts = [upload.ask(unsent: 76, ceiling: 100), upload.ask(unsent: 75, ceiling: 100)]
        #expect(counts == [0, 25])
        var small = Upload(framing: .chunked, awaitsContinue: false)
        let least = [small.ask(unsent: 0, ceiling: 0), small.ask(unsent: 0, ceiling: 1)]
        #expect(least == [0, 1])
        var waiting = Upload(framing: .chunked, awaitsContinue: true)
        let none = waiting.ask(unsent: 0, ceiling: 100)
        #expect(none == 0)
    }

    @Test("content with a length has exactly that")
    func lengths() {
        var upload = Upload(framing: .length(5), awaitsContinue: false)
        let faults = [upload.accept(3), upload.finish(), upload.accept(3), upload.accept(2)]
        #expect(faults == [nil, .tooLittle, .tooMuch, nil] && upload.phase == .sending)
        let (end, more) = (upload.finish(), upload.accept(1))
        #expect(end == nil && upload.isComplete && more == .tooMuch)
        var chunked = Upload(framing: .chunked, awaitsContinue: false)
        let (accepted, finished) = (chunked.accept(1 << 30), chunked.finish())
        #expect(accepted == nil && finished == nil && chunked.isComplete)
    }

    @Test("credit adds up, and never below nothing or beyond the most")
    func credit() {
        var reader = ResponseReader(credit: -5)
        #expect(!reader.hasCredit && reader.isInHead && !reader.isInContent && !reader.hasReceived)
        reader.grant(-1)
        #expect(!reader.hasCredit)
        reader.grant(1)
        #expect(reader.hasCredit)
        reader.grant(.max)
        reader.grant(.max)
        reader.noteBytes()
        #expect(reader.hasCredit && reader.hasReceived)
    }

    @Test("content is whole if its length is there, was granted and is allowed")
    func wholeContent() {
        func length(_ framing: Framing, among count: Int, credit: Int, limit: Int64? = nil) -> Int? {
            var limits = ParserLimits()
            limits.content = limit
            return ResponseReader(credit: credit).lengthOfWholeContent(framing, among: count, limits: limits)
        }
        #expect(length(.none, among: 9, credit: 0) == 0 && length(.length(0), among: 0, credit: 0) == 0)
        #expect(length(.length(5), among: 5, credit: 5) == 5 && length(.length(5), among: 9, credit: 9, limit: 5) == 5)
        #expect(length(.length(5), among: 4, credit: 5) == nil && length(.length(5), among: 5, credit: 4) == nil)
        #expect(length(.length(5), among: 5, credit: 5, limit: 4) == nil)
        #expect(length(.chunked, among: 5, credit: 5) == nil && length(.untilClose, among: 5, credit: 5) == nil)
    }

    @Test("content is read as far as there is credit, and only some framings may end with the connection")
    func content() {
        for (framing, text, consumed, isOver, endsWithInput) in [
            (.length(5), "hel", 3, false, false), (.length(3), "hel", 3, true, false),
            (.untilClose, "hel", 3, false, true), (.length(2), "he", 2, true, false),
        ] as [(Framing, String, Int, Bool, Bool)] {
            var reader = ResponseReader(credit: 3)
            #expect(!reader.endsWithInput())
            reader.beginContent(framing, limits: ParserLimits())
            let bytes = Array("hello".utf8)
            let result = reader.readContent(bytes.span)
            #expect(String(decoding: result.content, as: UTF8.self) == text && result.consumed == consumed)
            #expect(reader.isInContent == !isOver && reader.endsWithInput() == endsWithInput && !reader.isInHead)
            #expect(result.failure == nil && reader.trailers == nil && reader.hasCredit == (text == "he"))
        }
        var empty = ResponseReader(credit: 3)
        empty.beginContent(.length(0), limits: ParserLimits())
        #expect(!empty.isInContent && !empty.isInHead)
    }

    @Test("a connection may be used again behind a response that lasts and has an end of its own")
    func reuse() {
        for (isPersistent, framing, allowsReuse) in [
            (true, .length(1), true), (true, .none, true), (true, .untilClose, false), (false, .length(1), false),
        ] as [(Bool, Framing, Bool)] {
            var head = ResponseHead(status: 200)
            (head.isPersistent, head.framing) = (isPersistent, framing)
            var reader = ResponseReader(credit: 0)
            #expect(!reader.allowsReuse)
            reader.didReadFinalHead(head)
            #expect(reader.allowsReuse == allowsReuse)
        }
    }

    private static func head(_ lines: [(KnownField, String)]) -> ResponseHead {
        var head = ResponseHead(status: 200)
        for (field, value) in lines { head.fields.append(field, value) }
        return head
    }

    @Test("an event stream is one by its whole type")
    func eventStreams() {
        let types = [
            "text/event-stream", "TEXT/Event-Stream; charset=utf-8", "text/event-stream ;x", "text/event-stream\t;x",
            "text/event-stream;x", "text/event-streams", "text/event-strea", "text/event-stream/x", "text/html", "",
        ]
        let found = types.map { Self.head([(.contentType, $0)]).isEventStream }
        #expect(found == [true, true, true, true, true, false, false, false, false, false])
        #expect(!ResponseHead(status: 200).isEventStream)
    }

    @Test("an upgrade is confirmed by its one protocol, and a word in Connection")
    func upgrades() {
        let token = Array("WebSocket".utf8)
        for (upgrade, connection, isConfirmed) in [
            ("websocket", "Upgrade", true), ("WEBSOCKET", "keep-alive, upgrade", true),
            ("websocket, h2c", "upgrade", false),
            ("h2c", "upgrade", false), ("websocket", "close", false), ("websockets", "upgrade", false),
        ] {
            let head = Self.head([(.upgrade, upgrade), (.connection, connection)])
            #expect(head.confirmsUpgrade(to: token) == isConfirmed, "\(upgrade)")
        }
        #expect(!Self.head([(.connection, "upgrade")]).confirmsUpgrade(to: token))
        #expect(!Self.head([(.upgrade, "websocket")]).confirmsUpgrade(to: token))
    }

    @Test("content must come at a rate; an event stream may rest, for as long as it is allowed")
    func pace() {
        var limits = UpstreamLimits()
        (limits.minimumRate, limits.ratePeriod) = (10, .seconds(1))
        (limits.idleTimeout, limits.eventStreamIdleTimeout) = (.seconds(30), .seconds(600))
        let start = MonotonicTime(nanoseconds: 1_000_000_000)
        var pace = ResponsePace(limits)
        var answers: [Bool] = [pace.isTooSlow(at: start)]
        pace.note(10)
        answers.append(pace.isTooSlow(at: start + .seconds(1)))
        pace.note(9)
        answers.append(pace.isTooSlow(at: start + .milliseconds(1999)))
        answers.append(pace.isTooSlow(at: start + .seconds(2)))
        pace.pause()
        answers.append(pace.isTooSlow(at: start + .seconds(9)))
        #expect(answers == [false, false, false, true, false] && pace.idleTimeout == .seconds(30))
        pace.allowEventStream(limits)
        let isTooSlow = pace.isTooSlow(at: start + .seconds(99))
        #expect(!isTooSlow && pace.idleTimeout == .seconds(600))
        limits.eventStreamIdleTimeout = .seconds(1)
        var other = ResponsePace(limits)
        other.allowEventStream(limits)
        #expect(other.idleTimeout == .seconds(30))
    }
}
