import HTTPCore
import Locking
import ResourceCore
import ResourceModel
import Respite

/// Many tasks do what programs do, at random; nothing may hang, and all requests must end.
final class Stress: Sendable {
    private final class Owner: Sendable {}

    private let service: Service
    private let cache: SQLiteEntityCache
    private let owners = (0..<8).map { _ in Owner() }
    private let operations = Lock(0)
    private let requests = Lock((begun: 0, ended: 0))

    init(directory: String) {
        service = Service(baseURL: "http://origin.example/", networking: Canned(isMoody: true))
        let cache = SQLiteEntityCache(directory: directory)
        self.cache = cache
        service.configure { $0.pipeline[.parsing].cacheUsing(cache) }
    }

    /// - Returns: false if a request has not ended, or a resource still counts as loading.
    func run(tasks: Int, for time: Duration) async -> Bool {
        let end = ContinuousClock.now + time
        await withTaskGroup { group in
            for number in 0..<tasks {
                group.addTask {
                    var random = Random(state: UInt64(number) &+ 1)
                    while ContinuousClock.now < end { await self.operate(&random) }
                }
            }
        }
        await service.flush()
        let (begun, ended) = await settled()
        let busy = (0..<Self.resourceCount).filter { service.resource("item\($0)").isLoading }
        print("\(operations.withLock { $0 }) operations, \(begun) requests, \(ended) ended, \(busy.count) still load")
        return begun == ended && busy.isEmpty
    }

    private static let resourceCount = 50

    /// The counts once all requests have ended, or half a minute later.
    private func settled() async -> (begun: Int, ended: Int) {
        for _ in 0..<300 where requests.withLock({ $0.begun != $0.ended }) {
            try? await Task.sleep(for: .milliseconds(100))
        }
        return requests.withLock { $0 }
    }

    private func note(_ request: Request?) {
        guard let request else { return }
        requests.withLock { $0.begun += 1 }
        request.onCompletion { [self] _ in requests.withLock { $0.ended += 1 } }
    }

    private func operate(_ random: inout Random) async {
        operations.withLock { $0 += 1 }
        let resource = service.resource("item\(random.next(below: Self.resourceCount))")
        let owner = owners[random.next(below: owners.count)]
        switch random.next(below: 20) {
        case 0: note(resource.load())
        case 1, 2, 3: note(resource.loadIfNeeded())
        case 4: _ = await resource.load().outcome
        case 5: _ = await resource.loadIfNeeded()?.outcome
        case 6: resource.loadIfNeeded()?.cancel()
        case 7: resource.overrideLocalContent("local")
        case 8: resource.wipe()
        case 9: resource.invalidate()
        case 10: resource.addObserver(owner: owner) { _, _ in }
        case 11: resource.removeObservers(ownedBy: owner)
        case 12: note(resource.request(.post, text: "x"))
        case 13: note(resource.load(using: resource.request(.get)))
        case 14: resource.cancelLoadIfUnobserved()
        case 15: _ = (resource.latestData?.jsonDict.count, resource.isUpToDate, resource.latestError)
        case 16: await service.flush()
        case 17: resource.purge()
        case 18: if random.next(below: 50) == 0 { service.wipeResources() }
        default: if random.next(below: 20) == 0 { service.flushUnusedResources() }
        }
    }
}

/// Numbers of a seed (xorshift).
private struct Random {
    var state: UInt64

    mutating func next(below limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(limit))
    }
}
