import Configurations
import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore

/// Parts of a representation, as values (C-22.1).
@Suite("A stored part") struct StoredPartTests {
    private let bench = Workbench()
    private var options: CachingOptions { bench.context.configuration.caching }
    private let tagged = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")]

    private func bytes(_ stored: StoredResponse) -> [UInt8] {
        switch stored.body {
        case .bytes(let bytes): bytes
        case .file(let file): file.read(Int(file.count), at: 0) ?? []
        }
    }

    /// A part that the load `number` brought, each byte of which is that number.
    private func part(_ range: Range<Int64>, by number: UInt64, of total: Int64 = 10) -> StoredResponse {
        bench.stored(number, tagged) { record in
            record.status = 206
            record.extent = ContentExtent(range, total: total)
            record.body = .bytes([UInt8](repeating: UInt8(number), count: Int(range.upperBound - range.lowerBound)))
        }
    }

    @Test("other parts can be added to one under a strong tag whose whole has a known length above 0")
    func continuing() {
        #expect(bench.part(0..<3).canBeContinued && bench.part(4..<5).canBeContinued)
        #expect(!bench.part(0..<3, of: nil).canBeContinued)
        #expect(!bench.part(0..<3, tag: "W/\"v1\"").canBeContinued)
        #expect(!bench.part(0..<3) { $0.rendition = [1] }.canBeContinued)
        #expect(!bench.stored(1, tagged).canBeContinued && !bench.part(0..<3) { $0.extent = nil }.canBeContinued)
        #expect(!bench.part(0..<3) { $0.extent = ContentExtent(nothingOf: 0) }.canBeContinued)
        #expect(bench.part(0..<3) { $0.extent = ContentExtent(nothingOf: 1) }.canBeContinued)
    }

    @Test("the first part of a resource is committed alone, a later one joins it in the store")
    func commits() {
        let world = World(store: MemoryVariantStore())
        func load(_ range: String, _ content: String) -> StoredRecord? {
            world.get("/a", [("Range", "bytes=\(range)")])
            world.last.answer(206, tagged + [("Content-Range", "bytes \(range)/10")], content)
            world.runUntilIdle()
            return world.store?.records(of: World.uri("/a")).last
        }
        #expect(load("0-2", "abc")?.otherParts == .unchanged)
        #expect(load("5-6", "fg")?.otherParts == .joined)
    }

    @Test("a part joins what the store may have: its former has left memory, and nobody has looked since")
    func joinsUnknown() {
        let store = MemoryVariantStore()
        let world = World(store: store, eviction: KeepOne())
        world.part("6-7")
        let later = world.last
        world.fillPart(0..<2)
        world.fill("/b")
        later.answer(206, World.freshPart + [("Content-Range", "bytes 6-7/10")], "67")
        world.runUntilIdle()
        #expect(world.parts.map { $0.extent?.text } == ["0-1/10", "6-7/10"])
        #expect(world.parts.map(\.otherParts) == [.unchanged, .joined])
        let again = World(store: store)
        #expect(again.part("0-1").isHit && again.part("6-7").isHit)
    }

    @Test(
        "a part of another representation replaces the parts in the store if it was asked for later, else nothing",
        arguments: [true, false]
    )
    func replacesOthers(isLater: Bool) {
        let world = World(store: MemoryVariantStore())
        let ranges = ["0-1", "6-7"]
        for range in ranges { world.part(range) }
        func answer(_ number: Int, _ tag: String) {
            let place = "bytes \(ranges[number])/10"
            let lines = [("Cache-Control", "max-age=60"), ("ETag", tag), ("Content-Range", place)]
            world.provider.exchanges[number].answer(206, lines, "xx")
            world.runUntilIdle()
        }
        answer(isLater ? 0 : 1, "\"v1\"")
        answer(isLater ? 1 : 0, "\"v2\"")
        #expect(world.parts.map { $0.extent?.text } == ["6-7/10"])
        let others: StoredRecord.OtherParts = isLater ? .replaced : .unchanged
        #expect(world.parts.map(\.otherParts) == [others])
    }

    @Test("a whole replaces a part of it that came meanwhile, in the store, too; without parts it replaces none")
    func wholes() {
        let store = MemoryVariantStore()
        let world = World(store: store)
        world.get()
        let whole = world.last
        world.part("2-5")
        world.answerPart(2..<6)
        #expect(world.parts.map(\.otherParts) == [.unchanged])
        whole.answer(200, World.freshPart, World.digits)
        world.runUntilIdle()
        #expect(world.parts.isEmpty && store.records(of: World.uri("/a")).map(\.otherParts) == [.replaced])
        for _ in 0..<2 {
            world.fill("/b")
            #expect(store.records(of: World.uri("/b")).map(\.otherParts) == [.unchanged])
            world.timekeeper.advance(by: .seconds(61))
        }
        #expect(store.log.count { $0 == "commit" } == 4)
    }

    @Test("only a first part in one range is completed, for requests without a pipeline (C-16.3)")
    func completing() {
        let (request, context) = (bench.request(), bench.context)
        #expect(bench.part(0..<3).canBeCompleted(for: request, context))
        #expect(!bench.part(1..<3).canBeCompleted(for: request, context))
        #expect(!bench.stored(1, tagged).canBeCompleted(for: request, context))
        #expect(!bench.part(0..<3) { $0.rendition = [1] }.canBeCompleted(for: request, context))
        let several = ContentExtent(0..<3, total: 10)?.adding(5..<7)
        #expect(!bench.part(0..<3) { $0.extent = several }.canBeCompleted(for: request, context))
        let file = bench.part(0..<3) { $0.body = .file(MemoryBodyFile([1, 2, 3])) }
        #expect(file.canBeCompleted(for: request, context), "there are workers to read it")
        let environment = CoreEnvironment(timekeeper: ManualTimekeeper(), hasher: PlainHasher())
        let service = Service(name: "idle", table: ResourceTable(environment: environment))
        let idle = service.resource(for: World.uri("/a")).context
        #expect(!file.canBeCompleted(for: request, idle), "nobody can read it")
        #expect(bench.part(0..<3).canBeCompleted(for: request, idle))
    }

    @Test("a part answers a GET for bytes that it has, and neither a HEAD nor the whole (C-16.2)")
    func answering() {
        let (part, context) = (bench.part(2..<6), bench.context)
        func request(_ lines: [(String, String)], _ method: Method = .get) -> ClientRequest {
            bench.world.request("/a", lines, method: method)
        }
        #expect(part.answers(request([("Range", "bytes=2-5")]), context))
        #expect(!part.answers(request([("Range", "bytes=2-6")]), context))
        #expect(!part.answers(request([]), context))
        #expect(!part.answers(request([("Range", "bytes=2-5")], .head), context))
        #expect(bench.stored().answers(request([], .head), context) && bench.stored().answers(request([]), context))
    }

    @Test("two parts are of one representation by strong tag, length and digest")
    func sameRepresentation() {
        let part = bench.part(0..<3)
        #expect(part.hasSameRepresentation(as: bench.part(5..<7)))
        #expect(!part.hasSameRepresentation(as: bench.part(5..<7, tag: "\"v2\"")))
        #expect(!part.hasSameRepresentation(as: bench.part(5..<7, of: 11)))
        #expect(!part.hasSameRepresentation(as: bench.stored(1, tagged)), "that has three bytes")
        #expect(bench.part(0..<3, of: 3).hasSameRepresentation(as: bench.stored(1, tagged)))
        func digested(_ digest: String) -> StoredResponse {
            bench.part(0..<3) { $0.fields.append(name: "Repr-Digest", value: "sha-256=:\(digest):") }
        }
        #expect(digested("AAAA").hasSameRepresentation(as: digested("AAAA")))
        #expect(!digested("AAAA").hasSameRepresentation(as: digested("BBBB")))
    }

    @Test("a response that is being received is of the same representation, too, if its length is unknown")
    func sameAsLoaded() {
        let part = bench.part(0..<3)
        func loaded(_ length: Int64?, _ tag: String = "\"v1\"") -> LoadedResponse {
            bench.head([("Cache-Control", "max-age=60"), ("ETag", tag)], length: length).response
        }
        #expect(part.hasSameRepresentation(as: loaded(10)) && part.hasSameRepresentation(as: loaded(nil)))
        #expect(!part.hasSameRepresentation(as: loaded(11)) && !part.hasSameRepresentation(as: loaded(10, "\"v2\"")))
    }

    @Test("what it holds from a position on ends with its range, and at most where asked")
    func held() {
        let part = bench.part(2..<6)
        #expect(part.held(from: 1, to: .max) == nil && part.held(from: 2, to: .max) == 2..<6)
        #expect(part.held(from: 5, to: .max) == 5..<6 && part.held(from: 6, to: .max) == nil)
        #expect(part.held(from: 3, to: 5) == 3..<5)
        let whole = bench.stored(1, tagged)
        #expect(whole.held(from: 0, to: .max) == 0..<3 && whole.held(from: 2, to: 2) == nil)
        #expect(whole.held(from: 1, to: 2) == 1..<2 && whole.held(from: 3, to: .max) == nil)
        #expect(part.bodyRange(3..<5) == 1..<3 && whole.bodyRange(1..<2) == 1..<2)
        #expect(part.representationLength == 10 && whole.representationLength == 3)
        #expect(bench.part(2..<6, of: nil).representationLength == nil)
    }

    // MARK: Joining

    @Test("joined parts have the bytes of both; where they overlap, those of the load that began later win (S-256)")
    func joining() throws {
        let (older, newer) = (part(0..<4, by: 1), part(3..<6, by: 2))
        for joined in [newer.joined(inOrderWith: older, options), older.joined(inOrderWith: newer, options)] {
            let joined = try #require(joined)
            #expect(bytes(joined) == [1, 1, 1, 2, 2, 2] && joined.extent?.ranges == [0..<6])
            #expect(joined.status == 206 && joined.extent?.total == 10 && joined.loadNumber == 2)
        }
        let same = try #require(older.joined(inOrderWith: part(2..<8, by: 1), options))
        #expect(bytes(same) == [1, 1, 1, 1, 1, 1, 1, 1] && same.loadNumber == 1)
        let apart = try #require(part(8..<9, by: 2).joined(with: older, options))
        #expect(apart.extent?.ranges == [0..<4, 8..<9] && bytes(apart) == [1, 1, 1, 1, 2])
        let whole = try #require(part(4..<10, by: 2).joined(with: older, options))
        #expect(whole.extent == nil && whole.status == 200 && bytes(whole).count == 10)
    }

    /// As many parts of one byte each, with gaps between them.
    private func parts(_ count: Int, inFiles isInFiles: Bool) -> StoredResponse {
        let parts = (0..<Int64(count)).map { number in
            JoinedBody.Part(number * 2..<number * 2 + 1, isInFiles ? .file(MemoryBodyFile([1])) : .bytes([1]))
        }
        return bench.part(0..<1, of: 10_000) { $0.body = .file(JoinedBody(parts)) }
    }

    @Test("2,048 parts are joined, 256 of them in files; with one more nothing is")
    func limits() throws {
        let last = bench.part(9_000..<9_001, of: 10_000)
        let file = bench.part(9_000..<9_001, of: 10_000) { $0.body = .file(MemoryBodyFile([1])) }
        let many = try #require(last.joined(with: parts(2_047, inFiles: false), options))
        #expect(many.parts.count == 2_048 && last.joined(with: parts(2_048, inFiles: false), options) == nil)
        let open = try #require(file.joined(with: parts(255, inFiles: true), options))
        #expect(open.descriptorCount == 256 && file.joined(with: parts(256, inFiles: true), options) == nil)
        #expect(last.joined(with: parts(256, inFiles: true), options)?.descriptorCount == 256)
    }

    @Test("parts of different representations are not joined, nor is a whole")
    func notJoined() {
        let part = bench.part(0..<3)
        #expect(part.joined(with: bench.part(5..<7, tag: "\"v2\""), options) == nil)
        #expect(bench.part(0..<3, of: 3).joined(with: bench.stored(1, tagged), options) == nil)
        #expect(bench.part(0..<3, of: nil).joined(with: bench.part(5..<7, of: nil), options) == nil)
    }

    @Test("a store is given all of a newer part, and of an older one the bytes that the newer ones leave")
    func additions() {
        func ranges(_ part: StoredResponse, _ former: StoredResponse?) -> [[Range<Int64>]?] {
            part.additions(to: former, options).map { $0.extent?.ranges }
        }
        let part = part(2..<8, by: 2)
        #expect(ranges(part, nil) == [[2..<8]] && ranges(part, self.part(4..<5, by: 1)) == [[2..<8]])
        #expect(ranges(part, self.part(4..<5, by: 2)) == [[2..<8]])
        #expect(ranges(part, self.part(4..<5, by: 3)) == [[2..<4], [5..<8]])
        #expect(ranges(part, self.part(0..<4, by: 3)) == [[4..<8]] && ranges(part, self.part(0..<9, by: 3)).isEmpty)
        #expect(part.additions(to: self.part(8..<9, by: 3), options).map { $0 === part } == [true])
        for addition in part.additions(to: self.part(4..<5, by: 3), options) {
            #expect(addition.loadNumber == 2 && bytes(addition).count == addition.extent.map { Int($0.count) })
        }
    }

    @Test("two responses are one variant if partition and selection are equal, both")
    func variant() {
        let first = bench.stored()
        #expect(first.isVariant(bench.stored(2, [("ETag", "\"2\"")])))
        #expect(!first.isVariant(bench.stored { $0.partition = .credential([1]) }))
        #expect(!first.isVariant(bench.stored { $0.selection = [1] }))
    }

    // MARK: Obstacles

    @Test("a part replaces a stale whole of another representation only (C-16.2)")
    func obstacles() throws {
        let extent = try #require(ContentExtent(0..<3, total: 10))
        func metadata(_ tag: String?) -> ResponseMetadata {
            bench.stored(1, tag.map { [("ETag", $0)] } ?? []).metadata
        }
        let (whole, now) = (bench.stored(1, tagged), bench.context.now)
        let stale = now + .seconds(60)
        func obstacle(_ tag: String?, _ stored: StoredResponse? = nil, at time: MonotonicTime) -> RefusalReason? {
            (stored ?? whole).obstacle(to: extent, metadata(tag), at: time)
        }
        #expect(obstacle("\"v2\"", at: now) == .wholeIsStored && obstacle("\"v2\"", at: stale) == nil)
        #expect(obstacle("W/\"v1\"", at: stale) == .wholeIsStored && obstacle(nil, at: stale) == .wholeIsStored)
        #expect(obstacle("\"v1\"", at: stale) == .contentRange, "the whole has three bytes")
        #expect(obstacle("\"v2\"", bench.stored(1, [("Cache-Control", "max-age=60")]), at: stale) == .wholeIsStored)
        #expect(obstacle("\"v2\"", bench.stored(1, tagged, isLocal: true), at: stale) == .wholeIsStored)
        #expect(
            obstacle("\"v2\"", bench.part(0..<3), at: now) == nil
                && obstacle("\"v1\"", bench.part(0..<3), at: now) == nil
        )
        #expect(obstacle("\"v1\"", bench.part(0..<3, of: 11), at: now) == .contentRange)
        #expect(obstacle("\"v1\"", bench.part(0..<3, of: nil), at: now) == nil)
    }
}
