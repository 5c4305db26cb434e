import Configurations
import HTTPCore
import ResourceDoubles
import ResourceModel
import TestDoubles
import Testing

/// Modes in which the origin is not asked.
@Suite("Modes offline and replay") struct ReplayTests {
    @Test("replay: ages stand still, and freshness goes by them, also for what comes from the store (C-25.2)")
    func frozen() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", [("Cache-Control", "max-age=60"), ("Age", "10")])
        world.timekeeper.advance(by: .seconds(40))
        world.service.configuration.mode = .replay
        world.timekeeper.advance(by: .seconds(1000))
        let client = world.get()
        #expect(client.isHit && client.outcome?.detail == "replay")
        #expect(client.stored?.currentAge(at: world.timekeeper.now) == 10)
        #expect(client.stored?.ttl(at: world.timekeeper.now) == 50)
        #expect(client.stored?.isFresh(at: world.timekeeper.now) == true)
        world.resource().wipe()
        let found = world.get()
        #expect(found.stored?.currentAge(at: world.timekeeper.now) == 10 && found.isHit)
        // Back in time: the age is what it would have been.
        world.service.configuration.mode = .auto
        #expect(world.get().answers == 0)
        #expect(world.resource().snapshot.variants.first?.currentAge(at: world.timekeeper.now) == 1050)
        #expect(world.provider.count == 2)
    }

    @Test("replay: what was stale when it was stored is served so (C-25.2)")
    func stale() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60"), ("Age", "100"), ("ETag", "\"1\"")])
        world.service.configuration.mode = .replay
        world.timekeeper.advance(by: .seconds(5))
        let client = world.get()
        #expect(client.outcome?.detail == "replay" && client.stored?.ttl(at: world.timekeeper.now) == -40)
        #expect(world.get("/b").refusal == .replay)
        #expect(world.provider.count == 1)
    }

    @Test(
        "where the origin is not asked every answer says so, and no short way hides it (C-25.2)",
        arguments: [true, false]
    )
    func visible(isReplay: Bool) {
        let world = World()
        world.fill()
        #expect(world.resource().snapshot.sharedHit != nil)
        world.service.configuration.mode = isReplay ? .replay : .offline
        #expect(world.get().outcome?.detail == (isReplay ? "replay" : "offline"))
        #expect(world.resource().snapshot.sharedHit == nil)
        world.service.configuration.mode = .auto
        #expect(world.get().outcome?.detail == nil)
        #expect(world.resource().snapshot.sharedHit != nil)
    }

    @Test("a program's load asks nobody, either (C-25.2)", arguments: [ServiceMode.offline, .replay])
    func program(mode: ServiceMode) {
        let world = World()
        world.service.configuration.mode = mode
        let request = world.resource().load()
        world.runUntilIdle()
        #expect(world.provider.count == 0)
        #expect(request.isCompleted && world.resource().latestError == nil)
    }

    @Test("one background load for a response, whoever's requests are served from it (C-7.1)")
    func oneRefresh() {
        for validator in [[], [("ETag", "\"1\"")]] as [[(String, String)]] {
            let world = World()
            world.fill(
                "/a",
                [("Cache-Control", "public, max-age=60, stale-while-revalidate=30")] + validator
            )
            world.timekeeper.advance(by: .seconds(70))
            let requests: [[(String, String)]] = [
                [("Authorization", "one")], [("Authorization", "two")], [("Cookie", "a=b")], [], [("Accept", "a/b")],
            ]
            for lines in requests { #expect(world.get("/a", lines).isHit) }
            #expect(world.provider.count == 2)
            // Also while somebody waits for what is going to replace it.
            world.last.answer(200, [("Cache-Control", "public, max-age=60, stale-while-revalidate=30")], "new")
            world.runUntilIdle()
            world.timekeeper.advance(by: .seconds(70))
            #expect(world.get("/a", [("Authorization", "one"), ("Cache-Control", "no-cache")]).answers == 0)
            #expect(world.get("/a", [("Authorization", "two")]).isHit)
            #expect(world.provider.count == 3)
        }
    }
}
