import HTTPCaching
import ResourceCore
import ResourceDoubles
import TestDoubles
import Testing

private let fresh = World.freshPart

@Suite("Loads of parts at the same time")
struct PartsAtOnceTests {
    @Test("what another load has brought already is not asked for again (C-22.1)")
    func broughtMeanwhile() {
        let world = World()
        world.fillPart(0..<2)
        world.part("5-7")
        world.last.head(206, fresh + [("Content-Range", "bytes 5-7/10")], length: 3)
        world.last.content("56")
        world.runUntilIdle()
        world.part("0-9")
        #expect(world.last.value(of: .range) == "bytes=2-4")
    }

    @Test("with nothing stored, a request for several ranges waits for the head of a load of one (C-22.3)")
    func severalWait() {
        let world = World(store: MemoryVariantStore())
        world.part("0-4")
        let exchange = world.last
        let several = world.part("6-7,1-2")
        #expect(world.provider.exchanges.count == 1 && several.answer == nil)
        exchange.head(206, fresh + [("Content-Range", "bytes 0-4/10")], length: 5)
        world.runUntilIdle()
        #expect(world.provider.exchanges.count == 2)
        #expect(world.last.value(of: .range) == "bytes=6-7")
        #expect(world.last.value(of: .ifRange) == "\"v1\"")
        exchange.content("01234")
        exchange.end()
        world.runUntilIdle()
        #expect(world.part("0-4").isHit)
    }

    @Test("several ranges go to the origin as they are if another part shows that nothing is joined (C-22.3)")
    func severalGoOn() {
        let world = World(store: MemoryVariantStore())
        world.part("0-4")
        let exchange = world.last
        world.part("6-7,1-2")
        exchange.head(206, [("Cache-Control", "no-store"), ("Content-Range", "bytes 0-4/10")], length: 5)
        world.runUntilIdle()
        #expect(world.provider.exchanges.count == 2)
        #expect(world.last.value(of: .range) == "bytes=6-7,1-2")
        // The next one does not wait again.
        world.part("8-9")
        world.part("6-7,1-2")
        #expect(world.provider.exchanges.count == 4)
    }

    @Test("a load whose response is stale by now, or too old for the request, begins no answer (C-22.1, C-23.1)")
    func staleLoad() {
        for (pause, lines) in [(61, []), (1, [("Cache-Control", "no-cache")])] as [(Int, [(String, String)])] {
            let world = World()
            world.fillPart(0..<2)
            world.part("4-9")
            world.last.head(206, fresh + [("Content-Range", "bytes 4-9/10")], length: 6)
            world.last.content("45")
            world.runUntilIdle()
            world.timekeeper.advance(by: .seconds(pause))
            let client = world.part("4-5", lines)
            #expect(client.answer == nil)
            #expect(world.last.value(of: .range) == "bytes=4-5")
            #expect(world.last.value(of: .ifRange) == "\"v1\"")
        }
    }

    @Test(
        "a part or a rest under the same tag whose Last-Modified or digest differs is not joined (C-22.2)",
        arguments: [("Last-Modified", "Thu, 01 Jan 1970 00:00:"), ("Repr-Digest", "sha-256=:")]
    )
    func contradiction(name: String, value: String) {
        func lines(_ which: Int) -> [(String, String)] { fresh + [(name, "\(value)0\(which) GMT")] }
        let world = World(store: MemoryVariantStore())
        // Two loads at once, neither of which knows of the other.
        world.part("0-1")
        let first = world.last
        world.part("6-7")
        let second = world.last
        first.answer(206, lines(1) + [("Content-Range", "bytes 0-1/10")], "01")
        second.answer(206, lines(2) + [("Content-Range", "bytes 6-7/10")], "67")
        world.runUntilIdle()
        #expect(world.part("6-7").stored?.extent?.text == "6-7/10")
        // A response that is cut.
        let client = world.get("/b")
        world.last.head(200, lines(1), length: 10)
        world.last.content("0123")
        world.last.fail(.responseIncomplete)
        world.runUntilIdle()
        world.last.answer(206, lines(2) + [("Content-Range", "bytes 4-9/10")], "xxxxxx")
        world.runUntilIdle()
        #expect(client.text == "0123" && client.ending == .failed)
    }

    @Test("a part that comes while an earlier one is validated stays (C-22.1)")
    func whileValidated() {
        let world = World(store: MemoryVariantStore())
        world.fillPart(0..<2)
        world.part("0-1", [("Cache-Control", "no-cache")])
        let validation = world.last
        world.fillPart(4..<8)
        validation.answer(304, [("ETag", "\"v1\"")])
        world.runUntilIdle()
        #expect(world.part("4-7").isHit)
        #expect(world.part("0-1").isHit)
    }

    @Test("a part that comes in the second of an invalidation validates the others, also after a restart (C-22.1)")
    func afterInvalidation() {
        let store = MemoryVariantStore()
        let world = World(store: store)
        world.fillPart(0..<2)
        world.resource().invalidate()
        world.runUntilIdle()
        world.fillPart(4..<8)
        #expect(world.parts.map(\.isInvalidated) == [true, false])
        for again in [world, World(store: store)] {
            #expect(again.part("4-7").isHit)
            #expect(again.part("0-1").isHit)
        }
    }

    @Test("a part that is found to be right does not replace the whole that came meanwhile (C-22.1, S-256)")
    func wholeMeanwhile() {
        let weak = [("Cache-Control", "max-age=60"), ("ETag", "W/\"v1\"")]
        let world = World()
        world.fillPart(0..<2, weak)
        world.resource().invalidate()
        world.get()
        let whole = world.last
        world.part("0-1")
        let validation = world.last
        whole.answer(200, weak, World.digits)
        world.runUntilIdle()
        validation.answer(304, [("ETag", "W/\"v1\"")])
        world.runUntilIdle()
        #expect(world.get().isHit)
    }

    @Test("of parts that came in one second, the one that was asked for last says how old they are (C-22.1)")
    func ageOfJoined() {
        let store = MemoryVariantStore()
        let world = World(store: store)
        world.part("0-1")
        let slow = world.last
        world.timekeeper.advance(by: .seconds(61))
        world.part("4-7")
        let quick = world.last
        for (exchange, range) in [(slow, 0..<2), (quick, 4..<8)] {
            let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/10"
            exchange.answer(206, fresh + [("Content-Range", place)], String(Array(World.digits)[range]))
            world.runUntilIdle()
        }
        #expect(World(timekeeper: world.timekeeper, store: store).part("4-7").isHit)
    }

    @Test(
        "before its head a load of missing bytes is joined, unless a request asks for what was asked for later (C-23.0)"
    )
    func beforeHead() {
        let world = World()
        world.fillPart(0..<3)
        world.part("0-9")
        #expect(world.last.value(of: .range) == "bytes=3-9")
        for range in ["0-9", "3-9", "2-5"] {
            world.part(range)
            #expect(world.provider.count == 2, "\(range)")
        }
        world.timekeeper.advance(by: .milliseconds(1))
        world.part("3-9")
        #expect(world.provider.count == 2)
        world.part("3-9", [("Cache-Control", "no-cache")])
        #expect(world.provider.count == 3 && world.last.value(of: .range) == "bytes=3-9")
    }
}
