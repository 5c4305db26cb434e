import Exchanges
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@Suite("Attempts that end") struct AttemptEndingTests {
    private static let limiter = RateLimiter.Rate(
        requests: 1,
        interval: .seconds(1),
        burst: 1,
        maximumWait: .seconds(9)
    )

    @Test("the end of the content reaches each attempt, the ones made later too; content reaches the current one")
    func content() {
        let world = PolicyWorld()
        let limiter = RateLimiter(Self.limiter, name: "rule")
        _ = world.start("/first", rateLimit: limiter)
        let receiver = world.start(retry: RetryPolicy(), rateLimit: limiter)
        receiver.exchange.value?.finish(trailers: nil)
        #expect(world.count == 1 && world.last.ends.value == 0)
        world.advance(by: .seconds(1))
        #expect(world.count == 2 && world.last.ends.value == 1)
        receiver.exchange.value?.send(ByteChunk("abc"))
        #expect(world.last.sent.value == Array("abc".utf8))
        world.last.fail()
        world.advance(by: .seconds(2))
        #expect(world.count == 3 && world.last.ends.value == 1 && world.last.sent.value.isEmpty)
        #expect(world.origin.exchanges.map(\.isCancelled) == [false, false, false])
    }

    @Test("the end of the content during an attempt goes to that attempt, once")
    func endDuringAttempt() {
        let world = PolicyWorld()
        let receiver = world.start(retry: RetryPolicy())
        #expect(world.last.ends.value == 0)
        receiver.exchange.value?.finish(trailers: nil)
        #expect(world.last.ends.value == 1)
    }

    @Test(
        "a response that is dropped is read to its end if it has at most 64 KiB, and cancelled otherwise",
        arguments: [(502, 65_536, false), (502, 65_537, true), (502, nil, true), (204, nil, false)]
            as [(UInt16, Int64?, Bool)]
    )
    func dropped(status: UInt16, length: Int64?, isCancelled: Bool) {
        let world = PolicyWorld()
        var policy = RetryPolicy()
        policy.statuses = [204...204, 502...502]
        let receiver = world.start(retry: policy)
        world.last.head(status, [], length: length)
        #expect(world.last.isCancelled == isCancelled && receiver.log.isEmpty)
    }

    @Test("what is left of a dropped response is seen by nobody, though the next attempt has begun")
    func leftOver() {
        let world = PolicyWorld()
        let receiver = world.start(retry: RetryPolicy())
        let first = world.last
        first.head(502, [], length: 8)
        world.advance(by: .seconds(1))
        #expect(world.count == 2)
        first.interim(103)
        first.wants(5)
        first.content("left")
        first.end()
        world.last.answer(200, [], "right")
        #expect(receiver.log == ["200", "\"right\"", "end"])
    }

    // MARK: Timers

    private static func start(
        _ origin: any ExchangeProvider,
        _ timekeeper: any Timekeeper,
        _ context: ManualContext,
        _ receiver: PolicyReceiver
    ) -> any Exchange {
        let provider = PolicyProvider(origin, timekeeper: timekeeper, statistics: PolicyStatistics())
        var request = OriginRequest(method: .get, uri: World.uri("/a"), fields: Fields())
        request.policies = ExchangePolicies(retry: RetryPolicy())
        return context.perform { provider.start(request, receiver: receiver) }
    }

    @Test("a request given up in a pause, or while its timer is set, leaves no timer behind", arguments: [true, false])
    func timer(whileItIsSet: Bool) {
        let timekeeper = HookedTimekeeper()
        let context = ManualContext()
        let origin = ScriptedProvider(context: context)
        let receiver = PolicyReceiver()
        let exchange = Self.start(origin, timekeeper, context, receiver)
        if whileItIsSet { timekeeper.hook.change { $0 = { exchange.cancel() } } }
        origin.exchanges[0].fail()
        #expect(timekeeper.tokens.value.map(\.cancels.value) == [whileItIsSet ? 1 : 0])
        if !whileItIsSet { exchange.cancel() }
        #expect(timekeeper.tokens.value.map(\.cancels.value) == [1])
        #expect(receiver.log.isEmpty && origin.count == 1)
    }

    @Test("a request given up while its next attempt begins cancels that attempt")
    func givenUpAtBeginning() {
        let timekeeper = ManualTimekeeper()
        let context = ManualContext()
        let origin = HookedProvider(context)
        let receiver = PolicyReceiver()
        let exchange = Self.start(origin, timekeeper, context, receiver)
        origin.base.exchanges[0].fail()
        origin.hook.change { $0 = { exchange.cancel() } }
        timekeeper.advance(by: .seconds(1))
        context.run()
        #expect(origin.base.exchanges.map(\.isCancelled) == [false, true] && receiver.log.isEmpty)
    }
}

/// A clock that calls a hook before it returns a timer, and never runs one.
private final class HookedTimekeeper: Timekeeper {
    final class Token: TimerToken {
        let cancels = LockedBox(0)
        func cancel() { cancels.change { $0 += 1 } }
    }

    let tokens = LockedBox<[Token]>([])
    let hook = LockedBox<(@Sendable () -> Void)?>(nil)
    var now: MonotonicTime { MonotonicTime(nanoseconds: 0) }
    var wallNow: HTTPDate { HTTPDate(seconds: 0) }

    func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any TimerToken {
        let token = Token()
        tokens.change { $0.append(token) }
        hook.value?()
        return token
    }
}

/// An origin that calls a hook while a request begins.
private final class HookedProvider: ExchangeProvider {
    let base: ScriptedProvider
    let hook = LockedBox<(@Sendable () -> Void)?>(nil)

    init(_ context: ManualContext) { base = ScriptedProvider(context: context) }

    var context: any DeliveryContext { base.context }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        let exchange = base.start(request, receiver: receiver)
        hook.value?()
        return exchange
    }
}
