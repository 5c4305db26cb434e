import Configurations
import HTTPCaching
import HTTPCore
import ResourceCore
import ResourceDoubles
import ResourceModel
import Stores
import TestDoubles
import Testing

@Suite("Configuration")
struct ConfigurationTests {
    private func seconds(_ configuration: EffectiveConfiguration) -> Duration { configuration.values.expirationTime }

    // MARK: Closures

    @Test("without closures a resource has the defaults (S-039)")
    func defaults() {
        let configuration = World().resource().configuration
        #expect(configuration.values.expirationTime == .seconds(30))
        #expect(configuration.values.retryTime == .seconds(1))
        #expect(configuration.sources.isEmpty && configuration.partName == nil)
    }

    @Test("closures run in the order they were added, each on what the ones before left (S-042)")
    func order() throws {
        let world = World()
        world.service.configure(description: "all") { $0.expirationTime = .seconds(1) }
        world.service.configure("http://origin.example/a*", description: "a") { $0.expirationTime += .seconds(10) }
        world.service.configure("http://origin.example/b") { $0.expirationTime = .seconds(7) }
        world.service.configure(World.uri("/ab")) { $0.expirationTime += .seconds(100) }
        world.service.configure(world.resource("/b"), description: "resource") { $0.retryTime = .zero }
        #expect(seconds(world.resource("/ab").configuration) == .seconds(111))
        #expect(seconds(world.resource("/c").configuration) == .seconds(1))
        #expect(world.resource("/b").configuration.values.retryTime == .zero)
        // S-049 each is named by its description, or else its pattern, with its number.
        #expect(world.resource("/ab").configuration.sources.map(\.description) == ["all", "a", World.uri("/ab").text])
        #expect(world.resource("/b").configuration.sources.map(\.number) == [1, 3, 5])
        #expect(world.resource("/b").configuration.sources[1].description == "http://origin.example/b")
    }

    @Test("a change that another one overtakes runs again, on what that left")
    func overtaken() {
        let service = World().service
        let runs = LockedBox(0)
        service.reconfigureDefaults { configuration in
            if runs.change({ count in (count, count += 1).0 }) == 0 {
                service.reconfigureDefaults { $0.retryTime = .seconds(7) }
            }
            configuration.expirationTime = .seconds(5)
        }
        #expect(runs.value == 2)
        #expect(service.configuration.retryTime == .seconds(7) && service.configuration.expirationTime == .seconds(5))
    }

    @Test("a closure may be for some methods; methods nobody knows get only what is for all (S-043, S-044)")
    func methods() throws {
        let world = World()
        world.service.configure(requestMethods: [.get, .post]) { $0.expirationTime = .seconds(5) }
        let resource = world.resource()
        #expect(seconds(resource.configuration(for: .get)) == .seconds(5))
        #expect(seconds(resource.configuration(for: .post)) == .seconds(5))
        #expect(seconds(resource.configuration(for: .delete)) == .seconds(30))
        #expect(seconds(resource.configuration(for: Method("MKCOL"))) == .seconds(30))
        // S-048
        #expect(resource.configuration === resource.configuration(for: .get))
    }

    @Test("closures run when they are needed, once, and again after a change or on demand (S-037, S-045, S-046)")
    func laziness() {
        let world = World()
        let runs = LockedBox(0)
        let value = LockedBox(Duration.seconds(1))
        world.service.configure { configuration in
            runs.change { $0 += 1 }
            configuration.expirationTime = value.value
        }
        let resource = world.resource()
        #expect(runs.value == 0)
        #expect(seconds(resource.configuration) == .seconds(1))
        world.get()
        #expect(seconds(resource.configuration) == .seconds(1))
        #expect(runs.value == 1)
        value.change { $0 = .seconds(2) }
        #expect(seconds(resource.configuration) == .seconds(1))
        world.service.invalidateConfiguration()
        #expect(runs.value == 1)
        #expect(seconds(resource.configuration) == .seconds(2))
        // Resources to which the same applies share the result.
        #expect(world.resource("/b").configuration === resource.configuration)
        #expect(runs.value == 2)
    }

    @Test("the whole list is replaced at once, or not at all (S-047)")
    func transactions() throws {
        struct Mistake: Error {}
        let world = World()
        world.service.configure(description: "old") { $0.expirationTime = .seconds(1) }
        let resource = world.resource()
        #expect(throws: Mistake.self) {
            try world.service.reconfigure { list throws(Mistake) in
                list.configure(description: "new") { $0.expirationTime = .seconds(2) }
                throw Mistake()
            }
        }
        #expect(resource.configuration.sources.map(\.description) == ["old"])
        world.service.reconfigure { list in
            list.defaults.retryTime = .seconds(9)
            list.configure(description: "new") { $0.expirationTime = .seconds(2) }
        }
        #expect(resource.configuration.sources.map(\.description) == ["new"])
        #expect(resource.configuration.values.retryTime == .seconds(9))
        #expect(world.service.configuration.retryTime == .seconds(9))
    }

    @Test("a relative pattern is below the service's base; S-067 anything that can tell is a pattern (S-064)")
    func patterns() throws {
        let world = World()
        let service = Service(
            name: "api",
            baseURL: try TargetURI(parsing: "http://origin.example/v1"),
            table: world.table
        )
        service.configure("**") { $0.retryTime = .seconds(3) }
        service.configure(PredicatePattern(description: "odd") { $0.bytes.count % 2 == 1 }) {
            $0.expirationTime = .zero
        }
        #expect(service.configuration(for: World.uri("/v1/ab")).values.retryTime == .seconds(3))
        #expect(service.configuration(for: World.uri("/v2/ab")).values.retryTime == .seconds(1))
        #expect(service.configuration(for: World.uri("/v2/a")).sources.isEmpty)
        #expect(service.configuration(for: World.uri("/v2/ab")).sources.map(\.description) == ["odd"])
    }

    @Test("a URI belongs to the named part whose base is its longest prefix, and to no other")
    func parts() throws {
        let world = World()
        func base(_ name: String, _ path: String) -> ServiceBase { ServiceBase(name: name, url: World.uri(path)) }
        try world.service.reconfigure { list throws(ServiceBases.Conflict) in
            list.bases = try ServiceBases([base("outer", "/api"), base("inner", "/api/v2/")])
            list.configurePart("outer") { $0.expirationTime = .seconds(1) }
            list.configurePart("inner") { $0.retryTime = .seconds(2) }
        }
        func part(_ path: String) -> EffectiveConfiguration { world.resource(path).configuration }
        #expect(part("/api/x").partName == "outer" && seconds(part("/api/x")) == .seconds(1))
        #expect(part("/api/v2/x").partName == "inner" && seconds(part("/api/v2/x")) == .seconds(30))
        #expect(part("/api/v2").values.retryTime == .seconds(2))
        #expect(part("/api/v20").partName == "outer")
        #expect(part("/apis").partName == nil)
        #expect(part("/api/x").sources.map(\.description) == ["service outer"])
        #expect(throws: ServiceBases.Conflict.self) { try ServiceBases([base("a", "/x"), base("b", "/x/")]) }
        #expect(throws: ServiceBases.Conflict.self) { try ServiceBases([base("a", "/x"), base("a", "/y")]) }
    }

    // MARK: What is held already

    private func ttl(_ world: World, _ seconds: Int64?) {
        world.service.configuration.caching.rules =
            seconds.map { [CachingRule(name: "r", ttlSeconds: $0)] } ?? []
    }

    @Test("a new lifetime counts at once for what is in memory, without a request to the origin, and back again")
    func judgedAnew() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", [("Cache-Control", "max-age=60")])
        #expect(world.resource().snapshot.sharedHit != nil)
        let before = world.resource().snapshot
        world.timekeeper.advance(by: .seconds(50))
        ttl(world, 40)
        #expect(before.generation != world.table.configurationGeneration)
        // What the table has shown answers nobody any more; the resource judges it anew.
        #expect(!world.isHit())
        let after = world.resource().snapshot
        #expect(after.generation == world.table.configurationGeneration)
        #expect(after.sharedHit?.isFresh(at: world.timekeeper.now) == false)
        #expect(after.sharedHit?.metadata.lifetimeSource == .rule)
        ttl(world, 500)
        world.timekeeper.advance(by: .seconds(50))
        let client = world.get()
        #expect(client.isHit && client.stored?.ttl(at: world.timekeeper.now) == 400)
        #expect(world.table.sharedHit(of: World.uri("/a").bytes.span) === client.stored)
        ttl(world, nil)
        world.get()
        #expect(world.provider.count == 2)
    }

    @Test("a change that is about something else leaves the very same responses")
    func unaffected() throws {
        let world = World()
        world.fill()
        let stored = world.resource().snapshot.sharedHit
        world.service.configure("http://origin.example/b") { $0.retryTime = .seconds(3) }
        #expect(world.resource().snapshot.sharedHit === stored)
        #expect(world.get().stored === stored)
    }

    @Test("what a store gives back is judged by the rules of now")
    func fromStore() {
        let store = MemoryVariantStore()
        World(store: store).fill("/a", [("Cache-Control", "max-age=1")])
        let world = World(store: store)
        ttl(world, 600)
        world.timekeeper.advance(by: .seconds(100))
        #expect(world.get().isHit)
        #expect(world.provider.count == 0)
    }

    @Test("a response that began under other rules is stored by those in force at its end")
    func changedMeanwhile() {
        let world = World(store: MemoryVariantStore())
        let client = world.get()
        world.last.head(200, [("Cache-Control", "max-age=60")], length: 3)
        world.runUntilIdle()
        ttl(world, 5)
        world.last.content("abc")
        world.last.end()
        world.runUntilIdle()
        #expect(client.text == "abc")
        #expect(world.resource().snapshot.sharedHit?.metadata.lifetimeSeconds == 5)
        world.get("/b")
        world.last.head(200, [("Cache-Control", "max-age=60")], length: 3)
        world.runUntilIdle()
        world.service.configuration.caching.rules = [CachingRule(name: "never", neverCache: true)]
        world.last.content("abc")
        world.last.end()
        world.runUntilIdle()
        #expect(world.resource("/b").snapshot.variants.isEmpty)
        #expect(world.store?.records(of: World.uri("/b")).isEmpty == true)
    }

    // MARK: Rules

    @Test("never-cache sends requests past the core, HEAD too, and drops what is held")
    func neverCache() {
        let world = World(store: MemoryVariantStore())
        world.fill()
        world.service.configuration.caching.rules = [CachingRule(name: "never", neverCache: true)]
        #expect(world.get().pass == .neverCache)
        #expect(world.get("/a", method: .head).pass == .neverCache)
        #expect(world.get("/a", [("Cache-Control", "only-if-cached")]).refusal == .onlyIfCached)
        #expect(world.provider.count == 1)
        #expect(world.resource().snapshot.variants.isEmpty)
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
        world.service.configuration.mode = .offline
        #expect(world.get().refusal == .offline)
        // And back: nothing of before is served.
        world.service.configuration = Configuration()
        #expect(!world.get().isHit)
        #expect(world.provider.count == 2)
    }

    @Test("never-cache for HEAD alone leaves GET as it is")
    func neverCacheForHead() {
        let world = World()
        world.service.configure(requestMethods: [.head]) {
            $0.caching.rules.append(CachingRule(name: "never", neverCache: true))
        }
        world.fill()
        #expect(world.get().isHit)
        #expect(world.get("/a", method: .head).pass == .neverCache)
        // Nothing stays of a resource that was made for it.
        for number in 0..<5 { #expect(world.get("/head/\(number)", method: .head).pass == .neverCache) }
        let left = (0..<5).filter { world.table.find(World.uri("/head/\($0)")) != nil }
        #expect(left.count <= 1, "the last may leave with the next one")
    }

    @Test("never-cache with a condition: each request gets a response of its own, what is held goes")
    func neverCacheSome() {
        let world = World(store: MemoryVariantStore())
        world.fill()
        world.service.configuration.caching.rules = [
            CachingRule(name: "never", statuses: [200...200], neverCache: true)
        ]
        let clients = [world.get(), world.get()]
        #expect(world.provider.count == 2)
        world.last.answer(200, [("Cache-Control", "max-age=60")], "one")
        world.runUntilIdle()
        #expect(world.provider.count == 3)
        world.last.answer(200, [("Cache-Control", "max-age=60")], "two")
        world.runUntilIdle()
        #expect(Set(clients.map(\.text)) == ["one", "two"])
        #expect(clients.allSatisfy { $0.outcome?.isStored == false && $0.outcome?.detail == "never-cache" })
        #expect(world.resource().snapshot.variants.isEmpty)
    }

    @Test("names a rule adds to Vary tell variants apart; what was stored without them goes")
    func varyAdd() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", [("Cache-Control", "max-age=60"), ("Vary", "Accept")])
        world.service.configuration.caching.rules = [CachingRule(name: "r", varyAdd: [Array("x-tenant".utf8)])]
        let first = world.get("/a", [("X-Tenant", "1")])
        let second = world.get("/a", [("X-Tenant", "2")])
        #expect(world.provider.count == 3)
        for (exchange, text) in zip(world.provider.exchanges.suffix(2), ["one", "two"]) {
            exchange.answer(200, [("Cache-Control", "max-age=60"), ("Vary", "Accept")], text)
        }
        world.runUntilIdle()
        #expect([first.text, second.text] == ["one", "two"])
        #expect(world.get("/a", [("X-Tenant", "1")]).text == "one")
        #expect(world.get("/a", [("X-Tenant", "2")]).text == "two")
        #expect(world.store?.records(of: World.uri("/a")).count == 2)
        let fields = world.resource().snapshot.variants.first?.fields
        #expect(fields?.text(of: .vary) == "Accept")
    }

    @Test("content of our own is up to date for the expiration time in force")
    func override() {
        let world = World()
        world.resource().overrideLocalData(Array("own".utf8), fields: Fields())
        world.timekeeper.advance(by: .seconds(20))
        world.service.configuration.expirationTime = .seconds(10)
        #expect(!world.get().isHit)
        world.service.configuration.expirationTime = .seconds(100)
        #expect(world.get().text == "own")
    }

    @Test("an eviction policy is told of what is judged anew")
    func eviction() {
        let policy = CountingPolicy()
        let world = World(eviction: policy)
        world.fill()
        world.fill("/b")
        ttl(world, 5)
        _ = world.resource().snapshot
        _ = world.resource("/b").snapshot
        #expect(policy.held.value.count == 2)
        let live = ["/a", "/b"].compactMap { world.resource($0).snapshot.sharedHit }.map(ObjectIdentifier.init)
        #expect(policy.held.value == Set(live))
    }

    // MARK: Query rules

    @Test("a query rule decides which resource a URI is, and what is invalidated and purged with it")
    func queryRules() throws {
        let world = World()
        let rule = QueryRule(try URLGlob("http://origin.example/**"), dropping: ["utm_*"])
        #expect(world.resource("/a?utm_x=1") !== world.resource("/a"))
        #expect(!world.table.mayHaveQueryRules)
        world.service.reconfigure { $0.queryRules = [rule] }
        #expect(world.table.mayHaveQueryRules)
        #expect(world.resource("/a?utm_x=1") === world.resource("/a"))
        #expect(world.resource("/a?b&utm_x=1").uri == World.uri("/a?b"))
        world.fill()
        #expect(world.get("/a?utm_x=2").isHit)
        world.service.resource(for: World.uri("/a?utm_x=3")).invalidate()
        #expect(world.resource().snapshot.isInvalidated)
        world.table.purge(World.uri("/a?utm_x=3"), of: world.service)
        #expect(world.resource().snapshot.variants.isEmpty)
    }

    @Test("what was stored before there was a query rule can still be purged by its own URI")
    func purgedByOldURI() throws {
        let store = MemoryVariantStore()
        let world = World(store: store)
        world.fill("/a?utm_x=1")
        let rule = QueryRule(try URLGlob("http://origin.example/**"), dropping: ["utm_*"])
        world.service.reconfigure { $0.queryRules = [rule] }
        world.fill("/a?utm_x=1")
        #expect(store.records(of: World.uri("/a")).count == 1)
        let removed = LockedBox(0)
        world.table.purge(World.uri("/a?utm_x=1"), of: world.service) { count in removed.change { $0 = count } }
        world.runUntilIdle()
        #expect(removed.value == 2)
        #expect(store.records(of: World.uri("/a?utm_x=1")).isEmpty && store.records(of: World.uri("/a")).isEmpty)
    }

    @Test("threads that configure and get at once leave every snapshot judged by the last configuration")
    func threads() async {
        let world = World()
        world.fill()
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for round in 0..<200 {
                        if worker == 0 { ttl(world, Int64(100 + round)) } else { _ = world.resource().snapshot }
                    }
                }
            }
        }
        #expect(world.resource().snapshot.sharedHit?.metadata.lifetimeSeconds == 299)
        #expect(world.resource().configuration.values.caching.rules.first?.ttlSeconds == 299)
    }
}

/// Knows who came and has not left.
private final class CountingPolicy: EvictionPolicy {
    let held = LockedBox<Set<ObjectIdentifier>>([])

    func didStore(_ entry: any MemoryEntry) -> [any MemoryEntry] {
        held.change { _ = $0.insert(ObjectIdentifier(entry)) }
        return []
    }

    func didRemove(_ entry: any MemoryEntry) { held.change { _ = $0.remove(ObjectIdentifier(entry)) } }
}
