import EntityStorage
import Exchanges
import Locking
import ResourceCore
import ResourceModel
import Respite
import TestSupport
import Testing

/// A cache that tells when something was kept.
private struct Told<Cache: EntityCache>: EntityCache {
    let cache: Cache
    let told: AsyncStream<String>.Continuation

    func key(for resource: Resource) -> Cache.Key? { cache.key(for: resource) }
    func readEntity(forKey key: Cache.Key) throws -> Entity<any Sendable>? {
        try cache.readEntity(forKey: key)
    }
    var workQueue: CacheQueue { cache.workQueue }

    func writeEntity(_ entity: Entity<any Sendable>, forKey key: Cache.Key) throws {
        try cache.writeEntity(entity, forKey: key)
        told.yield("written")
    }

    func updateEntityTimestamp(_ timestamp: Timestamp, forKey key: Cache.Key) throws {
        try cache.updateEntityTimestamp(timestamp, forKey: key)
        told.yield("touched")
    }

    func removeEntity(forKey key: Cache.Key) throws {
        try cache.removeEntity(forKey: key)
        told.yield("removed")
    }
}

@Suite("The SQLite cache of a service")
struct PersistenceTests {
    private let directory = TemporaryDirectory()

    /// A service as one run of a program has it, and what its cache does.
    private func service(
        _ origin: AnsweringOrigin,
        stage: PipelineStageKey = .rawData
    ) -> (Service, AsyncStream<String>.Iterator) {
        let (stream, told) = AsyncStream.makeStream(of: String.self)
        let cache = Told(cache: SQLiteEntityCache(directory: directory.path), told: told)
        let service = Service(baseURL: origin.url, cache: PersistentCache(cache, stage: stage))
        return (service, stream.makeAsyncIterator())
    }

    /// What the resource has once its look-up has ended.
    private func kept(_ resource: Resource) async -> Entity<any Sendable>? {
        for await change in resource.events where change.event == .newData(.cache) {
            return change.state.latestData
        }
        return nil
    }

    private static let json = [
        ("Content-Type", "application/json"), ("ETag", "\"1\""), ("Cache-Control", "max-age=86400"),
    ]

    @Test(
        "a program starts with the data it ended with, and its age (S-187)",
        arguments: [.rawData, .parsing] as [PipelineStageKey]
    )
    func restart(stage: PipelineStageKey) async throws {
        let origin = AnsweringOrigin { _ in .init(200, Self.json, #"{"a": 1}"#) }
        var loaded: Timestamp?
        do {
            var (service, told) = service(origin, stage: stage)
            loaded = try await service.resource("item").load().entity.timestamp
            #expect(await told.next() == "written")
        }
        let (service, _) = service(origin, stage: stage)
        let resource = service.resource("item")
        let entity = try #require(await kept(resource))
        #expect(entity.jsonDict["a"] as? Int == 1)
        #expect(entity.timestamp == loaded)
        // As fresh as it was: nothing to load.
        #expect(resource.loadIfNeeded() == nil)
        #expect(origin.requests.count == 1)
    }

    @Test("a 304 gives what is kept a new time (S-191)")
    func confirmed() async throws {
        let origin = AnsweringOrigin { request in
            request.fields["if-none-match"] == "\"1\""
                ? .init(304, [("ETag", "\"1\"")]) : .init(200, Self.json, "[]")
        }
        var (first, told) = service(origin)
        let resource = first.resource("item")
        let loaded = try await resource.load().entity.timestamp
        #expect(await told.next() == "written")
        let confirmed = try await resource.load().entity.timestamp
        #expect(await told.next() == "touched")
        #expect(confirmed >= loaded)
        let (second, _) = service(origin)
        let found = await kept(second.resource("item"))
        #expect(found?.timestamp == confirmed)
        #expect(origin.requests.count == 2)
    }

    @Test("a local override removes what is kept (S-192)")
    func override() async throws {
        let origin = AnsweringOrigin { _ in .init(200, Self.json, "[]") }
        var (service, told) = service(origin)
        let resource = service.resource("item")
        _ = await resource.load().outcome
        #expect(await told.next() == "written")
        resource.overrideLocalContent("mine")
        #expect(await told.next() == "removed")
        let cache = SQLiteEntityCache(directory: directory.path)
        #expect(try cache.readEntity(forKey: #require(cache.key(for: resource))) == nil)
    }

    @Test("flush keeps its promise: what callers were told has been written, whoever wrote it (S-190, S-195)")
    func flushed() async throws {
        let origin = AnsweringOrigin { _ in .init(200, Self.json, "[1]") }
        let service = Service(baseURL: origin.url, cache: .sqlite(directory: directory.path))
        let names = (0..<100).map { "item\($0)" }
        await withTaskGroup { group in
            for name in names {
                group.addTask { _ = await service.resource(name).loadIfNeeded()?.outcome }
            }
        }
        await service.flush()
        let cache = SQLiteEntityCache(directory: directory.path)
        let kept = try names.filter { name in
            try cache.readEntity(forKey: #require(cache.key(for: service.resource(name)))) != nil
        }
        #expect(kept == names)
    }

    @Test("what one stage kept is not found at another one, nor that of another version (S-183, S-184)")
    func otherStage() async throws {
        let origin = AnsweringOrigin { _ in .init(200, Self.json, "[1]") }
        func load(_ stage: PipelineStageKey, version: Int) async throws -> Entity<any Sendable> {
            let cache = PersistentCache.sqlite(directory: directory.path, stage: stage, version: version)
            let service = Service(baseURL: origin.url, cache: cache)
            let resource = service.resource("item")
            if let request = resource.loadIfNeeded() { _ = try await request.entity }
            await service.flush()
            return try #require(resource.latestData)
        }
        for (index, stage) in [PipelineStageKey.rawData, .parsing, .model].enumerated() {
            #expect(try await load(stage, version: 1).jsonArray.count == 1)
            #expect(try await load(stage, version: 1).jsonArray.count == 1)
            #expect(origin.requests.count == index + 1)
        }
        #expect(try await load(.parsing, version: 2).jsonArray.count == 1)
        #expect(origin.requests.count == 4)
    }

    @Test("a cache that cannot be opened is a miss (S-183)")
    func notUsable() async throws {
        let origin = AnsweringOrigin { _ in .init(200, Self.json, "[2]") }
        let service = Service(baseURL: origin.url, cache: .sqlite(directory: "/dev/null/nowhere"))
        #expect(try await service.resource("item").load().entity.jsonArray.count == 1)
    }

    @Test("that a service has a cache is an entry of its configuration (S-049)")
    func described() {
        let cache = PersistentCache.sqlite(directory: directory.path)
        let services = [Service(baseURL: "http://h.example", cache: cache), Service(baseURL: "http://h.example")]
        let texts = services.map { "\($0.resource("item").configuration)" }
        #expect(texts.map { $0.contains("[persistent cache]") } == [true, false])
        #expect(filesBelow(directory.path).isEmpty)
    }
}
