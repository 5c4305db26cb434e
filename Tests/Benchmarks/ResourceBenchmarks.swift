import HTTPCore
import ResourceCore
import Synchronization

/// What it costs to get at a resource, beside the cheapest thing that could do it.
///
/// The bound: `resource and snapshot` takes no more than three times as long as `Mutex and dictionary`, which finds some
/// object by the same key.
enum ResourceBenchmarks {
    static let all: [Benchmark] =
        [64, 1024, 16_384].flatMap { count in [dictionary(count), resource(count)] }

    private static func uris(_ count: Int) -> [TargetURI] {
        (0..<count).compactMap { number in
            try? TargetURI(parsing: "http://api.example.org/v1/items/\(number)?view=full")
        }
    }

    private final class Value: Sendable {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    private static func dictionary(_ count: Int) -> Benchmark {
        let uris = uris(count)
        let values = uris.indices.map { Value($0) }
        let table = SharedDictionary(Dictionary(zip(uris, values), uniquingKeysWith: { $1 }))
        return Benchmark(name: "resource, \(count): Mutex and dictionary") { turns in
            var sum = 0
            for turn in 0..<turns { sum &+= table[uris[turn % count]]?.number ?? -turns }
            return sum >= 0
        }
    }

    private static func resource(_ count: Int) -> Benchmark {
        let world = World(uris(count))
        return Benchmark(name: "resource, \(count): resource and snapshot") { turns in
            var right = 0
            for turn in 0..<turns {
                let uri = world.uris[turn % count]
                if world.service.resource(for: uri).snapshot.uri == uri { right += 1 }
            }
            return right == turns
        }
    }
}

/// A dictionary that threads share.
private final class SharedDictionary<Value: Sendable>: Sendable {
    private let values: Mutex<[TargetURI: Value]>

    init(_ values: [TargetURI: Value]) { self.values = Mutex(values) }

    subscript(uri: TargetURI) -> Value? { values.withLock { $0[uri] } }
}

/// A service whose resources hold something, so that they stay.
private final class World: Sendable {
    let uris: [TargetURI]
    let service: Service
    private let resources: [Resource]

    init(_ uris: [TargetURI]) {
        self.uris = uris
        let environment = CoreEnvironment(timekeeper: StillClock(), hasher: NoHasher())
        let service = Service(name: "benchmark", table: ResourceTable(environment: environment))
        self.service = service
        resources = uris.map { service.resource(for: $0) }
    }
}

private final class StillClock: Timekeeper {
    var now: MonotonicTime { MonotonicTime(nanoseconds: 0) }
    var wallNow: HTTPDate { HTTPDate(seconds: 0) }

    func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any TimerToken { NoTimer() }
}

private final class NoTimer: TimerToken {
    func cancel() {}
}

private final class NoHasher: PartitionHasher {
    func hash(_ credentials: [UInt8]) -> [UInt8] { credentials }
}
