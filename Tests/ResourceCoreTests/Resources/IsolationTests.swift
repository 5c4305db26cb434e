import Configurations
import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing

@Suite("One user's answers are not another's")
struct IsolationTests {
    @Test("no value of a field that Vary nominates is kept, but of those that say what a client understands (H-158)")
    func requestFieldsAtRest() {
        let store = MemoryVariantStore()
        let world = World(store: store, hasher: ReversingHasher())
        let secrets = [
            ("X-Api-Key", "sesame"), ("Authorization", "Bearer sesame"), ("Cookie", "id=sesame"),
            ("X-Tenant", "sesame"), ("Accept", "text/plain"),
        ]
        world.get("/a", secrets)
        world.last.answer(
            200,
            [("Cache-Control", "public, max-age=60"), ("Vary", "X-Api-Key, Authorization, Cookie, X-Tenant, Accept")],
            "abc"
        )
        world.runUntilIdle()
        let records = store.records(of: World.uri("/a"))
        let kept = records.map(\.requestFields)
        #expect(kept.count == 1)
        let selection = String(decoding: records.first?.selection ?? [], as: UTF8.self)
        #expect(selection.contains("text/plain") && selection.contains("x-tenant") && !selection.contains("sesame"))
        #expect(world.get("/a", secrets).text == "abc")
        #expect(kept.first?.text(of: .accept) == "text/plain")
        #expect(kept.first?.lines.count == 1)
    }

    @Test("while a credential has an answer of its own no request is answered without looking at credentials (C-20.3)")
    func plainAnswer() {
        let world = World()
        world.get("/a", [("Cookie", "id=1")])
        world.last.answer(200, [("Cache-Control", "private, max-age=60")], "own")
        world.runUntilIdle()
        world.fill("/a", [("Cache-Control", "max-age=60")], "all")
        #expect(world.resource().snapshot.sharedHit == nil)
        #expect(world.get("/a", [("Cookie", "id=1")]).text == "own")
        #expect(world.get("/a", [("Cookie", "id=2")]).text == "all")
        world.fill("/b", [("Cache-Control", "max-age=60")])
        #expect(world.resource("/b").snapshot.sharedHit != nil)
    }

    @Test(
        "a 304 that belongs to one request goes to that one; those who waited with it ask again (C-23.0)",
        arguments: [
            [("Cache-Control", "private, max-age=60")], [("Cache-Control", "max-age=0"), ("Set-Cookie", "id=1")],
        ]
    )
    func notModifiedForOne(lines: [(String, String)]) {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(61))
        let clients = (0..<3).map { _ in world.get() }
        #expect(world.provider.count == 2)
        world.last.answer(304, lines + [("ETag", "\"v1\"")])
        world.runUntilIdle()
        #expect(clients.count { $0.answers == 1 } == 1)
        #expect(world.provider.count == 3)
        world.last.answer(200, [("Cache-Control", "max-age=60")], "new")
        world.runUntilIdle()
        #expect(clients.count { $0.text == "new" } == 2)
    }

    @Test("what a 304 makes one user's leaves the partition of a credential several cookies share (C-20.1b)")
    func freshenedToPrivate() {
        let world = World()
        let first = [("Authorization", "Bearer a"), ("Cookie", "id=1")]
        let second = [("Authorization", "Bearer a"), ("Cookie", "id=2")]
        world.get("/a", first)
        world.last.answer(200, [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")], "abc")
        world.runUntilIdle()
        #expect(world.get("/a", second).isHit)
        world.timekeeper.advance(by: .seconds(61))
        world.get("/a", first)
        world.last.answer(304, [("Cache-Control", "private, max-age=60"), ("ETag", "\"v1\"")])
        world.runUntilIdle()
        #expect(!world.get("/a", second).isHit)
        #expect(world.provider.count == 3)
    }

    @Test("a 304 that names other fields in Vary ends the variant, and answers only the request that caused it")
    func otherVary() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(61))
        let first = world.get("/a", [("X-Kind", "1")])
        let second = world.get("/a", [("X-Kind", "2")])
        #expect(world.provider.count == 2)
        world.last.answer(304, [("Cache-Control", "max-age=60"), ("ETag", "\"v1\""), ("Vary", "X-Kind")])
        world.runUntilIdle()
        #expect(first.text == "abc" && second.answers == 0)
        #expect(world.provider.count == 3)
        #expect(world.resource().snapshot.variants.isEmpty)
    }

    @Test("a cookie set by a 304 reaches the user whose request caused it, and nobody else (H-114)")
    func cookieOfNotModified() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(61))
        let user = world.get("/a", [("Cookie", "id=1")])
        world.last.answer(304, [("Cache-Control", "public, max-age=60"), ("ETag", "\"v1\""), ("Set-Cookie", "id=2")])
        world.runUntilIdle()
        #expect(user.stored?.fields.text(of: .setCookie) == "id=2")
        let other = world.get()
        #expect(other.text == "abc" && other.stored?.fields.contains(.setCookie) == false)
        #expect(world.provider.count == 2)
    }

    @Test("a cookie set by a 304 to a request without a credential takes nothing from the others (H-114)")
    func cookieOfNotModifiedForAll() {
        var configuration = Configuration()
        configuration.caching.isLoopbackListener = false
        let world = World(configuration: configuration)
        let fields = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")]
        world.fill("/a", fields)
        world.timekeeper.advance(by: .seconds(61))
        let user = world.get()
        world.last.answer(304, fields + [("Set-Cookie", "id=2")])
        world.runUntilIdle()
        #expect(user.text == "abc" && user.stored?.fields.text(of: .setCookie) == "id=2")
        let other = world.get()
        #expect(other.text == "abc" && other.stored?.fields.contains(.setCookie) == false)
        #expect(world.provider.count == 2)
    }

    @Test("the user of a login separates requests only where a rule says so")
    func users() {
        var (alice, bob) = (Partitions(), Partitions())
        (alice.user, bob.user) = ("alice", "bob")
        #expect(alice == bob && alice == Partitions())
    }
}

/// Makes something else of every value.
private final class ReversingHasher: PartitionHasher {
    func hash(_ credentials: [UInt8]) -> [UInt8] { credentials.reversed() }
}
