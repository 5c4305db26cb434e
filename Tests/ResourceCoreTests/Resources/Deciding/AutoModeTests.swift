import Configurations
import Exchanges
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

/// What mode `auto` makes of an origin that is down.
@Suite("Mode auto") struct AutoModeTests {
    private static func world(_ mode: ServiceMode = .auto) -> World {
        var configuration = Configuration()
        configuration.mode = mode
        return World(configuration: configuration, origins: CircuitBreakers(chance: { 1 }))
    }

    /// Has something stored that is stale, and the origin down.
    private static func unplug(_ world: World, _ fields: [(String, String)] = [("Cache-Control", "max-age=60")]) {
        world.fill("/a", fields + [("ETag", "\"1\"")], "old")
        world.fill("/b", fields, "other")
        world.timekeeper.advance(by: .seconds(61))
        for number in 0..<5 {
            world.get("/fail/\(number)")
            world.last.fail()
            world.runUntilIdle()
        }
    }

    @Test(
        "unplugged: stale is served at once, one probe at a time; plugged in: fresh data within the probe interval (C-25.2)"
    )
    func unplugged() {
        let world = Self.world()
        Self.unplug(world)
        let asked = world.provider.count
        for _ in 0..<10 {
            let client = world.get()
            #expect(client.text == "old" && client.isHit && client.outcome?.detail == "origin-down")
        }
        #expect(world.provider.count == asked)
        world.timekeeper.advance(by: .seconds(1))
        // The probe is the load of one request, which does not wait for it.
        #expect(world.get().text == "old")
        #expect(world.provider.count == asked + 1)
        #expect(world.get().text == "old" && world.get("/b").text == "other")
        #expect(world.provider.count == asked + 1)
        world.last.fail()
        world.runUntilIdle()
        world.timekeeper.advance(by: .milliseconds(1999))
        #expect(world.get().text == "old" && world.provider.count == asked + 1)
        world.timekeeper.advance(by: .milliseconds(1))
        // Plugged in again: what the probe brings is the answer to the next request,
        #expect(world.get().text == "old" && world.provider.count == asked + 2)
        #expect(world.last.value(of: .ifNoneMatch) == "\"1\"")
        world.last.answer(200, [("Cache-Control", "max-age=60")], "new")
        world.runUntilIdle()
        #expect(world.get().text == "new")
        // and whatever else is stale is asked for as ever.
        let other = world.get("/b")
        #expect(other.answers == 0)
        world.last.answer(200, [("Cache-Control", "max-age=60")], "new, too")
        world.runUntilIdle()
        #expect(other.text == "new, too")
    }

    @Test("a request with nothing to serve makes the probe itself, and others join it or are told (C-25.2)")
    func nothingHeld() {
        let world = Self.world()
        Self.unplug(world)
        #expect(world.get("/c").failure?.outage?.nextAttempt == .seconds(1))
        world.timekeeper.advance(by: .seconds(1))
        let probing = world.get("/c")
        let joining = world.get("/c")
        #expect(probing.answers == 0 && joining.answers == 0)
        #expect(world.get("/d").failure?.outage?.isProbing == true)
        world.last.answer(200, [("Cache-Control", "max-age=60")], "here")
        world.runUntilIdle()
        #expect(probing.text == "here" && joining.text == "here")
    }

    @Test(
        "what may not be served stale is not served while the origin is down (C-25.2, C-7.3)",
        arguments: ["max-age=60, must-revalidate", "max-age=60, proxy-revalidate", "s-maxage=60", "no-cache"]
    )
    func forbidden(control: String) {
        let world = Self.world()
        Self.unplug(world, [("Cache-Control", control)])
        let failure = world.get().failure
        #expect(failure?.outage != nil && failure?.status == 504)
        #expect(world.get("/never-seen").failure?.status == 502)
    }

    @Test("what is fresh is a hit as ever, and a request that wants validation is told why there is none (C-25.2)")
    func fresh() {
        let world = Self.world()
        Self.unplug(world, [("Cache-Control", "max-age=1000")])
        #expect(world.get().outcome?.detail == nil)
        #expect(world.get("/a", [("Cache-Control", "no-cache")]).failure?.outage != nil)
        #expect(world.get("/a", [("Cache-Control", "only-if-cached")]).isHit)
    }

    @Test("HEAD and ranges, too, are answered from what is stale (C-25.2)", arguments: [true, false])
    func otherRequests(isHead: Bool) {
        let world = Self.world()
        Self.unplug(world)
        let client = isHead ? world.get(method: .head) : world.get("/a", [("Range", "bytes=0-0")])
        #expect(client.outcome?.detail == "origin-down")
        #expect(world.get("/c", method: .head).pass == .head)
    }

    @Test("in mode online a request waits for the probe, and gets what is stale if that fails (C-25.2)")
    func online() {
        let world = Self.world(.online)
        Self.unplug(world)
        #expect(world.get().outcome?.detail == "origin-down")
        world.timekeeper.advance(by: .seconds(1))
        let probing = world.get()
        #expect(probing.answers == 0)
        world.last.fail()
        world.runUntilIdle()
        #expect(probing.text == "old" && probing.outcome?.detail == "disconnected")
    }

    @Test("explain tells that the origin is down (C-25.2, C-25.3)")
    func explained() {
        let world = Self.world()
        Self.unplug(world)
        #expect(
            world.explain().prefix(2) == [
                "outcome: serve (Cache-Status: respite; hit; ttl=-1; detail=origin-down)",
                "  origin-down: 5 attempts in a row at http://origin.example failed, the last with connection_refused; the next "
                    + "attempt is made in 1 s at the earliest (RFC 9111 §4.2.4)",
            ]
        )
        #expect(
            world.explain([], "/c").first == "outcome: fail (Cache-Status: respite; detail=origin-down)"
        )
        world.timekeeper.advance(by: .seconds(1))
        #expect(world.explain().first?.hasPrefix("outcome: serve-and-refresh") == true)
        #expect(world.provider.count == 7)
    }
}
