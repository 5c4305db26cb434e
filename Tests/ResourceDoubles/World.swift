package import Configurations
package import Exchanges
import HTTPCaching
package import HTTPCore
package import ResourceCore
package import Stores
package import TestDoubles
package import Transforms

/// A service with its context, all under the test's control.
package struct World {
    package let timekeeper: ManualTimekeeper
    package let context = ManualContext()
    package let provider: ScriptedProvider
    package let store: MemoryVariantStore?
    package let workers = ScriptedWorkers()
    package let table: ResourceTable
    package let service: Service
    /// Which origins are down; asked by the core and by the provider.
    package let origins: CircuitBreakers?
    /// What loads run over: the scripted provider, behind the circuit breakers if there are any.
    package let loadProvider: any ExchangeProvider
    private let ending: Ending

    package init(
        timekeeper: ManualTimekeeper = ManualTimekeeper(),
        store: MemoryVariantStore? = nil,
        eviction: (any EvictionPolicy)? = nil,
        hasher: any PartitionHasher = PlainHasher(),
        configuration: Configuration = Configuration(),
        decoder: (any StreamingTransformer)? = nil,
        origins: CircuitBreakers? = nil,
        shardCount: Int = 128
    ) {
        self.timekeeper = timekeeper
        self.store = store
        provider = ScriptedProvider(context: context)
        let environment = CoreEnvironment(
            timekeeper: timekeeper,
            hasher: hasher,
            store: store,
            eviction: eviction,
            transformWorkers: workers,
            contentDecoder: decoder,
            origins: origins
        )
        table = ResourceTable(environment: environment, shardCount: shardCount)
        self.origins = origins
        loadProvider =
            origins == nil
            ? provider
            : PolicyProvider(provider, timekeeper: timekeeper, statistics: PolicyStatistics(), circuitBreakers: origins)
        service = Service(name: "test", configuration: configuration, table: table, provider: loadProvider)
        ending = Ending(context)
    }

    package static func uri(_ path: String) -> TargetURI {
        TargetURI(scheme: .http, host: Array("origin.example".utf8), port: 80, path: Array(path.utf8))
    }

    package func resource(_ path: String = "/a") -> Resource { service.resource(for: Self.uri(path)) }

    package func request(
        _ path: String = "/a",
        _ lines: [(String, String)] = [],
        method: Method = .get,
        provider: ScriptedProvider? = nil
    ) -> ClientRequest {
        var fields = Fields()
        for (name, value) in lines { fields.append(name: name, value: value) }
        let options = service.configuration.caching
        func partition(_ includingCookie: Bool) -> Partition? {
            options.credentials.text(of: fields, includingCookie: includingCookie).map { .credential($0) }
        }
        return ClientRequest(
            uri: Self.uri(path),
            fields: fields,
            profile: RequestProfile(method: method, fields: fields, credentialFields: options.credentials),
            partitions: Partitions(own: partition(true), credential: partition(false)),
            arrival: timekeeper.now,
            provider: provider ?? loadProvider
        )
    }

    /// Whether the table answers a GET of `path` by itself.
    package func isHit(_ path: String = "/a") -> Bool { table.sharedHit(of: Self.uri(path).bytes.span) != nil }

    /// A GET, given to the resource; what can be done at once is done.
    @discardableResult
    package func get(
        _ path: String = "/a",
        _ lines: [(String, String)] = [],
        method: Method = .get,
        on context: ManualContext? = nil,
        provider: ScriptedProvider? = nil,
        isReading: Bool = true
    ) -> Client {
        let client = Client(context: context ?? self.context, isReading: isReading)
        let request = request(path, lines, method: method, provider: provider)
        switch resource(path).serve(request, to: client) {
        case .answered(let answer, let waiter):
            client.note(waiter)
            client.take(answer)
        case .waiting(let waiter):
            client.note(waiter)
        }
        runUntilIdle()
        return client
    }

    /// Runs everything that is queued, and what that queues.
    package func runUntilIdle() {
        while true {
            let didRun = context.run()
            let didStore = store.map { $0.isImmediate && $0.run() } ?? false
            let didWork = workers.isImmediate && workers.run()
            if !didRun && !didStore && !didWork { return }
        }
    }

    /// The last request the origin saw.
    package var last: ScriptedExchange { provider.exchanges[provider.exchanges.count - 1] }

    /// Loads `path` so that it is stored.
    package func fill(
        _ path: String = "/a",
        _ lines: [(String, String)] = [("Cache-Control", "max-age=60")],
        _ text: String = "abc"
    ) {
        get(path)
        last.answer(200, lines, text)
        runUntilIdle()
    }
}

/// Does something else, once, amid a hash.
package final class InterruptingHasher: PartitionHasher {
    package let interruption = LockedBox<(@Sendable () -> Void)?>(nil)

    package init() {}

    package func hash(_ credentials: [UInt8]) -> [UInt8] {
        let work = interruption.change { work in
            defer { work = nil }
            return work
        }
        work?()
        return credentials
    }
}

/// No hash at all: tests see what goes in.
package final class PlainHasher: PartitionHasher {
    package init() {}

    package func hash(_ credentials: [UInt8]) -> [UInt8] { credentials }
}

/// Ends the clients' context with the world: nobody runs what is still queued there.
private final class Ending: Sendable {
    private let context: ManualContext

    init(_ context: ManualContext) { self.context = context }

    deinit { context.close() }
}
