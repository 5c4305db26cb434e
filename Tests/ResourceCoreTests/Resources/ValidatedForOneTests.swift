import ResourceDoubles
import HTTPCaching
import HTTPCore
import ResourceCore
import TestDoubles
import Testing

/// What one user's validation means for what is held for everybody.
@Suite("A 304 to one user's request") struct ValidatedForOneTests {
    private static let tagged = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")]
    /// Without a stated lifetime.
    private static let guessed = [("Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT"), ("ETag", "\"v1\"")]

    @Test(
        "it serves those who bear the credential, and leaves the response for everybody as it was (C-17.1, C-20.3)",
        arguments: [
            (tagged, ("Authorization", "Bearer a"), [("Cache-Control", "max-age=60")]),
            (guessed, ("Cookie", "id=1"), []),
        ]
    )
    func kept(held: [(String, String)], credential: (String, String), answer: [(String, String)]) {
        let store = MemoryVariantStore()
        let world = World(store: store)
        world.fill("/a", held)
        world.timekeeper.advance(by: .seconds(200_000))
        let users = (0..<3).map { _ in world.get("/a", [credential]) }
        #expect(world.provider.count == 2)
        world.last.answer(304, answer + [("ETag", "\"v1\"")])
        world.runUntilIdle()
        #expect(users.allSatisfy { $0.text == "abc" && $0.outcome?.forwardStatus == 304 })
        #expect(users.allSatisfy { $0.outcome?.isStored == false })
        #expect(world.provider.count == 2)
        #expect(world.resource().snapshot.variants.count == 1 && store.records(of: World.uri("/a")).count == 1)
        // Still stale for everybody else, who validates it.
        let other = world.get()
        #expect(other.answers == 0 && world.last.value(of: .ifNoneMatch) == "\"v1\"")
        world.last.answer(304, [("ETag", "\"v1\""), ("Cache-Control", "max-age=60")])
        world.runUntilIdle()
        #expect(other.text == "abc" && world.get().isHit)
        #expect(world.provider.count == 3)
    }

    @Test("a 304 that lets everybody have it freshens it, whoever asked (C-17.1)")
    func shareable() {
        let world = World()
        world.fill("/a", Self.tagged)
        world.timekeeper.advance(by: .seconds(61))
        world.get("/a", [("Authorization", "Bearer a")])
        world.last.answer(304, [("ETag", "\"v1\""), ("Cache-Control", "public, max-age=60")])
        world.runUntilIdle()
        #expect(world.get().isHit && world.provider.count == 2)
    }

    @Test("what several cookies of one credential share stays when one of them validates it by a guess (C-20.1b)")
    func credentialsOwn() {
        let world = World()
        let bearer = ("Authorization", "Bearer a")
        world.get("/a", [bearer])
        world.last.answer(200, Self.guessed, "abc")
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(200_000))
        let user = world.get("/a", [bearer, ("Cookie", "id=1")])
        world.last.answer(304, [("ETag", "\"v1\"")])
        world.runUntilIdle()
        #expect(user.text == "abc")
        #expect(world.resource().snapshot.variants.count == 1)
    }

    @Test("the answer to one user's HEAD changes nothing of it, either (C-21.7)")
    func head() {
        let world = World()
        world.fill("/a", Self.tagged)
        world.timekeeper.advance(by: .seconds(61))
        var head = ResponseHead(status: 200)
        for (name, value) in Self.tagged { head.fields.append(name: name, value: value) }
        let request = world.request("/a", [("Authorization", "Bearer a")], method: .head)
        world.resource().didReceiveHead(head, for: request)
        #expect(world.resource().snapshot.variants.count == 1)
        #expect(world.get().answers == 0)
    }
}
