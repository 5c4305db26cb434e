import ResourceDoubles
import HTTPCore
import Locking
import ResourceCore
import ResourceModel
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("Programs that load from many threads")
struct LoadingThreadsTests {
    /// Weak references to what must be gone at the end.
    private final class Traces: Sendable {
        private struct Trace: Sendable {
            weak var object: (any AnyObject & Sendable)?
        }

        private let traces = Lock<[Trace]>([])

        func note(_ object: some AnyObject & Sendable) { traces.withLock { $0.append(Trace(object: object)) } }
        var remaining: Int { traces.withLock { $0.filter { $0.object != nil }.count } }
        var count: Int { traces.withLock { $0.count } }
    }

    /// Answers each request on a thread of its own, once all callers have called.
    private final class GatedNetworking: NetworkingProvider {
        private let held = LockedBox<[@Sendable () -> Void]>([])
        let count = Atomic<Int>(0)

        func startRequest(
            _ request: HTTPRequest,
            completion: @escaping @Sendable (NetworkingResult) -> Void
        ) -> any RequestNetworking {
            count.add(1, ordering: .relaxed)
            held.change { $0.append { completion(.answer(200, [], request.url.text)) } }
            return Operation()
        }

        func open() {
            for work in held.value { Task.detached { work() } }
            held.change { $0 = [] }
        }

        private struct Operation: RequestNetworking {
            func cancel() {}
            var transferMetrics: RequestTransferMetrics { RequestTransferMetrics() }
        }
    }

    @Test("10,000 loadIfNeeded from 8 threads on 100 URLs are 100 loads, and nothing stays when the service goes")
    func many() async throws {
        let (networking, traces) = (GatedNetworking(), Traces())
        do {
            let service = Self.service(networking)
            traces.note(service)
            let seen = LockedBox<[Resource]>([])
            Threads.run(8) { part in
                let mine = (0..<1250).map { index in
                    let resource = service.resource(for: World.uri("/\((index + part) % 100)"))
                    traces.note(resource)
                    if let request = resource.loadIfNeeded() { traces.note(request) }
                    return resource
                }
                seen.change { $0 += mine }
            }
            // All are still held: two of one URL would be two objects.
            #expect(seen.value.count == 10_000 && Set(seen.value.map(ObjectIdentifier.init)).count == 100)
            #expect(networking.count.load(ordering: .relaxed) == 100)
            let resources = (0..<100).map { service.resource(for: World.uri("/\($0)")) }
            #expect(Set(resources.map(ObjectIdentifier.init)).count == 100)
            let requests = resources.compactMap { $0.loadIfNeeded() }
            #expect(requests.count == 100 && networking.count.load(ordering: .relaxed) == 100)
            networking.open()
            for (resource, request) in zip(resources, requests) {
                let entity = try await request.entity
                #expect(entity.plainText == resource.uri.text && resource.latestData?.plainText == resource.uri.text)
                #expect(!resource.isLoading && resource.loadIfNeeded() == nil)
            }
            #expect(networking.count.load(ordering: .relaxed) == 100)
        }
        // What still runs on other threads lets go in a moment.
        while traces.remaining > 0 { await Task.yield() }
        #expect(traces.count > 20_000)
    }

    @Test("threads that load, cancel, wipe, override, invalidate and observe at once leave every request completed")
    func mixed() async {
        let networking = ImmediateNetworking()
        let service = Self.service(networking)
        let requests = LockedBox<[Request]>([])
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<6 {
                group.addTask {
                    let owner = Owner()
                    for index in 0..<200 {
                        let resource = service.resource(for: World.uri("/\(index % 3)"))
                        switch (index + part) % 7 {
                        case 0: resource.load().cancel()
                        case 1: resource.wipe()
                        case 2: resource.overrideLocalContent("local")
                        case 3: resource.invalidate()
                        case 4: resource.addObserver(owner: owner) { _, _ in }
                        case 5: requests.change { $0.append(resource.request(.post)) }
                        default: requests.change { $0.append(resource.load()) }
                        }
                        if let request = resource.loadIfNeeded() { requests.change { $0.append(request) } }
                    }
                }
            }
        }
        for request in requests.value { _ = await request.outcome }
        for index in 0..<3 {
            let resource = service.resource(for: World.uri("/\(index)"))
            while resource.isRequesting { await Task.yield() }
            #expect(resource.loadRequests.isEmpty && resource.allRequests.isEmpty)
        }
    }

    /// Answers on another thread.
    private final class ImmediateNetworking: NetworkingProvider {
        func startRequest(
            _ request: HTTPRequest,
            completion: @escaping @Sendable (NetworkingResult) -> Void
        ) -> any RequestNetworking {
            Task.detached { completion(.answer(200, [], "abc")) }
            return Operation()
        }

        private struct Operation: RequestNetworking {
            func cancel() {}
            var transferMetrics: RequestTransferMetrics { RequestTransferMetrics() }
        }
    }

    private static func service(_ networking: any NetworkingProvider) -> Service {
        let environment = CoreEnvironment(timekeeper: ManualTimekeeper(), hasher: PlainHasher())
        return Service(
            name: "test",
            table: ResourceTable(environment: environment, countLimit: 2048),
            networking: networking
        )
    }
}
