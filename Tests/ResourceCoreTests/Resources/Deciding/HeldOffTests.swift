import Configurations
import Exchanges
import Explaining
import HTTPCaching
import HTTPCore
import Outcomes
import ResourceDoubles
import ResourceModel
import TestDoubles
import Testing

/// Requests that are not made while an origin is down, or has asked to be left alone.
@Suite("Origins that are left alone") struct HeldOffTests {
    private static let window = [("Cache-Control", "max-age=60, stale-while-revalidate=600"), ("ETag", "\"1\"")]

    /// - Parameter pauses: all of the origin's URLs wait when it asks for that.
    private static func world(pauses: Bool = false, _ mode: ServiceMode = .auto) -> World {
        var configuration = Configuration()
        configuration.mode = mode
        if pauses { configuration.policies.retryAfter = .origin }
        return World(configuration: configuration, origins: CircuitBreakers(chance: { 1 }))
    }

    private static func unplug(_ world: World) {
        for number in 0..<5 {
            world.get("/fail/\(number)")
            world.last.fail()
            world.runUntilIdle()
        }
    }

    @Test("hits within stale-while-revalidate begin no refresh while the origin is down (C-7.1, C-25.3)")
    func staleHits() throws {
        let world = Self.world()
        world.fill("/a", Self.window)
        world.timekeeper.advance(by: .seconds(61))
        Self.unplug(world)
        let observer = EventRecorder()
        world.resource().addObserver(observer)
        world.runUntilIdle()
        let asked = world.provider.count
        let refusals = try #require(world.origins).refusals
        for _ in 0..<10 { #expect(world.get().outcome?.detail == "stale-while-revalidate") }
        #expect(observer.events == ["observerAdded D"])
        #expect(world.provider.count == asked && world.origins?.refusals == refusals)
        #expect(world.explain().first?.hasPrefix("outcome: serve (") == true)
        // When an attempt is due one of them makes it.
        world.timekeeper.advance(by: .seconds(1))
        #expect(world.explain().first?.hasPrefix("outcome: serve-and-refresh") == true)
        #expect(world.get().isHit && world.get().isHit)
        #expect(world.provider.count == asked + 1)
    }

    @Test("nor while the origin has asked to be left alone (C-7.1, C-25.3)")
    func pausedHits() throws {
        let world = Self.world(pauses: true)
        world.fill("/a", Self.window)
        world.timekeeper.advance(by: .seconds(61))
        world.get("/b")
        world.last.answer(503, [("Retry-After", "10")])
        world.runUntilIdle()
        let observer = EventRecorder()
        world.resource().addObserver(observer)
        world.runUntilIdle()
        for _ in 0..<10 { #expect(world.get().isHit) }
        #expect(observer.events == ["observerAdded D"] && world.origins?.refusals == 0)
        world.timekeeper.advance(by: .seconds(10))
        #expect(world.get().isHit && world.provider.count == 3)
    }

    @Test("explain tells of an origin that asked to be left alone, and counts nothing (C-25.3)", arguments: [429, 503])
    func explainedPause(status: UInt16) throws {
        let world = Self.world(pauses: true)
        world.get("/b")
        world.last.answer(status, [("Retry-After", "10")])
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(3))
        #expect(
            world.explain().prefix(3) == [
                "outcome: fail (Cache-Status: respite; detail=remembered-failure)",
                "  retry-after: http://origin.example answered \(status) and asked to be left alone; this is honoured for 7 s more "
                    + "(RFC 9110 §10.2.3)",
                "    would change with: time, or the settings retry-after and upstream.retry-after-max",
            ]
        )
        #expect(world.origins?.refusals == 0)
        #expect(world.get().failure?.status == status && world.provider.count == 1)
    }

    @Test("explain tells how long a resource is left alone, and which setting limits that (C-25.3)")
    func explainedDelay() {
        let world = Self.world()
        world.get()
        world.last.answer(503, [("Retry-After", "100")])
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(30))
        #expect(
            world.explain().prefix(3) == [
                "outcome: fail (Cache-Status: respite; detail=remembered-failure)",
                "  remembered-failure: the last load failed 30 s ago: status 503; its Retry-After is honoured for 70 s more "
                    + "(RFC 9111 §4.2.4)",
                "    would change with: time, or the settings retry-after and upstream.retry-after-max",
            ]
        )
    }

    @Test("what is told of a failure is the word of Cache-Status, at the first request and later (C-25.3)")
    func outcome() {
        let world = Self.world()
        Self.unplug(world)
        let failure = world.get("/c").failure
        #expect(failure.map { CacheOutcome($0).detail } == "origin-down")
        #expect(failure.map { CacheOutcome($0).forward } == .some(nil))
        #expect(world.explain([], "/c").first == "outcome: fail (Cache-Status: respite; detail=origin-down)")
    }

    @Test(
        "explain tells what becomes of a request that goes past what is held where the origin is not asked (C-25.2)",
        arguments: [ServiceMode.offline, .replay]
    )
    func passing(mode: ServiceMode) {
        let world = Self.world(mode)
        #expect(
            world.explain([("If-Match", "\"1\"")]).first
                == "outcome: refuse (Cache-Status: respite; detail=\(mode.rawValue))"
        )
    }

    @Test("while the origin is down (C-25.3)", arguments: [Method.get, .post])
    func passingWhileDown(method: Method) {
        let world = Self.world()
        Self.unplug(world)
        var fields = Fields()
        if method == .get { fields.append(.ifMatch, "\"1\"") }
        let box = LockedBox<Explanation?>(nil)
        world.resource().explain(method, fields) { explanation in box.change { $0 = explanation } }
        #expect(box.value?.action == .fail)
        #expect(box.value?.cacheStatus == "respite; detail=origin-down")
        #expect(box.value?.notes.last?.word == "origin-down")
        world.timekeeper.advance(by: .seconds(1))
        world.resource().explain(method, fields) { explanation in box.change { $0 = explanation } }
        #expect(box.value?.action == .pass)
    }

    @Test("a HEAD that rules of its own keep from the store is told to be passed")
    func headOfItsOwn() {
        let world = World()
        world.fill("/a")
        world.service.configure(requestMethods: [.head]) {
            $0.caching.rules = [CachingRule(name: "rule 1", neverCache: true)]
        }
        let box = LockedBox<Explanation?>(nil)
        world.resource().explain(.head, Fields()) { explanation in box.change { $0 = explanation } }
        #expect(world.get(method: .head).pass == .neverCache)
        #expect(box.value?.action == .pass)
        #expect(box.value?.notes.first?.sentence == "rule 1 forbids to cache")
    }
}
