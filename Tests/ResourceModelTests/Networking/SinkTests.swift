import HTTPCore
import Locking
import ResourceDoubles
import TestDoubles
import TestSupport
import Testing

@testable import Exchanges
@testable import ResourceCore
@testable import ResourceModel

@Suite("Content that goes to a sink, or comes from a file")
struct SinkTests {
    /// Records what it gets, once its gate is open.
    private final class SlowSink: ContentSink {
        let gate = Gate()
        let taken = SharedValue(0)
        let failsAt: Int

        init(failsAt: Int = .max) { self.failsAt = failsAt }

        func begin(_ head: ResponseHead) throws -> Bool { head.status < 400 }

        func receive(_ content: ByteChunk) throws {
            try gate.wait()
            let sum = taken.update { taken in
                taken += content.count
                return taken
            }
            guard sum <= failsAt else { throw HarnessError("full") }
        }
    }

    private func start(
        _ provider: GivenProvider,
        _ change: (inout HTTPRequest) -> Void,
        _ completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> (any RequestNetworking, GivenExchange) {
        var request = HTTPRequest(method: .put, url: World.uri("/a"))
        change(&request)
        let operation = ExchangeNetworking(provider, contentLimit: 10).startRequest(request, completion: completion)
        return (operation, provider.exchange.current ?? GivenExchange(nil, nil))
    }

    @Test("no more is granted than the sink has taken, so that no more is ever in memory")
    func pressure() async throws {
        let sink = SlowSink()
        let result = SharedValue<NetworkingResult?>(nil)
        let hasEnded = Gate()
        let (operation, exchange) = start(GivenProvider()) {
            $0.sink = sink
        } _: { end in
            result.update { $0 = end }
            hasEnded.open()
        }
        exchange.receiver?.exchangeDidReceive(ResponseHead(status: 200, framing: .chunked))
        for _ in 0..<4 { exchange.receiver?.exchangeDidReceive(ByteChunk([UInt8](repeating: 1, count: 100))) }
        exchange.receiver?.exchangeDidEnd(trailers: nil)
        #expect(exchange.granted.value == 0 && operation.transferMetrics.responseBytesReceived == 400)
        #expect(result.current == nil)
        sink.gate.open()
        try await hasEnded.opened()
        #expect(exchange.granted.value == 400 && sink.taken.current == 400)
        #expect(result.current?.head?.status == 200 && result.current?.content == nil && result.current?.error == nil)
    }

    @Test("a sink that fails ends the exchange with its error; content that it does not want is in memory")
    func failing() async throws {
        let sink = SlowSink(failsAt: 3)
        sink.gate.open()
        for (status, limit) in [(200, 3), (404, 10)] as [(UInt16, Int)] {
            let result = SharedValue<NetworkingResult?>(nil)
            let hasEnded = Gate()
            let (_, exchange) = start(GivenProvider()) {
                $0.sink = sink
            } _: { end in
                result.update { $0 = end }
                hasEnded.open()
            }
            exchange.receiver?.exchangeDidReceive(ResponseHead(status: status, framing: .chunked))
            exchange.receiver?.exchangeDidReceive(ByteChunk("abcd"))
            exchange.receiver?.exchangeDidEnd(trailers: nil)
            try await hasEnded.opened()
            #expect(exchange.isCancelled.value == (limit == 3))
            #expect((result.current?.error is HarnessError) == (limit == 3))
            #expect(result.current?.content == (limit == 3 ? nil : Array("abcd".utf8)))
        }
    }

    @Test("a file is read as it is asked for, and counted (S-148)")
    func upload() async throws {
        let directory = TemporaryDirectory()
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let path = try directory.write(bytes, to: "a")
        let provider = GivenProvider()
        var request = HTTPRequest(method: .put, url: World.uri("/a"))
        request.bodyFile = path
        #expect(request.body == nil)
        let operation = ExchangeNetworking(provider).startRequest(request) { _ in }
        try await provider.hasBegun.opened()
        let exchange = try #require(provider.exchange.current)
        #expect(exchange.request?.framing == .length(1_000_000) && exchange.sent.current.isEmpty)
        exchange.receiver?.exchangeWantsContent(1000)
        await exchange.hasSent(1000)
        #expect(operation.transferMetrics.requestBytesSent == 1000)
        #expect(operation.transferMetrics.requestBytesTotal == 1_000_000)
        exchange.receiver?.exchangeWantsContent(.max)
        await exchange.hasSent(bytes.count)
        #expect(exchange.sent.current == bytes && exchange.largest.value == 128 * 1024)
    }
}

/// Runs exchanges that the test drives.
private final class GivenProvider: ExchangeProvider {
    /// Where every thread is at home.
    private final class AnyThread: DeliveryContext {
        var isCurrent: Bool { true }
        func submit(_ work: @escaping @Sendable () -> Void) { work() }
    }

    let context: any DeliveryContext = AnyThread()
    let exchange = SharedValue<GivenExchange?>(nil)
    let hasBegun = Gate()

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        let made = GivenExchange(request, receiver)
        exchange.update { $0 = made }
        hasBegun.open()
        return made
    }
}

private final class GivenExchange: Exchange {
    let request: OriginRequest?
    let receiver: (any ExchangeReceiver)?
    let granted = LockedBox(0)
    let sent = SharedValue<[UInt8]>([])
    /// The size of the largest piece.
    let largest = LockedBox(0)
    let isCancelled = LockedBox(false)

    init(_ request: OriginRequest?, _ receiver: (any ExchangeReceiver)?) {
        self.request = request
        self.receiver = receiver
    }

    func grant(_ bytes: Int) { granted.change { $0 += bytes } }

    func send(_ chunk: ByteChunk) {
        largest.change { $0 = max($0, chunk.count) }
        sent.update { $0 += chunk.bytes }
    }

    func finish(trailers: Fields?) {}
    func cancel() { isCancelled.change { $0 = true } }

    /// Returns once so many bytes were sent.
    func hasSent(_ count: Int) async {
        await withCheckedContinuation { continuation in
            BackgroundThread { [sent] in
                _ = try? sent.wait("\(count) bytes", seconds: Gate.secondsForTask) { $0.count >= count ? () : nil }
                continuation.resume()
            }
        }
    }
}
