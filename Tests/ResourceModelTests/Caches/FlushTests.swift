import Exchanges
import ResourceCore
import ResourceDoubles
import ResourceModel
import TestDoubles
import TestSupport
import Testing
import Transforms

/// A cache that holds back whoever has something to change.
private final class HeldCache: EntityCache {
    let isAsked = Gate()
    let mayGoOn = Gate()
    let changes = LockedBox<[String]>([])
    /// Its own: in the one that is there for all, other tests may have work.
    let workQueue = CacheQueue { work in BackgroundThread { work() } }

    func key(for resource: Resource) -> String? {
        // A look-up comes before there is data.
        if resource.snapshot.latestData != nil {
            isAsked.open()
            try? mayGoOn.wait("the test", seconds: Gate.secondsForTask)
        }
        return resource.url
    }

    func readEntity(forKey key: String) throws -> Entity<any Sendable>? { nil }
    func writeEntity(_ entity: Entity<any Sendable>, forKey key: String) throws {
        changes.change { $0.append("+ \(key)") }
    }
    func removeEntity(forKey key: String) throws { changes.change { $0.append("- \(key)") } }
}

/// A cache that does its work once its gate is open.
private final class SlowCache: EntityCache {
    let mayWork: Gate
    let changes = LockedBox<[String]>([])
    let workQueue: CacheQueue

    init() {
        let gate = Gate()
        mayWork = gate
        workQueue = CacheQueue { work in
            BackgroundThread {
                try? gate.wait("the test", seconds: Gate.secondsForTask)
                work()
            }
        }
    }

    func key(for resource: Resource) -> String? { resource.url }
    func readEntity(forKey key: String) throws -> Entity<any Sendable>? { nil }
    func writeEntity(_ entity: Entity<any Sendable>, forKey key: String) throws {}
    func removeEntity(forKey key: String) throws { changes.change { $0.append("- \(key)") } }
}

@Suite("Flushes")
struct FlushTests {
    @Test(
        "a flush waits also for what another thread is about to hand to a cache (S-190, S-195)",
        arguments: [(true, false), (false, false), (false, true)]
    )
    func handedOver(isLoaded: Bool, isOfQueue: Bool) async throws {
        let cache = HeldCache()
        let service = Service(baseURL: "http://h.example", networking: StubNetworking { _ in .answer(200, [], "") })
        service.configure { $0.pipeline[.rawData].cacheUsing(cache) }
        let resource = service.resource("a")
        let change = BackgroundThread {
            if isLoaded { resource.load() } else { resource.overrideLocalContent("mine") }
        }
        try await cache.isAsked.opened()

        let executor = QueueExecutor()
        let hasEnded = LockedBox(false)
        let flush = Task(executorPreference: executor) {
            if isOfQueue { await cache.workQueue.finish() } else { await service.flush() }
            hasEnded.change { $0 = true }
        }
        executor.drain()
        #expect(!hasEnded.value && cache.changes.value.isEmpty)
        cache.mayGoOn.open()
        await flush.value
        #expect(cache.changes.value == [isLoaded ? "+ http://h.example/a" : "- http://h.example/a"])
        try change.join()
    }

    @Test("a flush waits for what the queues of caches still have to do (S-190, S-195)", arguments: [true, false])
    func queued(isOfQueue: Bool) async {
        let cache = SlowCache()
        let service = Service(baseURL: "http://h.example", networking: StubNetworking())
        service.configure { $0.pipeline[.rawData].cacheUsing(cache) }
        service.resource("a").overrideLocalContent("mine")
        let executor = QueueExecutor()
        let flush = Task(executorPreference: executor) { () async -> [String] in
            if isOfQueue { await cache.workQueue.finish() } else { await service.flush() }
            return cache.changes.value
        }
        executor.drain()
        #expect(cache.changes.value.isEmpty)
        cache.mayWork.open()
        #expect(await flush.value == ["- http://h.example/a"])
    }
}
