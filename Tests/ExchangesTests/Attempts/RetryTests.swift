import Configurations
import Exchanges
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@Suite("Retries") struct RetryTests {
    private static let policy = RetryPolicy()

    @Test("a failure of the network is tried again after pauses that grow; the receiver sees the answer alone")
    func network() {
        let world = PolicyWorld()
        let receiver = world.start(retry: Self.policy)
        world.last.fail(.connectionRefused)
        world.advance(by: .milliseconds(199))
        #expect(world.count == 1)
        world.advance(by: .milliseconds(1))
        #expect(world.count == 2)
        world.last.fail(.responseTimeout)
        world.advance(by: .milliseconds(399))
        #expect(world.count == 2)
        world.advance(by: .milliseconds(1))
        #expect(world.count == 3 && receiver.log.isEmpty)
        world.last.answer(200, [], "abc")
        #expect(receiver.log == ["200", "\"abc\"", "end"])
        #expect(world.statistics.retries == 2)
    }

    @Test("credit that the owner grants before an attempt goes to that one alone; during one, to it")
    func credit() {
        let world = PolicyWorld()
        let limiter = RateLimiter(
            RateLimiter.Rate(requests: 1, interval: .seconds(1), burst: 1, maximumWait: .seconds(9)),
            name: "rule"
        )
        _ = world.start("/first", rateLimit: limiter)
        let initial = world.last.credit
        // Given one that waits, and is granted more meanwhile
        let receiver = world.start(retry: Self.policy, rateLimit: limiter)
        #expect(world.count == 1)
        receiver.exchange.value?.grant(100)
        receiver.exchange.value?.grant(20)
        world.advance(by: .seconds(1))
        #expect(world.count == 2 && world.last.credit == initial + 120)
        receiver.exchange.value?.grant(3)
        #expect(world.last.credit == initial + 123)
        // When it is tried again, then it begins with what every request has
        world.last.fail(.connectionRefused)
        world.advance(by: .seconds(2))
        #expect(world.count == 3 && world.last.credit == initial)
        world.last.fail(.connectionRefused)
        receiver.exchange.value?.grant(1)
        world.advance(by: .seconds(2))
        #expect(world.count == 4 && world.last.credit == initial + 1)
    }

    @Test("what an attempt asks for reaches the receiver, as long as it is the current one")
    func wants() {
        let world = PolicyWorld()
        let receiver = world.start(retry: Self.policy)
        let first = world.last
        first.wants(10)
        #expect(receiver.log == ["wants"])
        first.head(503, [], length: 5)
        first.wants(10)
        #expect(receiver.log == ["wants"])
    }

    @Test("a connection that switches goes to the receiver, which ends the exchange; another one is closed")
    func switching() {
        let world = PolicyWorld()
        let inner = SwitchingProvider(world.context)
        let provider = PolicyProvider(inner, timekeeper: world.timekeeper, statistics: world.statistics)
        var request = OriginRequest(method: .get, uri: World.uri("/a"), fields: Fields(), upgrade: Array("x".utf8))
        let rate = RateLimiter.Rate(requests: 1, interval: .seconds(1), burst: 1, maximumWait: .zero)
        request.policies = ExchangePolicies(rateLimit: RateLimiter(rate, name: "rule"))
        let receiver = SwitchReceiver()
        _ = world.context.perform { provider.start(request, receiver: receiver) }
        world.context.run()
        let connection = SwitchConnection()
        for _ in 0..<2 {
            inner.receivers.value.last?.exchangeDidSwitch(ResponseHead(status: 101), to: connection)
        }
        #expect(receiver.count.value == 1 && connection.closes.value == 1)
    }

    @Test("a connection that switches shows that the origin is there (C-25.3)")
    func switchingOrigin() {
        let world = PolicyWorld()
        let inner = SwitchingProvider(world.context)
        let provider = PolicyProvider(
            inner,
            timekeeper: world.timekeeper,
            statistics: world.statistics,
            circuitBreakers: CircuitBreakers(chance: { 1 })
        )
        let request = OriginRequest(method: .get, uri: World.uri("/a"), fields: Fields(), upgrade: Array("x".utf8))
        let receiver = SwitchReceiver()
        // Four failures in a row, the switch, and four more.
        for round in 0..<9 {
            _ = world.context.perform { provider.start(request, receiver: receiver) }
            let last = inner.receivers.value.last
            if round == 4 {
                last?.exchangeDidSwitch(ResponseHead(status: 101), to: SwitchConnection())
            } else {
                last?.exchangeDidFail(ExchangeFailure(.connectionRefused, "no"))
            }
        }
        #expect(receiver.count.value == 1 && inner.receivers.value.count == 9)
    }

    @Test("a response in one piece is one attempt, and the last is passed on in one piece")
    func inOnePiece() {
        let world = PolicyWorld(origins: CircuitBreakers())
        let receiver = world.start(retry: Self.policy, acceptsWholeResponses: true)
        world.last.answer(503, [], "no")
        #expect(receiver.log.isEmpty && !world.last.isCancelled)
        world.advance(by: .seconds(1))
        #expect(world.count == 2)
        world.last.answer(200, [], "abc")
        #expect(receiver.log == ["whole 200 \"abc\""])
    }

    @Test("the last attempt is passed on, whatever it brings", arguments: [true, false])
    func last(isStatus: Bool) {
        let world = PolicyWorld()
        let receiver = world.start(retry: Self.policy)
        for _ in 0..<3 {
            if isStatus { world.last.answer(503, [], "no") } else { world.last.fail(.connectionTerminated) }
            world.advance(by: .seconds(1))
        }
        #expect(world.count == 3)
        #expect(receiver.log == (isStatus ? ["503", "\"no\"", "end"] : ["failed"]))
        #expect(receiver.failure?.kind == (isStatus ? nil : .connectionTerminated))
    }

    @Test(
        "a status that counts as a failure is dropped, read to its end if that is near, and nothing of it is seen",
        arguments: [5, 100_000]
    )
    func status(length: Int64) {
        let world = PolicyWorld()
        let receiver = world.start(retry: Self.policy)
        let first = world.last
        first.interim(103)
        first.head(502, [], length: length)
        #expect(first.isCancelled == (length > 65_536))
        first.content("wrong")
        first.end()
        world.advance(by: .milliseconds(200))
        world.last.answer(200, [], "right")
        #expect(receiver.log == ["103", "200", "\"right\"", "end"])
    }

    @Test("Retry-After says when the next attempt may begin, as seconds or as a date")
    func retryAfter() {
        let world = PolicyWorld()
        _ = world.start(retry: Self.policy)
        world.last.answer(503, [("Retry-After", "3")])
        world.advance(by: .milliseconds(2999))
        #expect(world.count == 1)
        world.advance(by: .milliseconds(1))
        #expect(world.count == 2)
        let date = HTTPDate(seconds: world.timekeeper.wallNow.seconds + 2)
        world.last.answer(503, [("Retry-After", String(decoding: date.bytes, as: UTF8.self))])
        world.advance(by: .milliseconds(1900))
        #expect(world.count == 2)
        world.advance(by: .milliseconds(100))
        #expect(world.count == 3)
    }

    @Test("an origin that asks for more time than there is gets its answer passed on at once")
    func total() {
        let world = PolicyWorld()
        let receiver = world.start(retry: Self.policy)
        world.last.answer(503, [("Retry-After", "11")], "later")
        #expect(receiver.log == ["503", "\"later\"", "end"])
        world.advance(by: .seconds(60))
        #expect(world.count == 1)
    }

    @Test(
        "requests that are not idempotent, or have content, are made once",
        arguments: [(.post, .none), (.patch, .none), (.put, .length(3)), (.get, .chunked)] as [(Method, Framing)]
    )
    func unsafe(method: Method, framing: Framing) {
        let world = PolicyWorld()
        let receiver = world.start(method: method, framing: framing, retry: Self.policy)
        world.last.fail(.connectionRefused)
        world.advance(by: .seconds(5))
        #expect(receiver.log == ["failed"] && world.count == 1)
    }

    @Test(
        "what would fail again is passed on at once",
        arguments: [ExchangeFailure.Kind.destinationProhibited, .loopDetected, .protocolError, .connectionLimitReached]
    )
    func hopeless(kind: ExchangeFailure.Kind) {
        let world = PolicyWorld()
        let receiver = world.start(retry: Self.policy)
        world.last.fail(kind)
        #expect(receiver.failure?.kind == kind)
    }

    @Test("once a head was passed on, a failure is the receiver's")
    func begun() {
        let world = PolicyWorld()
        let receiver = world.start(retry: Self.policy)
        world.last.head(200, [], length: 10)
        world.last.content("abc")
        world.last.fail(.responseIncomplete)
        world.advance(by: .seconds(5))
        #expect(receiver.log == ["200", "\"abc\"", "failed"] && world.count == 1)
    }

    @Test("who leaves during a pause ends it, who leaves during an attempt ends that")
    func cancelling() {
        let world = PolicyWorld()
        let paused = world.start(retry: Self.policy)
        world.last.fail(.connectionRefused)
        paused.cancel()
        world.advance(by: .seconds(5))
        #expect(world.count == 1 && paused.log.isEmpty)
        let running = world.start(retry: Self.policy)
        running.cancel()
        #expect(world.last.isCancelled)
        world.last.fail(.connectionRefused)
        world.advance(by: .seconds(5))
        #expect(world.count == 2 && running.log.isEmpty)
    }

    @Test("half of a pause is left to chance, and none is longer than the limit")
    func pauses() {
        let world = PolicyWorld(chance: 0)
        var policy = Self.policy
        policy.attempts = 10
        policy.total = .seconds(600)
        _ = world.start(retry: policy)
        for milliseconds in [100, 200, 400, 800, 1600, 2500, 2500] {
            let before = world.count
            world.last.fail(.connectionRefused)
            world.advance(by: .milliseconds(milliseconds - 1))
            #expect(world.count == before)
            world.advance(by: .milliseconds(1))
            #expect(world.count == before + 1)
        }
    }

    @Test("a resource's loads are made by the policies of its configuration")
    func loads() {
        var configuration = Configuration()
        configuration.policies.retry = Self.policy
        let world = World(configuration: configuration)
        world.get()
        #expect(world.last.request.policies.retry == Self.policy)
    }
}

/// Keeps the receivers of exchanges that do nothing.
private final class SwitchingProvider: ExchangeProvider {
    private final class Silent: Exchange {
        func grant(_ bytes: Int) {}
        func send(_ chunk: ByteChunk) {}
        func finish(trailers: Fields?) {}
        func cancel() {}
    }

    let context: any DeliveryContext
    let receivers = LockedBox<[any ExchangeReceiver]>([])

    init(_ context: ManualContext) { self.context = context }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        receivers.change { $0.append(receiver) }
        return Silent()
    }
}

private final class SwitchConnection: SwitchedConnection {
    let closes = LockedBox(0)
    func close() { closes.change { $0 += 1 } }
}

/// Counts the connections that switched.
private final class SwitchReceiver: ExchangeReceiver {
    let count = LockedBox(0)
    let acceptsWholeResponses = false

    func exchangeDidReceiveInterim(_ head: ResponseHead) {}
    func exchangeDidReceive(_ head: ResponseHead) {}
    func exchangeDidReceive(_ whole: WholeResponse) {}
    func exchangeDidReceive(_ chunk: ByteChunk) {}
    func exchangeDidEnd(trailers: Fields?) {}
    func exchangeDidFail(_ failure: ExchangeFailure) {}
    func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) { count.change { $0 += 1 } }
    func exchangeWantsContent(_ bytes: Int) {}
}
