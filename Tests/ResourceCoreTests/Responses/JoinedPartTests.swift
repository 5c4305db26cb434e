import HTTPCaching
import ResourceCore
import ResourceDoubles
import TestDoubles
import Testing

private let fresh = World.freshPart

@Suite("Parts of one representation, joined")
struct JoinedPartTests {
    @Test("separate parts under one tag are one response, and found again in the store as one (C-22.1)")
    func joined() {
        let store = MemoryVariantStore()
        let world = World(store: store)
        for range in [6..<8, 0..<2, 3..<5] { world.fillPart(range) }
        #expect(world.parts.map { $0.extent?.text } == ["6-7/10", "0-1/10", "3-4/10"])
        for again in [world, World(store: store)] {
            for (range, text) in [("0-1", "01"), ("7-7", "67"), ("3-3", "34")] {
                #expect(again.part(range).isHit, "\(range) \(text)")
            }
            let several = again.part("0-0,4-4,6-7")
            #expect(several.isHit)
            #expect(several.stored?.extent?.text == "0-1,3-4,6-7/10")
            #expect(several.text == "013467")
        }
    }

    @Test("parts that have all bytes together are the whole (C-22.1)")
    func completed() {
        let store = MemoryVariantStore()
        let world = World(store: store)
        for range in [5..<10, 0..<2, 2..<5] { world.fillPart(range) }
        for again in [world, World(store: store)] {
            let whole = again.get()
            #expect(whole.isHit)
            #expect(whole.stored?.status == 200 && whole.stored?.extent == nil)
            #expect(whole.text == World.digits)
        }
    }

    @Test(
        "a part of another representation replaces the parts, and is not joined with them (C-22.2)",
        arguments: [
            [("ETag", "\"v2\"")], [("ETag", "W/\"v1\"")], [("ETag", "\"v1\""), ("Repr-Digest", "sha-256=:other:")],
        ] as [[(String, String)]]
    )
    func other(lines: [(String, String)]) {
        let world = World(store: MemoryVariantStore())
        let first = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\""), ("Repr-Digest", "sha-256=:one:")]
        world.fillPart(0..<2, first)
        world.timekeeper.advance(by: .seconds(61))
        world.part("6-7")
        world.last.answer(200, [("Cache-Control", "no-store")], World.digits)
        world.runUntilIdle()
        world.fillPart(6..<8, [("Cache-Control", "max-age=60")] + lines)
        #expect(world.part("6-7").isHit)
        #expect(!world.part("0-1").isHit)
    }

    @Test(
        "bytes that were asked for later win, whichever came first; the others stay, also in the store (C-22.1, S-256)",
        arguments: [3..<8, 3..<5, 0..<4, 0..<5, 5..<8] as [Range<Int>]
    )
    func overlapping(later: Range<Int>) {
        for comesFirst in [true, false] {
            let store = MemoryVariantStore()
            let world = World(store: store)
            world.part("0-4")
            let exchange = world.last
            func answer() {
                exchange.answer(206, fresh + [("Content-Range", "bytes 0-4/10")], "abcde")
                world.runUntilIdle()
            }
            if !comesFirst { answer() }
            let range = "\(later.lowerBound)-\(later.upperBound - 1)"
            let client = world.part(range)
            if !comesFirst && later.upperBound <= 5 {
                // All of it is held: nothing is asked for later.
                for one in [client, World(store: store).part(range)] {
                    #expect(one.isHit && one.stored?.extent?.text == "0-4/10" && one.text == "abcde", "\(later)")
                }
                #expect(world.provider.exchanges.count == 1)
                continue
            }
            let first = comesFirst ? later.lowerBound : max(5, later.lowerBound)
            let digits = Array(World.digits)[first..<later.upperBound]
            let place = "bytes \(first)-\(later.upperBound - 1)/10"
            world.last.answer(206, fresh + [("Content-Range", place)], String(digits))
            world.runUntilIdle()
            if comesFirst { answer() }
            let end = max(5, later.upperBound)
            let expected = (0..<end).map { index -> Character in
                Array((first..<later.upperBound).contains(index) ? World.digits : "abcde")[index]
            }
            for again in [world, World(store: store)] {
                let part = again.part("0-\(end - 1)")
                #expect(part.isHit && part.text == String(expected), "\(later) \(comesFirst)")
            }
        }
    }

    @Test("of a file, what later bytes leave is kept in memory; the store has the later bytes alone (C-22.1, S-256)")
    func overlappingFile() {
        let store = MemoryVariantStore()
        let world = World(store: store)
        let count = 200_000
        func field(_ range: Range<Int>) -> [(String, String)] {
            fresh + [("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)")]
        }
        world.part("0-149999")
        let exchange = world.last
        world.part("100000-100001")
        world.last.answer(206, field(100_000..<100_002), "22")
        world.runUntilIdle()
        exchange.head(206, field(0..<150_000), length: 150_000)
        exchange.content([UInt8](repeating: UInt8(ascii: "1"), count: 150_000))
        exchange.end()
        world.runUntilIdle()
        for writer in store.writers { writer.flush() }
        world.runUntilIdle()
        let part = world.part("99999-100002")
        #expect(part.isHit)
        guard case .file(let file)? = part.stored?.body else { return #expect(Bool(false), "it is in no file") }
        #expect(file.read(4, at: 99_999) == Array("1221".utf8))
        let again = World(store: store)
        #expect(again.part("100000-100001").text == "22")
        #expect(!again.part("99999-100002").isHit)
    }

    @Test("a response that was cut is asked for again from where it ended, and then kept as a part (C-22.1)")
    func cut() {
        let world = World(store: MemoryVariantStore())
        let client = world.get()
        world.last.head(200, fresh, length: 10)
        world.last.content("0123")
        world.last.fail(.responseIncomplete)
        world.runUntilIdle()
        #expect(world.last.value(of: .range) == "bytes=4-")
        #expect(world.last.value(of: .ifRange) == "\"v1\"")
        for _ in 0..<4 {
            world.last.fail(.connectionRefused)
            world.runUntilIdle()
            world.timekeeper.advance(by: .seconds(2))
            world.runUntilIdle()
        }
        #expect(client.ending == .failed)
        #expect(client.text == "0123")
        #expect(world.parts.map { $0.extent?.text } == ["0-3/10"])
        #expect(world.part("0-3").isHit)
    }

    @Test("the rest of a response that was cut makes it the whole, for all who wait (C-22.1)")
    func resumed() {
        let world = World(store: MemoryVariantStore())
        let clients = (0..<3).map { _ in world.get() }
        world.last.head(200, fresh, length: 10)
        world.last.content("0123")
        world.last.fail(.responseIncomplete)
        world.runUntilIdle()
        world.last.answer(206, fresh + [("Content-Range", "bytes 4-9/10")], "456789")
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.text == World.digits && $0.ending == .complete })
        #expect(world.get().isHit)
    }

    @Test("the rest of a stored first part goes on after each cut, too (C-22.1)")
    func resumedRest() {
        let world = World(store: MemoryVariantStore())
        world.fillPart(0..<3)
        let clients = (0..<2).map { _ in world.get() }
        #expect(world.last.value(of: .range) == "bytes=3-")
        world.last.head(206, fresh + [("Content-Range", "bytes 3-9/10")], length: 7)
        for cut in [5, 8] {
            let text = Array(World.digits)
            world.last.content(String(text[(cut == 5 ? 3 : 5)..<cut]))
            world.last.fail(.responseIncomplete)
            world.runUntilIdle()
            #expect(world.last.value(of: .range) == "bytes=\(cut)-")
            #expect(world.last.value(of: .ifRange) == "\"v1\"")
            world.last.head(206, fresh + [("Content-Range", "bytes \(cut)-9/10")], length: Int64(10 - cut))
        }
        world.last.content("89")
        world.last.end()
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.text == World.digits && $0.ending == .complete })
        #expect(world.get().isHit)
        #expect(world.provider.exchanges.count == 4)
    }

    @Test("what came before a purge is not kept (C-22.1)")
    func purged() {
        let world = World(store: MemoryVariantStore())
        world.get()
        world.last.head(200, fresh, length: 10)
        world.last.content("0123")
        world.runUntilIdle()
        world.resource().purge()
        world.last.fail(.responseIncomplete)
        for _ in 0..<5 {
            world.timekeeper.advance(by: .seconds(3))
            world.last.fail(.connectionRefused)
            world.runUntilIdle()
        }
        #expect(world.parts.isEmpty)
    }

    @Test("a range that its client gets as it comes is never shortened, however slow (C-22.3)")
    func neverShortened() {
        let world = World(store: MemoryVariantStore())
        let client = world.part("0-1048575")
        let exchange = world.last
        exchange.head(206, fresh + [("Content-Range", "bytes 0-1048575/2097152")], length: 1 << 20)
        exchange.content([UInt8](repeating: 1, count: 1000))
        world.runUntilIdle()
        world.part("1048576-1048577")
        world.last.answer(206, fresh + [("Content-Range", "bytes 1048576-1048577/2097152")], "22")
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(10))
        world.part("1000000-1048577")
        #expect(world.last.value(of: .range) == "bytes=1000000-1048575")
        exchange.content([UInt8](repeating: 1, count: (1 << 20) - 1000))
        exchange.end()
        world.runUntilIdle()
        #expect(client.byteCount == 1 << 20)
        #expect(client.ending == .complete)
    }

    @Test(
        "a number that no content has is forwarded, and overflows nothing (H-121)",
        arguments: ["0-99999999999999999999", "9223372036854775807-", "1-9223372036854775807,5-6"] as [String]
    )
    func largeNumber(range: String) {
        let world = World()
        for _ in 0..<2 { world.part(range) }
        #expect(world.provider.exchanges.first?.value(of: .range) == "bytes=\(range)")
    }
}
