import Configurations
import HTTPCaching
import HTTPCore
import ResourceCore
import ResourceDoubles
import ResourceModel
import TestDoubles
import Testing

private let fresh = World.freshPart
private let window = [("Cache-Control", "max-age=60, stale-while-revalidate=600"), ("ETag", "\"v1\"")]

/// Stored parts that are refreshed, completed and put in the place of a whole.
@Suite("What becomes of stored parts") struct PartRefreshTests {
    private static let rest = fresh + [("Content-Range", "bytes 4-9/10")]

    @Test("a part served stale is validated in the background, by a 304 freshened (C-7.1, C-16.2)")
    func freshened() {
        let world = World()
        world.fillPart(2..<6, window)
        world.timekeeper.advance(by: .seconds(70))
        #expect(world.part("3-4").outcome?.detail == "stale-while-revalidate")
        #expect(world.last.value(of: .ifNoneMatch) == "\"v1\"")
        world.last.answer(304, window)
        world.runUntilIdle()
        #expect(world.part("3-4").outcome?.detail == nil && world.provider.count == 2)
    }

    @Test("a large whole that comes instead is given up, and the part goes (C-7.1, C-16.2)", arguments: [true, false])
    func whole(isAnnounced: Bool) {
        let world = World(store: MemoryVariantStore())
        let observer = EventRecorder()
        world.fillPart(2..<6, window)
        world.timekeeper.advance(by: .seconds(70))
        world.resource().addObserver(observer)
        #expect(world.part("3-4").isHit)
        world.last.head(
            200,
            [("Cache-Control", "max-age=60"), ("ETag", "\"v2\"")],
            length: isAnnounced ? 50 << 30 : nil
        )
        world.runUntilIdle()
        if !isAnnounced {
            for _ in 0..<3 where !world.last.isCancelled {
                world.last.content([UInt8](repeating: 0x61, count: 1 << 19))
            }
            world.runUntilIdle()
        }
        #expect(world.last.isCancelled && !world.resource().isLoading)
        #expect(world.parts.isEmpty && world.resource().snapshot.variants.isEmpty)
        #expect(observer.events.last == "requestCancelled")
        #expect(world.provider.count == 2)
    }

    @Test("a small whole that comes instead takes its place (C-7.1, C-16.2)")
    func smallWhole() {
        let world = World(store: MemoryVariantStore())
        world.fillPart(2..<6, window)
        world.timekeeper.advance(by: .seconds(70))
        world.part("3-4")
        world.last.answer(200, [("Cache-Control", "max-age=60"), ("ETag", "\"v2\"")], "abcdef")
        world.runUntilIdle()
        #expect(world.get().text == "abcdef" && world.parts.isEmpty)
    }

    @Test(
        "a range whose stale part the origin has replaced brings the new bytes once, and they stay (C-22.1, C-22.2)",
        arguments: [10, 2 << 20] as [Int64]
    )
    func changed(length: Int64) {
        let world = World(store: MemoryVariantStore())
        world.fillPart(2..<6)
        world.timekeeper.advance(by: .seconds(61))
        let client = world.part("3-4")
        let validation = world.last
        let new = [("Cache-Control", "max-age=60"), ("ETag", "\"v2\"")]
        validation.head(200, new, length: length)
        world.runUntilIdle()
        #expect(world.parts.isEmpty)
        // The client reads what the response to the validation brings.
        #expect(world.last === validation)
        #expect(client.assembling?.metadata.etag?.bytes == Array("\"v2\"".utf8))
        validation.content([UInt8](repeating: 0x61, count: 10))
        client.leave()
        if length == 10 { validation.end() }
        world.runUntilIdle()
        #expect(world.part("3-4").isHit && world.part("2-5").isHit)
        #expect(world.provider.count == 2)
    }

    @Test("who waits for the whole gets it, however large (C-7.1, C-16.2)")
    func joined() {
        let world = World()
        world.fillPart(2..<6, window)
        world.timekeeper.advance(by: .seconds(70))
        world.part("3-4")
        let whole = world.get()
        #expect(world.provider.count == 2)
        world.last.head(200, [("Cache-Control", "max-age=60"), ("ETag", "\"v2\"")], length: 50 << 30)
        world.runUntilIdle()
        #expect(!world.last.isCancelled && whole.following?.status == 200)
        whole.leave()
        world.runUntilIdle()
        #expect(world.last.isCancelled)
    }

    @Test("a part without validator is not refreshed: only the whole would come (C-7.1, C-16.2)")
    func withoutValidator() {
        let world = World()
        world.fillPart(2..<6, [("Cache-Control", "max-age=60, stale-while-revalidate=600")])
        world.timekeeper.advance(by: .seconds(70))
        #expect(world.part("3-4").isHit && world.provider.count == 1)
        #expect(world.explain([("Range", "bytes=3-4")]).first?.hasPrefix("outcome: serve (") == true)
    }

    @Test("a 304 about something else takes the part away, and loads no whole (C-7.1, C-16.2, C-21.6)")
    func otherTag() {
        let world = World()
        world.fillPart(2..<6, window)
        world.timekeeper.advance(by: .seconds(70))
        world.part("3-4")
        world.last.answer(304, [("ETag", "\"v9\"")])
        world.runUntilIdle()
        #expect(world.provider.count == 2 && !world.resource().isLoading)
        #expect(world.resource().snapshot.variants.isEmpty)
    }

    @Test(
        "a cookie that comes with the rest reaches the client whose request brought it, and nobody else (H-114)",
        arguments: [[("Cookie", "id=1")], []]
    )
    func cookie(credential: [(String, String)]) throws {
        var configuration = Configuration()
        configuration.caching.isLoopbackListener = false
        configuration.caching.cookies = .share
        let world = World(store: MemoryVariantStore(), configuration: configuration)
        world.fillPart(0..<4)
        let user = world.get("/a", credential)
        world.last.head(206, Self.rest + [("Set-Cookie", "id=2")], length: 6)
        world.runUntilIdle()
        let other = world.get()
        world.last.content("456789")
        world.last.end()
        world.runUntilIdle()
        #expect(user.text == World.digits && other.text == World.digits && world.provider.count == 2)
        #expect(user.following?.fields.text(of: .setCookie) == "id=2")
        #expect(other.following?.fields.contains(.setCookie) == false)
        let record = try #require(world.store?.records(of: World.uri("/a")).first)
        #expect(!record.fields.contains(.setCookie) && record.extent == nil)
        #expect(world.get().stored?.fields.contains(.setCookie) == false)
    }

    @Test("a cookie that comes with the rest, and may be everybody's, is stored with the whole (C-16.3)")
    func sharedCookie() throws {
        let world = World(store: MemoryVariantStore())
        world.fillPart(0..<4)
        let client = world.get()
        world.last.answer(206, Self.rest + [("Set-Cookie", "id=2")], "456789")
        world.runUntilIdle()
        #expect(client.following?.fields.text(of: .setCookie) == "id=2")
        let record = try #require(world.store?.records(of: World.uri("/a")).first)
        #expect(record.extent == nil && record.fields.text(of: .setCookie) == "id=2")
        #expect(world.get().stored?.fields.text(of: .setCookie) == "id=2")
    }

    @Test("where a rule strips cookies nobody gets it (C-25.1)")
    func strippedCookie() {
        var configuration = Configuration()
        configuration.caching.rules = [CachingRule(name: "r", setCookie: .strip)]
        let world = World(configuration: configuration)
        world.fillPart(0..<4)
        let user = world.get("/a", [("Cookie", "id=1")])
        world.last.answer(206, Self.rest + [("Set-Cookie", "id=2")], "456789")
        world.runUntilIdle()
        #expect(user.text == World.digits && user.following?.fields.contains(.setCookie) == false)
    }

    @Test("observers hear that a whole is gone when a part of another representation takes its place (C-16.2)")
    func wiped() {
        let world = World()
        let observer = EventRecorder()
        world.resource().addObserver(observer)
        world.get()
        world.part("2-5")
        world.provider.exchanges[0].answer(200, [("Cache-Control", "no-cache"), ("ETag", "\"v1\"")], World.digits)
        world.runUntilIdle()
        world.answerPart(2..<6, [("Cache-Control", "max-age=60"), ("ETag", "\"v2\"")])
        #expect(world.resource().latestResponse == nil)
        #expect(observer.events == ["observerAdded", "requested L", "newData(network) D", "newData(wipe)"])
    }

    @Test("a part that cannot be completed goes with the first try (C-16.3)", arguments: ["W/\"v1\"", ""])
    func once(tag: String) {
        let world = World(store: MemoryVariantStore())
        let lines = [("Cache-Control", "max-age=60")] + (tag.isEmpty ? [] : [("ETag", tag)])
        world.fillPart(0..<4, lines)
        for attempt in 0..<3 {
            let client = world.get()
            if attempt == 0 {
                #expect(world.last.value(of: .range) == "bytes=4-")
                world.last.head(206, lines + [("Content-Range", "bytes 4-9/10")], length: 6)
                world.runUntilIdle()
            }
            #expect(world.provider.count == 3 + attempt && world.last.value(of: .range) == nil)
            world.last.answer(200, [("Cache-Control", "no-store")], World.digits)
            world.runUntilIdle()
            #expect(client.text == World.digits)
        }
        #expect(world.parts.isEmpty)
    }
}

/// What observers hear of requests for parts, and of answers to POST.
@Suite("Loads that are none for observers") struct UnannouncedLoadTests {
    private let world = World()
    private let observer = EventRecorder()

    init() { world.resource().addObserver(observer) }

    @Test("a whole that came for a range is data, without a load that began, and without progress (S-209)")
    func whole() {
        world.part("2-5")
        world.last.answer(200, fresh, World.digits)
        world.runUntilIdle()
        #expect(observer.notes.value == ["observerAdded", "newData(network) D"])
    }

    @Test("one that is older than what is held is told by nothing (S-095, S-256)")
    func older() {
        world.part("2-5")
        world.get()
        world.provider.exchanges[1].answer(200, fresh, World.digits)
        world.runUntilIdle()
        let told = observer.notes.value
        world.provider.exchanges[0].answer(200, fresh, World.digits)
        world.runUntilIdle()
        #expect(observer.notes.value == told)
    }

    @Test("nor one that is not stored (S-209)")
    func unstored() {
        world.part("2-5")
        world.last.answer(200, [("Cache-Control", "no-store")], World.digits)
        world.runUntilIdle()
        #expect(observer.notes.value == ["observerAdded"])
    }
}
