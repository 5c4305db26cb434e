import ResourceDoubles
import Stores
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore

@Suite("Deferred release of responses") struct DeferredReleaseTests {
    private let world = World(eviction: KeepOne())

    init() { world.workers.isImmediate = false }

    /// Fills as many URLs, each response making the one before it leave; returns the first of them.
    private func fill(_ numbers: Range<Int>) -> WeakResponse {
        world.fill("/\(numbers.lowerBound)")
        let first = WeakResponse(world.resource("/\(numbers.lowerBound)").latestResponse)
        for number in numbers.dropFirst() { world.fill("/\(number)") }
        return first
    }

    @Test("are let go of by a thread of the workers', many at once")
    func elsewhere() {
        let first = fill(0..<32)
        #expect(first.response != nil && world.workers.waiting == 0)
        world.fill("/last")
        #expect(first.response != nil && world.workers.waiting == 1)
        world.workers.run()
        #expect(first.response == nil)
    }

    @Test("go at once where the workers have not got round to those before")
    func behind() {
        let first = fill(0..<33)
        #expect(world.workers.waiting == 1)
        let second = fill(33..<66)
        #expect(second.response == nil && first.response != nil && world.workers.waiting == 1)
        world.workers.run()
        #expect(first.response == nil)
    }

    @Test("go at once where the workers take no more")
    func refused() {
        world.workers.isFull = true
        #expect(fill(0..<33).response == nil)
    }

    @Test("are not kept for others to come where they are large")
    func large() {
        world.fill("/large", [("Cache-Control", "max-age=60")], String(repeating: "x", count: 300 << 10))
        world.fill("/other")
        #expect(world.workers.waiting == 1)
    }

    @Test("a batch is due from 256 KiB on", arguments: [-1, 0])
    func bytes(more: Int) throws {
        let bench = Workbench()
        func stored(_ count: Int) -> StoredResponse {
            let part = JoinedBody.Part(0..<Int64(count), .bytes([UInt8](repeating: 1, count: count)))
            return bench.stored { $0.body = .file(JoinedBody([part])) }
        }
        let release = DeferredRelease(world.workers)
        // The heap gives some bytes more than asked for, now and then.
        let (limit, others) = (256 << 10, stored(200_000).cost - 200_000)
        let large = try #require(
            (-64...64).lazy.map { stored(limit - others + more + $0) }.first { $0.cost == limit + more }
        )
        release.add(large, of: nil)
        #expect(world.workers.waiting == (more < 0 ? 0 : 1))
        release.add(stored(1), of: nil)
        #expect(world.workers.waiting == 1)
        world.workers.run()
    }

    @Test("take their resources with them, of which nobody is told meanwhile", arguments: Asking.allCases)
    func resources(_ asking: Asking) {
        world.fill("/0")
        weak let resource = world.resource("/0")
        world.fill("/1")
        #expect(resource != nil)
        switch asking {
        case .list: #expect(world.table.resources(limit: .max).map(\.uri) == [World.uri("/1")])
        case .count: #expect(world.table.count == 1)
        case .find: #expect(world.table.find(World.uri("/0")) == nil)
        case .number: #expect(world.table.resource(id: 1) == nil)
        }
        #expect(resource == nil)
    }

    enum Asking: CaseIterable { case list, count, find, number }

    @Test("leave their resource what its URL means until it goes")
    func askedForAgain() {
        world.fill("/0")
        weak let resource = world.resource("/0")
        world.fill("/1")
        #expect(resource != nil && resource === world.resource("/0"))
    }

    @Test("go at once where they hold a file open")
    func files() {
        let store = MemoryVariantStore()
        let world = World(store: store, eviction: KeepOne())
        world.fill("/file", [("Cache-Control", "max-age=60")], String(repeating: "x", count: 300 << 10))
        store.writers[0].flush()
        world.runUntilIdle()
        let stored = WeakResponse(world.resource("/file").latestResponse)
        #expect(stored.response?.descriptorCount == 1)
        world.fill("/other")
        #expect(stored.response == nil)
    }
}

private struct WeakResponse {
    private(set) weak var response: StoredResponse?

    init(_ response: StoredResponse?) { self.response = response }
}
