import ResourceDoubles
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore
import TestDoubles
import Testing
import Transforms

/// Readers of one response that is not kept, of which one is much slower than the other.
@Suite("Falling behind") struct FallingBehindTests {
    private static let kibibyte = 1024
    private static let tag = ("ETag", "\"one\"")
    private static let unkept = ("Cache-Control", "max-age=60")

    /// The content of the test's response; no two blocks are alike.
    private static func bytes(_ range: Range<Int>, salt: Int = 0) -> [UInt8] {
        range.map { UInt8(truncatingIfNeeded: ($0 + salt) &* 31 &+ ($0 >> 8) &* 7 &+ $0 >> 16) }
    }

    /// A reader that reads when it is told.
    private final class SlowReader {
        let reader: BodyReader
        private let world: World
        private(set) var bytes: [UInt8] = []
        private(set) var fileBytes = 0
        private(set) var isComplete = false
        private(set) var hasFailed = false

        init?(_ body: GrowingBody?, _ world: World) {
            guard let reader = body?.addReader(context: world.context, wake: {}) else { return nil }
            self.reader = reader
            self.world = world
        }

        /// Then what follows from it is done.
        func read(_ count: Int = .max) {
            defer { world.runUntilIdle() }
            var left = count
            while left > 0 {
                switch reader.read(maximum: min(left, 65_536)) {
                case .chunks(let chunks):
                    for chunk in chunks {
                        bytes += chunk.bytes
                        left -= chunk.count
                    }
                case .file(let region):
                    bytes += region.owner.read(region.count, at: region.offset) ?? []
                    fileBytes += region.count
                    left -= region.count
                case .wait: return
                case .end: return isComplete = true
                case .failed: return hasFailed = true
                }
            }
        }
    }

    /// Two clients of one response, of which one reads all that comes and the other when it is told.
    private struct Race {
        let world: World
        let fast: Client
        let slow: SlowReader
        let first: ScriptedExchange

        init?(
            _ lines: [(String, String)],
            length: Int? = nil,
            store: MemoryVariantStore? = nil
        ) {
            world = World(store: store)
            let clients = (0..<2).map { [world] _ in world.get(isReading: false) }
            fast = clients[0]
            first = world.last
            first.head(200, lines, length: length.map(Int64.init))
            world.runUntilIdle()
            guard let body = fast.following?.body, body === clients[1].following?.body,
                let slow = SlowReader(body, world)
            else { return nil }
            self.slow = slow
            fast.beginReading(body)
        }

        func send(_ range: Range<Int>) { Self.send(range, on: first, world) }

        static func send(_ range: Range<Int>, on exchange: ScriptedExchange, _ world: World, salt: Int = 0) {
            var place = range.lowerBound
            while place < range.upperBound {
                let next = min(place + 16 * kibibyte, range.upperBound)
                exchange.content(bytes(place..<next, salt: salt))
                world.runUntilIdle()
                place = next
            }
        }
    }

    private static let total = 3 * 1024 * 1024 + 77

    // MARK: Under a strong tag

    @Test(
        "under a strong tag a slow reader asks for the rest, and the fast one does not wait (H-128)",
        arguments: [nil, total]
    )
    func ranged(length: Int?) throws {
        let race = try #require(Race([Self.unkept, Self.tag], length: length))
        race.send(0..<100_000)
        race.slow.read(70_000)
        race.send(100_000..<Self.total)
        race.first.end()
        race.world.runUntilIdle()
        #expect(race.fast.bytes == Self.bytes(0..<Self.total) && race.fast.ending == .complete)
        #expect(race.world.provider.count == 1)
        race.slow.read()
        let place = race.slow.bytes.count
        let own = race.world.last
        #expect(race.world.provider.count == 2 && (70_000..<Self.total).contains(place))
        #expect(own.value(of: .range) == "bytes=\(place)-" && own.value(of: .ifRange) == "\"one\"")
        let range = ("Content-Range", "bytes \(place)-\(Self.total - 1)/\(Self.total)")
        own.head(206, [range, Self.tag], length: Int64(Self.total - place))
        // It comes at the pace of its one reader.
        #expect(own.credit <= 512 * 1024)
        Race.send(place..<Self.total, on: own, race.world)
        own.end()
        race.slow.read()
        #expect(race.slow.isComplete && race.slow.bytes == Self.bytes(0..<Self.total))
        #expect(race.world.provider.count == 2)
    }

    @Test("an origin that sends all of it for a range gives a slow reader the rest under the same tag")
    func wholeForRange() throws {
        let race = try #require(Race([Self.unkept, Self.tag]))
        race.send(0..<1_000_000)
        race.slow.read(900_000)
        race.send(1_000_000..<Self.total)
        race.slow.read()
        let own = race.world.last
        own.head(200, [Self.tag], length: Int64(Self.total))
        Race.send(0..<900_000, on: own, race.world)
        // What the reader has is granted to the origin once more.
        #expect(own.credit >= 192 * 1024)
        Race.send(900_000..<Self.total, on: own, race.world)
        race.slow.read()
        #expect(own.credit >= 192 * 1024)
        own.end()
        race.slow.read()
        #expect(race.slow.isComplete && race.slow.bytes == Self.bytes(0..<Self.total))
    }

    @Test(
        "a slow reader is cut, and never served a mixture, where the content has changed or another range comes (H-151)",
        arguments: [
            (206, [("Content-Range", "bytes 0-99/3145805"), tag], 100), (200, [("ETag", "\"two\"")], total),
            (200, [], total), (206, [("Content-Range", "bytes 0-3145804/3145805"), ("ETag", "\"two\"")], total),
            (416, [tag], 0), (404, [], 0),
        ] as [(UInt16, [(String, String)], Int)]
    )
    func changed(status: UInt16, lines: [(String, String)], length: Int) throws {
        let race = try #require(Race([Self.unkept, Self.tag]))
        race.send(0..<Self.total)
        race.slow.read()
        let (own, before) = (race.world.last, race.slow.bytes.count)
        own.head(status, lines, length: Int64(length))
        race.slow.read()
        #expect(race.slow.hasFailed && own.isCancelled && race.slow.bytes.count == before)
        race.first.end()
        race.world.runUntilIdle()
        #expect(race.fast.ending == .complete)
    }

    @Test("an origin that cannot answer now is asked for the rest again after a pause")
    func repeated() throws {
        let race = try #require(Race([Self.unkept, Self.tag]))
        race.send(0..<Self.total)
        race.slow.read()
        race.world.last.head(503, [("Retry-After", "3")], length: 0)
        race.world.timekeeper.advance(by: .seconds(2))
        race.world.runUntilIdle()
        #expect(race.world.provider.count == 2)
        race.world.timekeeper.advance(by: .seconds(1))
        race.world.runUntilIdle()
        #expect(race.world.provider.count == 3)
        race.world.last.fail(.connectionLimitReached)
        race.world.timekeeper.advance(by: .seconds(2))
        race.world.runUntilIdle()
        #expect(race.world.provider.count == 4)
        let (own, place) = (race.world.last, race.slow.bytes.count)
        let range = ("Content-Range", "bytes \(place)-\(Self.total - 1)/\(Self.total)")
        own.head(206, [range, Self.tag], length: Int64(Self.total - place))
        Race.send(place..<Self.total, on: own, race.world)
        own.end()
        race.slow.read()
        #expect(race.slow.isComplete && race.slow.bytes == Self.bytes(0..<Self.total))
    }

    // MARK: Without one

    @Test("without a strong tag a slow reader gets the rest of what comes once more, if it begins with what it has")
    func compared() throws {
        let race = try #require(Race([Self.unkept, ("ETag", "W/\"weak\"")]))
        race.send(0..<300_000)
        race.slow.read(200_001)
        race.send(300_000..<Self.total)
        race.first.end()
        race.world.runUntilIdle()
        race.slow.read()
        let own = race.world.last
        #expect(race.world.provider.count == 2 && own.value(of: .range) == nil && own.value(of: .ifRange) == nil)
        own.head(200, [Self.unkept])
        Race.send(0..<Self.total, on: own, race.world)
        own.end()
        race.slow.read()
        #expect(race.slow.isComplete && race.slow.bytes == Self.bytes(0..<Self.total))
        #expect(race.fast.bytes == race.slow.bytes)
    }

    @Test(
        "without a strong tag a slow reader is cut where another content comes, and gets nothing of it",
        arguments: [0, 199_999, 200_001]
    )
    func different(from place: Int) throws {
        let race = try #require(Race([Self.unkept]))
        race.send(0..<300_000)
        race.slow.read(200_001)
        race.send(300_000..<Self.total)
        race.slow.read()
        let (own, before) = (race.world.last, race.slow.bytes.count)
        own.head(200, [Self.unkept])
        Race.send(0..<place, on: own, race.world)
        Race.send(place..<Self.total, on: own, race.world, salt: 1)
        race.slow.read()
        #expect(race.slow.hasFailed && own.isCancelled && race.slow.bytes.count == before)
        #expect(race.slow.bytes == Self.bytes(0..<before))
    }

    @Test("what ends before the place of a slow reader is no rest of what it has")
    func shorter() throws {
        let race = try #require(Race([Self.unkept]))
        race.send(0..<300_000)
        race.slow.read(200_001)
        race.send(300_000..<Self.total)
        race.slow.read()
        let own = race.world.last
        own.head(200, [Self.unkept])
        Race.send(0..<100_000, on: own, race.world)
        own.end()
        race.slow.read()
        #expect(race.slow.hasFailed && !race.slow.isComplete)
    }

    // MARK: At the head, and midway

    @Test("what is known to be too large is not shared without a strong tag: each request has its own load")
    func notShared() {
        let world = World()
        let clients = (0..<3).map { _ in world.get() }
        let length = 2 * 1024 * 1024
        for index in 0..<3 {
            #expect(world.provider.count == (index == 0 ? 1 : 3))
            world.provider.exchanges[index].head(200, [Self.unkept], length: Int64(length))
            world.runUntilIdle()
        }
        for exchange in world.provider.exchanges {
            Race.send(0..<length, on: exchange, world)
            exchange.end()
        }
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.bytes == Self.bytes(0..<length) && $0.ending == .complete })
        #expect(clients.allSatisfy { $0.outcome?.detail == "too-large" && $0.outcome?.isStored == false })
        #expect(!world.get().isHit)
    }

    @Test("what just fits into memory is shared, with a tag or without", arguments: [[unkept], [unkept, tag]])
    func fits(lines: [(String, String)]) {
        let world = World()
        let clients = (0..<3).map { _ in world.get() }
        world.last.head(200, lines, length: 1024 * 1024)
        world.runUntilIdle()
        Race.send(0..<1024 * 1024, on: world.last, world)
        world.last.end()
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.ending == .complete } && world.provider.count == 1 && world.get().isHit)
    }

    @Test("when the store refuses the rest midway, a slow reader gets what is in the file and then the rest by itself")
    func refusedMidway() throws {
        let store = MemoryVariantStore()
        let race = try #require(Race([Self.unkept, Self.tag], store: store))
        let middle = 2 * 1024 * 1024
        race.send(0..<middle)
        store.writers[0].flush()
        race.slow.read(100_000)
        race.send(middle..<middle + 1024)
        store.writers[0].flush(refuse: true)
        race.send(middle + 1024..<middle + 4 * Self.kibibyte * Self.kibibyte)
        let end = middle + 4 * Self.kibibyte * Self.kibibyte
        race.first.end()
        race.world.runUntilIdle()
        #expect(race.fast.byteCount == end && race.fast.ending == .complete)
        race.slow.read()
        #expect(race.slow.bytes.count == middle && race.slow.fileBytes > 1024 * 1024)
        let own = race.world.last
        #expect(own.value(of: .range) == "bytes=\(middle)-")
        own.head(206, [("Content-Range", "bytes \(middle)-\(end - 1)/\(end)"), Self.tag], length: Int64(end - middle))
        Race.send(middle..<end, on: own, race.world)
        own.end()
        race.slow.read()
        #expect(race.slow.isComplete && race.slow.bytes == Self.bytes(0..<end))
        #expect(store.records(of: World.uri("/a")).isEmpty)
    }

    // MARK: Leaving

    @Test("a slow reader that leaves ends its own load; the load that nobody reads any more ends, too (H-150)")
    func leaving() throws {
        let race = try #require(Race([Self.unkept, Self.tag]))
        race.send(0..<Self.total)
        race.fast.leave()
        #expect(!race.first.isCancelled)
        race.slow.read()
        // Both clients are counted as interested; none of them reads the first load.
        #expect(race.first.isCancelled && race.world.provider.count == 2 && !race.world.last.isCancelled)
        race.slow.reader.cancel()
        #expect(race.world.last.isCancelled)
    }

    @Test("nobody joins once the first bytes have left memory; who has read nothing asks for all of it")
    func late() throws {
        let race = try #require(Race([Self.unkept, Self.tag]))
        let body = race.fast.following?.body
        race.send(0..<1024 * 1024)
        #expect(body?.addReader(context: race.world.context) {} != nil)
        race.send(1024 * 1024..<Self.total)
        #expect(body?.addReader(context: race.world.context) {} == nil)
        race.slow.read()
        #expect(race.slow.bytes.isEmpty && race.world.last.value(of: .range) == "bytes=0-")
    }
}
