import Exchanges
import ResourceCore
import ResourceDoubles
import ResourceModel
import TestDoubles
import TestSupport
import Testing
import Transforms

/// A cache that holds back whoever asks for a key.
private final class HeldCache: EntityCache {
    let isAsked = Gate()
    let mayGoOn = Gate()
    let removed = LockedBox<[String]>([])

    func key(for resource: Resource) -> String? {
        isAsked.open()
        try? mayGoOn.wait("the test", seconds: 60)
        return resource.url
    }

    func readEntity(forKey key: String) throws -> Entity<any Sendable>? { nil }
    func writeEntity(_ entity: Entity<any Sendable>, forKey key: String) throws {}
    func removeEntity(forKey key: String) throws { removed.change { $0.append(key) } }
}

@Suite("Flushes")
struct FlushTests {
    @Test("a flush waits also for what another thread is about to hand to a cache (S-190, S-195)")
    func handedOver() async throws {
        let cache = HeldCache()
        let service = Service(baseURL: "http://h", networking: StubNetworking { _ in .answer(200, [], "") })
        service.configure { $0.pipeline[.rawData].cacheUsing(cache) }
        let resource = service.resource("a")
        let change = BackgroundThread { resource.overrideLocalContent("mine") }
        try await cache.isAsked.opened()

        let executor = QueueExecutor()
        let hasEnded = LockedBox(false)
        let flush = Task(executorPreference: executor) {
            await service.flush()
            hasEnded.change { $0 = true }
        }
        executor.drain()
        #expect(!hasEnded.value && cache.removed.value.isEmpty)
        cache.mayGoOn.open()
        await flush.value
        #expect(cache.removed.value == ["http://h/a"])
        try change.join()
    }
}
