import HTTPCore
import ResourceCore
import ResourceDoubles
import TestDoubles
import Testing

@Suite("Requests that load beside another load")
struct SeparateLoadTests {
    @Test("a Range does not wait for a load without conditions: its response has no 304 that lets it be served")
    func range() {
        // Given a stale response without a validator, and a load in its place
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60")])
        world.timekeeper.advance(by: .seconds(61))
        world.get()
        #expect(world.provider.count == 2)
        // When a request for a range comes, then it goes to the origin at once
        world.get("/a", [("Range", "bytes=0-1")])
        #expect(world.provider.count == 3)
        #expect(world.last.value(of: .range) == "bytes=0-1")
    }

    @Test("a request for an upgrade does not wait for a validation")
    func upgrade() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(61))
        world.get()
        world.get("/a", [("Upgrade", "other/1"), ("Connection", "Upgrade")])
        #expect(world.provider.count == 3)
    }
}
