import Exchanges
import HTTPCore
import Observability
import TestDoubles
import Testing

@testable import Proxying

/// What a traced exchange passes on, in both directions, and how its span ends.
@Suite struct TracedExchangeTests {
    private final class Receiver: ExchangeReceiver {
        let acceptsWholeResponses: Bool
        let calls = LockedBox<[String]>([])

        init(acceptsWhole: Bool) { acceptsWholeResponses = acceptsWhole }

        private func note(_ call: String) { calls.change { $0.append(call) } }

        func exchangeDidReceiveInterim(_ head: ResponseHead) { note("interim \(head.status)") }
        func exchangeDidReceive(_ head: ResponseHead) { note("head \(head.status)") }
        func exchangeDidReceive(_ chunk: ByteChunk) { note("content \(chunk.count)") }
        func exchangeDidEnd(trailers: Fields?) { note("end") }
        func exchangeDidReceive(_ whole: WholeResponse) { note("whole \(whole.head.status) \(whole.content.count)") }
        func exchangeDidFail(_ failure: ExchangeFailure) { note("failure \(failure.kind.rawValue)") }
        func exchangeWantsContent(_ bytes: Int) { note("wants \(bytes)") }
    }

    /// One traced exchange with a scripted origin.
    private struct Traced {
        let queue = SpanQueue()
        let receiver: Receiver
        let exchange: any Exchange
        let origin: ScriptedExchange

        init(acceptsWhole: Bool = false) throws {
            receiver = Receiver(acceptsWhole: acceptsWhole)
            let provider = ScriptedProvider(context: ManualContext())
            let trace = RequestTrace(Tracing(queue: queue, sample: 1), .root(), parent: nil, state: [])
            let uri = try TargetURI(parsing: "http://a.example/")
            let request = OriginRequest(method: .get, uri: uri, fields: Fields())
            exchange = TracingProvider(provider, trace).start(request, receiver: receiver)
            origin = try #require(provider.exchanges.first)
        }

        /// Status and failure of the spans that have ended since the last call.
        func ends() -> [String] { queue.takeBatch().map { "\($0.status) \($0.failure ?? "whole")" } }
    }

    @Test(
        "a response comes in one piece to a receiver that takes that, and to no other; its span is the same",
        arguments: [(true, ["whole 200 5"]), (false, ["head 200", "content 5", "end"])]
    )
    func whole(acceptsWhole: Bool, calls: [String]) throws {
        let traced = try Traced(acceptsWhole: acceptsWhole)
        traced.origin.answer(200, [], "hello")
        #expect(traced.receiver.calls.value == calls)
        #expect(traced.ends() == ["200 whole"])
    }

    @Test("what comes before the end is passed on as it comes, and ends no span; a failure ends it with its type")
    func failure() throws {
        let traced = try Traced()
        traced.origin.wants(9)
        traced.origin.interim(103)
        traced.origin.head(206, length: 5)
        traced.origin.content("abc")
        #expect(traced.receiver.calls.value == ["wants 9", "interim 103", "head 206", "content 3"])
        #expect(traced.ends().isEmpty)
        traced.origin.fail(.responseIncomplete)
        #expect(traced.receiver.calls.value.last == "failure http_response_incomplete")
        #expect(traced.ends() == ["206 http_response_incomplete"])
    }

    @Test("what the receiver's side does is passed on; who cancels ends the span, once")
    func sending() throws {
        let traced = try Traced()
        traced.exchange.grant(5)
        traced.exchange.send(ByteChunk("abc"))
        traced.exchange.finish(trailers: nil)
        #expect(traced.origin.credit == OriginRequest.defaultCredit + 5)
        #expect(traced.origin.sent.value == Array("abc".utf8) && traced.origin.ends.value == 1)
        #expect(!traced.origin.isCancelled && traced.ends().isEmpty)
        for _ in 0..<2 { traced.exchange.cancel() }
        #expect(traced.origin.isCancelled && traced.ends() == ["0 cancelled"])
    }
}
