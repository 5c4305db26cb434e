import ResourceDoubles
import HTTPCaching
import HTTPCore
import ResourceCore
import TestDoubles
import Testing

/// What random courses of events brought to light.
@Suite("Found by random courses of events")
struct FoundByChanceTests {
    @Test("a request with only-if-cached causes no refresh in the background (C-21.4)")
    func onlyIfCached() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=10, stale-while-revalidate=30")])
        world.timekeeper.advance(by: .seconds(15))
        let client = world.get("/a", [("Cache-Control", "only-if-cached")])
        #expect(client.outcome?.detail == "stale-while-revalidate")
        #expect(world.provider.count == 1)
        world.get("/a")
        #expect(world.provider.count == 2)
    }

    @Test("a 304 serves only those who waited with it whose nominated fields are the same (C-11.1, C-23.6)")
    func validationOfOneVariant() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=10"), ("ETag", "\"v\""), ("Vary", "X-Kind")], "none")
        // What selects is forgotten, and the stored response to be validated.
        world.resource().invalidate()
        let first = world.get()
        let same = world.get()
        let other = world.get("/a", [("X-Kind", "a")])
        let validation = world.provider.exchanges[1]
        validation.answer(304, [("ETag", "\"v\"")])
        world.runUntilIdle()
        #expect(first.text == "none" && same.text == "none")
        #expect(other.answers == 0)
        world.last.answer(200, [("Vary", "X-Kind")], "kind a")
        world.runUntilIdle()
        #expect(other.text == "kind a")
        #expect(world.provider.count == 3)
    }
}
