import Dispatch
import Exchanges
import HTTPCore
import ResourceCore
import ResourceModel
import Stores
import Synchronization

/// The cost of looking up a resource, beside the cheapest way to look up an object.
///
/// `resource and snapshot` must take at most three times as long as `Mutex and dictionary`, which finds some object by
/// the same key. Another thread than the one that measures has made the objects.
enum ResourceBenchmarks {
    static let all: [Benchmark] =
        [64, 1024, 16_384].flatMap { [dictionary($0), resource($0), textDictionary($0), textResource($0)] }
        + [sharedHit(1024)]

    private static func text(_ number: Int) -> String { "http://api.org.example/v1/items/\(number)?view=full" }

    private static func uris(_ count: Int) -> [TargetURI] {
        (0..<count).compactMap { try? TargetURI(parsing: text($0)) }
    }

    private final class Value: Sendable {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    private static func dictionary(_ count: Int) -> Benchmark {
        let uris = Once { Self.uris(count) }
        let table = Once { SharedDictionary(uris.value) { Value($0) } }
        return Benchmark(name: "resource, \(count): Mutex and dictionary") { turns in
            let (uris, table) = (uris.value, table.value)
            var sum = 0
            for turn in 0..<turns { sum &+= table[uris[turn % count]]?.number ?? -turns }
            return sum >= 0
        }
    }

    private static func resource(_ count: Int) -> Benchmark {
        let world = Once { World(uris(count)) }
        return Benchmark(name: "resource, \(count): resource and snapshot") { turns in
            let world = world.value
            var right = 0
            for turn in 0..<turns {
                let uri = world.uris[turn % count]
                if world.service.resource(for: uri).snapshot.uri == uri { right += 1 }
            }
            return right == turns
        }
    }

    /// Looks up a response as a hit does.
    private static func sharedHit(_ count: Int) -> Benchmark {
        let world = Once { World(uris(count)) }
        return Benchmark(name: "look a stored response up among \(count)") { turns in
            let world = world.value
            let table = world.service.table
            var found = 0
            for turn in 0..<turns {
                let uri = world.uris[turn % count]
                if table.sharedHit(of: uri.bytes.span) != nil { found += 1 }
            }
            return found == turns
        }
    }

    private static func textDictionary(_ count: Int) -> Benchmark {
        let texts = Once { (0..<count).map(text) }
        let table = Once { SharedDictionary(texts.value) { Value($0) } }
        return Benchmark(name: "resource, \(count), text: Mutex and dictionary") { turns in
            let (texts, table) = (texts.value, table.value)
            var sum = 0
            for turn in 0..<turns { sum &+= table[texts[turn % count]]?.number ?? -turns }
            return sum >= 0
        }
    }

    private static func textResource(_ count: Int) -> Benchmark {
        let texts = Once { (0..<count).map(text) }
        let world = Once { World(uris(count)) }
        return Benchmark(name: "resource, \(count), text: resource and snapshot") { turns in
            let (texts, world) = (texts.value, world.value)
            var right = 0
            for turn in 0..<turns {
                let index = turn % count
                if world.service.resource(absoluteURL: texts[index]).snapshot.uri == world.uris[index] { right += 1 }
            }
            return right == turns
        }
    }
}

/// Makes a value at first use, on a thread of the concurrency runtime rather than the caller's.
private final class Once<Made: Sendable>: Sendable {
    private let made = Mutex<Made?>(nil)
    private let make: @Sendable () -> Made

    init(_ make: @escaping @Sendable () -> Made) { self.make = make }

    var value: Made {
        made.withLock { made in
            if let made { return made }
            let new = Making(make).wait()
            made = new
            return new
        }
    }
}

/// A dictionary behind a lock.
private final class SharedDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let values: Mutex<[Key: Value]>

    init(_ keys: [Key], _ value: (Int) -> Value) {
        let values = keys.indices.map(value)
        self.values = Mutex(Dictionary(zip(keys, values), uniquingKeysWith: { $1 }))
    }

    subscript(key: Key) -> Value? { values.withLock { $0[key] } }
}

/// An object that another thread makes.
private final class Making<Made: Sendable>: Sendable {
    private let made = Mutex<Made?>(nil)
    private let isMade = DispatchSemaphore(value: 0)

    init(_ make: @escaping @Sendable () -> Made) {
        Task.detached {
            let value = make()
            self.made.withLock { $0 = value }
            self.isMade.signal()
        }
    }

    func wait() -> Made {
        isMade.wait()
        guard let made = made.withLock({ $0 }) else { fatalError("nothing was made") }
        return made
    }
}

/// A service whose resources have data, so that they stay.
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
        // A resource without data has no snapshot to find.
        for resource in resources { resource.overrideLocalData([0x61], fields: Fields()) }
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
