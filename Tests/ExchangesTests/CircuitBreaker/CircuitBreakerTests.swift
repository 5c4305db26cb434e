import Configurations
import Exchanges
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

/// The breakers on origins, over a scripted one.
@Suite("Origins that are down") struct CircuitBreakerTests {
    private static func world(_ chance: Double = 1, _ options: CircuitBreakers.Options = .init()) -> World {
        World(origins: CircuitBreakers(options, chance: { chance }))
    }

    /// Has loads of so many resources fail.
    private static func fail(_ world: World, _ count: Int = 5, _ kind: ExchangeFailure.Kind = .connectionRefused) {
        for number in 0..<count {
            world.get("/fail/\(number)")
            world.last.fail(kind)
            world.runUntilIdle()
        }
    }

    @Test(
        "after 5 failures in a row attempts are spaced 1 s doubling to 30 s, one success reopens everything (C-25.3)",
        arguments: [0.0, 0.5, 1.0]
    )
    func spacing(chance: Double) {
        let world = Self.world(chance)
        Self.fail(world)
        #expect(world.provider.count == 5)
        var attempts = 5
        for pause in [1, 2, 4, 8, 16, 30, 30] as [Int64] {
            let wait = Duration.seconds(pause) * (0.8 + 0.2 * chance)
            world.timekeeper.advance(by: wait - .milliseconds(1))
            #expect(world.get("/before/\(attempts)").failure?.status == 502)
            #expect(world.provider.count == attempts)
            world.timekeeper.advance(by: .milliseconds(1))
            let probing = world.get("/probe/\(attempts)")
            attempts += 1
            #expect(probing.answers == 0 && world.provider.count == attempts)
            // One at a time.
            #expect(world.get("/meanwhile/\(attempts)").failure?.outage?.isProbing == true)
            #expect(world.provider.count == attempts)
            world.last.fail()
            world.runUntilIdle()
            #expect(probing.failure?.status == 502 && probing.failure?.outage == nil)
        }
        world.timekeeper.advance(by: .seconds(30))
        let back = world.get("/back")
        world.last.answer(503, [], "still busy")
        world.runUntilIdle()
        // A status is an answer, whatever it says.
        #expect(back.text == "still busy")
        let all = (0..<20).map { world.get("/all/\($0)") }
        #expect(all.allSatisfy { $0.answers == 0 } && world.provider.count == attempts + 21)
    }

    @Test("an interim response is passed on, and shows that the origin is there")
    func interim() {
        let world = Self.world()
        Self.fail(world, 4)
        let client = world.get("/interim")
        world.last.interim(103)
        world.runUntilIdle()
        #expect(client.interims == [103])
        // A failure behind it does not count, and those before it are forgotten.
        world.last.fail(.connectionTerminated)
        world.runUntilIdle()
        for number in 0..<5 {
            #expect(world.get("/later/\(number)").answers == 0)
            world.last.fail()
            world.runUntilIdle()
        }
        #expect(world.get("/last").failure?.outage != nil)
    }

    @Test(
        "only failures of the network count for the origin (C-25.3)",
        arguments: ExchangeFailure.Kind.allCases
    )
    func kinds(kind: ExchangeFailure.Kind) {
        let world = Self.world()
        Self.fail(world, 5, kind)
        let counts: Set<ExchangeFailure.Kind> = [
            .dnsTimeout, .dnsError, .destinationNotFound, .destinationUnavailable, .destinationUnroutable,
            .connectionRefused, .connectionTerminated, .connectionTimeout, .connectionReadTimeout,
            .connectionWriteTimeout, .responseIncomplete, .responseTimeout, .tlsProtocolError, .tlsCertificateError,
            .tlsAlertReceived,
        ]
        #expect((world.get("/next").failure?.outage != nil) == counts.contains(kind))
    }

    @Test("a proxy on the way that fails takes the origin from nobody, and as a probe lets the next one try (C-25.3)")
    func parent() {
        let world = Self.world()
        for number in 0..<5 {
            world.get("/parent/\(number)")
            world.last.fail(isOfParent: true)
            world.runUntilIdle()
        }
        #expect(world.get("/a").answers == 0)
        Self.fail(world)
        world.timekeeper.advance(by: .seconds(1))
        let probe = world.get("/probe")
        world.last.fail(isOfParent: true)
        world.runUntilIdle()
        #expect(probe.failure?.outage == nil)
        #expect(world.origins?.outages(at: world.timekeeper.now).first?.isProbing == false)
    }

    @Test("a status, an interim head, or a head that is cut short says that the origin is there (C-25.3)")
    func answers() {
        let world = Self.world()
        let answers: [(World) -> Void] = [
            { $0.last.answer(500, [], "x") },
            { world in
                world.last.interim(103)
                world.last.fail()
            },
            { world in
                world.last.head(200, [], length: 10)
                world.last.fail(.connectionTerminated)
            },
        ]
        for (number, answer) in answers.enumerated() {
            Self.fail(world, 4)
            world.timekeeper.advance(by: .seconds(2))
            world.get("/answered/\(number)")
            answer(world)
            world.runUntilIdle()
            world.timekeeper.advance(by: .seconds(2))
        }
        #expect(world.get("/next").answers == 0)
    }

    @Test("the failure that is remembered says what, since when, and when the next attempt is made (C-25.3)")
    func told() {
        let world = Self.world()
        Self.fail(world, 5, .connectionTimeout)
        world.timekeeper.advance(by: .milliseconds(400))
        let failure = world.get("/a").failure
        #expect(failure?.status == 504 && failure?.kind == .destinationUnavailable && failure?.isRemembered == true)
        #expect(failure?.outage?.origin == "http://origin.example" && failure?.outage?.kind == .connectionTimeout)
        #expect(failure?.outage?.since == HTTPDate(seconds: 1_000_000) && failure?.outage?.failures == 5)
        #expect(failure?.outage?.nextAttempt == .milliseconds(600))
        #expect(failure?.retryAfter == .seconds(1))
        // Another origin is none of its business.
        let other = TargetURI(scheme: .http, host: Array("origin.example".utf8), port: 81, path: [0x2F])
        #expect(world.origins?.outage(of: other, at: world.timekeeper.now) == nil)
    }

    @Test("a failure remembered by a resource counts no more once its origin has come back (C-25.3)")
    func reopened() {
        var configuration = Configuration()
        configuration.retryTime = .seconds(60)
        let world = World(configuration: configuration, origins: CircuitBreakers(chance: { 1 }))
        Self.fail(world)
        world.timekeeper.advance(by: .seconds(1))
        world.get("/probe")
        #expect(world.get("/fail/0").failure?.isRemembered == true)
        world.last.answer(200, [], "up")
        world.runUntilIdle()
        #expect(world.get("/fail/0").answers == 0)
    }

    @Test("an attempt whose client leaves makes room for the next one after its pause (C-25.3)")
    func abandoned() {
        let world = Self.world()
        Self.fail(world)
        world.timekeeper.advance(by: .seconds(1))
        world.get("/a").leave()
        world.runUntilIdle()
        #expect(world.last.isCancelled)
        #expect(world.get("/b").failure?.outage?.isProbing == false)
        world.timekeeper.advance(by: .seconds(1))
        #expect(world.get("/b").answers == 0 && world.provider.count == 7)
    }

    @Test(
        "requests that pass count and are held back as loads are; those that do something get 503 and go nowhere (C-25.3)"
    )
    func passed() {
        let world = PolicyWorld(origins: CircuitBreakers(chance: { 1 }))
        for _ in 0..<5 {
            _ = world.start(method: .post, framing: .length(1))
            world.last.fail(.connectionTerminated)
        }
        let refused = world.start(method: .post, framing: .length(1))
        #expect(refused.log == ["failed"] && world.count == 5)
        #expect(refused.failure?.status == 503 && refused.failure?.requestMayHaveArrived == false)
        #expect(refused.failure?.kind == .destinationUnavailable && refused.failure?.retryAfter == .seconds(1))
        #expect(world.start(method: .delete).failure?.status == 503)
        #expect(world.start(method: .head).failure?.status == 502)
        world.advance(by: .seconds(1))
        let probe = world.start(method: .post, framing: .length(1))
        #expect(world.start().log == ["failed"])
        world.last.answer(200, [], "done")
        #expect(probe.log == ["200", "\"done\"", "end"])
        #expect(world.start().log == [] && world.count == 7)
    }

    @Test("what is refused is neither tried again nor delivered once it was given up (C-25.3)")
    func refusedOnce() {
        let world = PolicyWorld(origins: CircuitBreakers(chance: { 1 }))
        for _ in 0..<4 {
            _ = world.start()
            world.last.fail()
        }
        let receiver = world.start(retry: RetryPolicy())
        world.last.fail()
        #expect(receiver.log.isEmpty)
        world.advance(by: .milliseconds(200))
        #expect(receiver.log == ["failed"] && receiver.failure?.outage != nil)
        world.advance(by: .milliseconds(700))
        let given = PolicyReceiver()
        let request = OriginRequest(method: .get, uri: World.uri("/a"), fields: Fields())
        let exchange = world.context.perform { world.provider.start(request, receiver: given) }
        exchange.cancel()
        world.context.run()
        #expect(given.log.isEmpty && world.count == 5)
    }

    @Test("without a breaker every load is tried (C-25.3)")
    func disabled() {
        var options = CircuitBreakers.Options()
        options.isEnabled = false
        let world = Self.world(1, options)
        Self.fail(world, 10)
        #expect(world.get("/next").answers == 0 && world.provider.count == 11)
    }

    @Test("so many origins are remembered and no more; the one that changed longest ago is forgotten (C-25.3)")
    func bounded() {
        var options = CircuitBreakers.Options()
        options.originLimit = 3
        let breakers = CircuitBreakers(options, chance: { 1 })
        let world = PolicyWorld(origins: breakers)
        for number in 0..<5 {
            for _ in 0..<5 {
                _ = world.start(host: "host\(number).example")
                world.last.fail()
            }
            world.advance(by: .milliseconds(1))
        }
        #expect(
            breakers.outages(at: world.timekeeper.now).map(\.origin)
                == ["http://host2.example", "http://host3.example", "http://host4.example"]
        )
    }

    @Test("the log is told when an origin goes down and when it is back (C-25.3)")
    func reported() {
        let changes = LockedBox<[String]>([])
        let breakers = CircuitBreakers(chance: { 1 }) { change in
            changes.change { changes in
                switch change {
                case .down(let outage): changes.append("down \(outage.origin)")
                case .up(let origin): changes.append("up \(origin)")
                }
            }
        }
        let world = World(origins: breakers)
        Self.fail(world)
        world.timekeeper.advance(by: .seconds(1))
        world.get("/a")
        world.last.answer(200)
        world.runUntilIdle()
        #expect(changes.value == ["down http://origin.example", "up http://origin.example"])
    }
}
