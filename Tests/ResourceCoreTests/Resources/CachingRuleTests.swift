import Configurations
import Exchanges
import Explaining
import HTTPCaching
import HTTPCore
import ResourceDoubles
import ResourceModel
import TestDoubles
import Testing

/// What rules do to what a resource holds, looks for and loads.
@Suite("Caching rules")
struct CachingRuleTests {
    private func configuration(_ rules: CachingRule...) -> Configuration {
        var configuration = Configuration()
        configuration.caching.rules = rules
        return configuration
    }

    private func world(_ rules: CachingRule...) -> World {
        var configuration = Configuration()
        configuration.caching.rules = rules
        return World(configuration: configuration)
    }

    private let fresh = [("Cache-Control", "max-age=60")]

    // MARK: ignore-client-no-cache

    @Test(
        "ignore-client-no-cache: a reload is a hit that says so, joins a load, and gets what was put in place (C-25.1)"
    )
    func ignoreClientNoCache() {
        let world = world(CachingRule(name: "r", ignoresClientNoCache: true))
        let first = world.get()
        world.timekeeper.advance(by: .seconds(1))
        let joined = world.get("/a", [("Pragma", "no-cache")])
        #expect(world.provider.count == 1)
        world.last.answer(200, fresh, "abc")
        world.runUntilIdle()
        #expect(first.text == "abc" && joined.text == "abc" && joined.outcome?.isCollapsed == true)
        for lines in [[("Cache-Control", "no-cache")], [("Cache-Control", "max-age=0")], [("Pragma", "no-cache")]] {
            let reload = world.get("/a", lines)
            #expect(reload.isHit && reload.outcome?.detail == "ignore-client-no-cache")
        }
        #expect(world.get().outcome == .hit)
        #expect(world.provider.count == 1)
        world.resource("/b").overrideLocalData([0x78], fields: Fields())
        #expect(world.get("/b", [("Cache-Control", "no-cache")]).text == "x")
    }

    @Test(
        "ignore-client-no-cache is in force for what is held as soon as it is configured, and no longer after (C-25.1)"
    )
    func ignoreClientNoCacheReload() {
        let world = World()
        world.fill()
        let reload = [("Cache-Control", "no-cache")]
        world.service.configure { $0.caching.rules = [CachingRule(name: "r", ignoresClientNoCache: true)] }
        #expect(world.get("/a", reload).isHit)
        world.service.reconfigure { $0.configure { $0.caching.rules = [] } }
        #expect(!world.get("/a", reload).isHit && world.provider.count == 2)
    }

    // MARK: cache-even

    @Test("cache-even: stored and served, with the reason; without the rule it goes, from the store too (C-25.1)")
    func cacheEven() {
        let store = MemoryVariantStore()
        let rule = CachingRule(name: "r", ttlSeconds: 60, cacheEven: .noStore)
        let world = World(store: store, configuration: configuration(rule))
        let leader = world.get()
        world.last.answer(200, [("Cache-Control", "no-store")], "abc")
        world.runUntilIdle()
        #expect(leader.outcome?.isStored == true && leader.outcome?.detail == "cache-even")
        #expect(world.get().isHit)
        // After a restart, too.
        let next = World(timekeeper: world.timekeeper, store: store, configuration: configuration(rule))
        #expect(next.get().isHit)
        next.service.reconfigure { $0.configure { $0.caching.rules = [] } }
        #expect(!next.get().isHit && next.provider.count == 1)
        #expect(store.records(of: World.uri("/a")).isEmpty)
        // And where the rule is gone with the restart.
        next.service.reconfigure { $0.configure { $0.caching.rules = [rule] } }
        next.last.answer(200, [("Cache-Control", "no-store")], "def")
        next.runUntilIdle()
        #expect(next.get().text == "def" && store.records(of: World.uri("/a")).count == 1)
        let last = World(timekeeper: world.timekeeper, store: store)
        #expect(!last.get().isHit && store.records(of: World.uri("/a")).isEmpty)
    }

    @Test(
        "cache-even private: who has no credential shares with those alone, and nobody else meets it (C-25.1, C-20.3)"
    )
    func cacheEvenPrivate() {
        let world = world(CachingRule(name: "r", cacheEven: .responsePrivate))
        let lines = [("Cache-Control", "private, max-age=60")]
        world.get()
        world.last.answer(200, lines, "nobody")
        world.runUntilIdle()
        #expect(world.get().text == "nobody" && world.provider.count == 1)
        #expect(world.resource().snapshot.sharedHit == nil)
        for (index, credential) in [("Cookie", "a"), ("Authorization", "b"), ("X-Api-Key", "c")].enumerated() {
            let client = world.get("/a", [credential])
            #expect(client.answers == 0 && world.provider.count == index + 2)
            world.last.answer(200, lines, credential.1)
            world.runUntilIdle()
            #expect(world.get("/a", [credential]).text == credential.1)
        }
        #expect(world.get().text == "nobody" && world.provider.count == 4)
    }

    @Test(
        "what was stored against the origin's word for one credential is a miss for every other (C-25.1, C-20.3, H-113)"
    )
    func cacheEvenCredentials() {
        let world = world(CachingRule(name: "r", ttlSeconds: 60, cacheEven: [.noStore, .noCache, .mustRevalidate]))
        world.get("/a", [("Cookie", "alice")])
        let lines = [("Cache-Control", "no-store, no-cache, must-revalidate, max-age=0"), ("Expires", "0")]
        world.last.answer(200, lines, "alice's")
        world.runUntilIdle()
        #expect(world.get("/a", [("Cookie", "alice")]).text == "alice's")
        for other in [[("Cookie", "bob")], [], [("Authorization", "x")], [("Cookie", "alice"), ("X-Api-Key", "k")]] {
            let count = world.provider.count
            #expect(world.get("/a", other).answers == 0 && world.provider.count == count + 1)
            world.last.answer(503, [("Cache-Control", "no-store, max-age=0")])
            world.runUntilIdle()
        }
    }

    // MARK: vary-ignore

    @Test("vary-ignore: one variant and one load for all values; other names select as before (C-25.1)")
    func varyIgnore() {
        let world = world(CachingRule(name: "r", varyIgnore: ["User-Agent", "Accept-Language"].map { Array($0.utf8) }))
        let clients = (0..<3).map { world.get("/a", [("User-Agent", "\($0)"), ("Accept-Language", "l\($0)")]) }
        #expect(world.provider.count == 1)
        world.last.answer(200, fresh + [("Vary", "User-Agent, Accept-Language, X-Kind")], "abc")
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.text == "abc" })
        let other = world.get("/a", [("User-Agent", "9")])
        #expect(other.isHit && other.stored?.fields.text(of: .vary) == "User-Agent, Accept-Language, X-Kind")
        #expect(!world.get("/a", [("X-Kind", "k")]).isHit)
    }

    @Test("vary-ignore after a reload: what was stored under the names is not to be told apart, and goes (C-25.1)")
    func varyIgnoreReload() {
        let store = MemoryVariantStore()
        let world = World(store: store)
        world.get("/a", [("User-Agent", "a")])
        world.last.answer(200, fresh + [("Vary", "User-Agent")], "abc")
        world.runUntilIdle()
        world.service.configure { $0.caching.rules = [CachingRule(name: "r", varyIgnore: [Array("user-agent".utf8)])] }
        #expect(world.get("/a", [("User-Agent", "a")]).answers == 0)
        world.last.answer(200, fresh + [("Vary", "User-Agent")], "def")
        world.runUntilIdle()
        #expect(world.get("/a", [("User-Agent", "b")]).text == "def")
        #expect(store.records(of: World.uri("/a")).count == 1)
    }

    // MARK: key-header

    private let tenant = CachingRule(name: "r", keyFields: [Array("X-Tenant".utf8)])

    @Test("key-header: no load, answer, failure or validator is shared by requests with different values (C-25.1)")
    func keyHeader() {
        let world = world(tenant)
        let tenants = ["1", "2", nil].map { value in value.map { [("X-Tenant", $0)] } ?? [] }
        let clients = tenants.flatMap { lines in (0..<2).map { _ in world.get("/a", lines) } }
        #expect(world.provider.count == 3)
        for (index, exchange) in world.provider.exchanges.enumerated() {
            exchange.answer(200, fresh + [("ETag", "\"t\(index)\"")], "tenant \(index)")
        }
        world.runUntilIdle()
        #expect(clients.map(\.text) == ["tenant 0", "tenant 0", "tenant 1", "tenant 1", "tenant 2", "tenant 2"])
        for (index, lines) in tenants.enumerated() { #expect(world.get("/a", lines).text == "tenant \(index)") }
        #expect(world.resource().snapshot.sharedHit == nil)
        // Each is validated by its own tag alone.
        world.timekeeper.advance(by: .seconds(70))
        world.get("/a", tenants[1])
        #expect(world.last.value(of: .ifNoneMatch) == "\"t1\"")
        world.last.fail()
        world.runUntilIdle()
        // A failure is remembered for its key.
        #expect(world.get("/a", tenants[1]).outcome?.detail == "disconnected" && world.provider.count == 4)
        world.get("/a", tenants[0])
        #expect(world.provider.count == 5 && world.last.value(of: .ifNoneMatch) == "\"t0\"")
        // Invalidation is the URI's.
        world.last.answer(304, [])
        world.runUntilIdle()
        #expect(world.get("/a", tenants[0]).isHit)
        world.resource().invalidate()
        #expect(!world.get("/a", tenants[0]).isHit)
    }

    @Test("key-header: another value is another key, not another variant (C-25.1)")
    func keyHeaderMiss() {
        let world = world(tenant)
        world.get("/a", [("X-Tenant", "1")])
        world.last.answer(200, fresh, "abc")
        world.runUntilIdle()
        let other = world.get("/a", [("X-Tenant", "2")])
        world.last.head(200, fresh, length: 0)
        world.last.end()
        world.runUntilIdle()
        #expect(other.outcome?.forward == .uriMiss)
    }

    @Test("key-header and credentials: both have to be equal; what is public is shared under the key (C-25.1, C-20.3)")
    func keyHeaderCredentials() {
        let world = world(tenant)
        func ask(_ tenant: String, _ user: String?) -> Client {
            world.get("/a", [("X-Tenant", tenant)] + (user.map { [("Authorization", $0)] } ?? []))
        }
        _ = ask("1", "alice")
        world.last.answer(200, fresh, "alice at 1")
        world.runUntilIdle()
        #expect(ask("1", "alice").isHit)
        for (tenant, user) in [("1", "bob"), ("2", "alice")] {
            #expect(!ask(tenant, user).isHit)
            world.last.answer(200, [("Cache-Control", "public, max-age=60")], "public at \(tenant)")
            world.runUntilIdle()
        }
        #expect(ask("1", "carol").text == "public at 1" && ask("1", nil).isHit && ask("2", nil).text == "public at 2")
        #expect(ask("1", "alice").text == "alice at 1")
    }

    @Test("key-header and partition at rest: found again after a restart, under the same key only (C-25.1)")
    func keyAtRest() {
        let store = MemoryVariantStore()
        let lines = [("X-Tenant", "1")]
        let named = CachingRule(name: "n", partition: .named("staging"))
        let world = World(store: store, configuration: configuration(tenant, named))
        world.get("/a", lines)
        world.last.answer(200, fresh, "abc")
        world.runUntilIdle()
        let same = World(timekeeper: world.timekeeper, store: store, configuration: configuration(tenant, named))
        #expect(same.get("/a", lines).isHit && !same.get("/a").isHit)
        let other = World(timekeeper: world.timekeeper, store: store, configuration: configuration(tenant))
        #expect(!other.get("/a", lines).isHit)
    }

    // MARK: partition

    @Test("partition by name: two names never meet, and who comes back finds what was held (C-25.1)")
    func partitionName() {
        let world = World()
        world.fill("/a", fresh, "production")
        #expect(world.resource().snapshot.sharedHit != nil)
        world.service.configure { $0.caching.rules = [CachingRule(name: "r", partition: .named("staging"))] }
        #expect(world.get().answers == 0)
        world.last.answer(200, fresh, "staging")
        world.runUntilIdle()
        #expect(world.get().text == "staging" && world.get("/a", [("Cookie", "a")]).text == "staging")
        #expect(world.resource().snapshot.sharedHit == nil)
        #expect(world.resource().snapshot.latestResponse?.contentLength == 7)
        world.service.reconfigure { $0.configure { $0.caching.rules = [] } }
        #expect(world.get().text == "production")
        #expect(world.provider.count == 2)
    }

    @Test("partition = credential: each credential has all its answers for itself, public ones included (C-25.1)")
    func partitionCredential() {
        let world = world(CachingRule(name: "r", partition: .credential))
        let open = [("Cache-Control", "public, max-age=60")]
        let requests = [
            [], [("Authorization", "a")], [("Authorization", "b")], [("Authorization", "a"), ("Cookie", "c")],
        ]
        for (index, lines) in requests.enumerated() {
            #expect(world.get("/a", lines).answers == 0 && world.provider.count == index + 1)
            world.last.answer(200, open, "\(index)")
            world.runUntilIdle()
        }
        for (index, lines) in requests.enumerated() { #expect(world.get("/a", lines).text == "\(index)") }
        #expect(world.provider.count == 4 && world.resource().snapshot.sharedHit == nil)
    }

    @Test("programs load and read under the partition a rule names (C-25.1)")
    func partitionModel() {
        let world = world(CachingRule(name: "r", partition: .named("staging")))
        let resource = world.resource()
        #expect(resource.loadIfNeeded() != nil)
        world.runUntilIdle()
        world.last.answer(200, fresh, "abc")
        world.runUntilIdle()
        #expect(resource.latestResponse?.contentLength == 3 && resource.loadIfNeeded() == nil)
        #expect(world.get().isHit)
        resource.overrideLocalData([0x78], fields: Fields())
        #expect(world.get().text == "x")
    }

    // MARK: set-cookie

    private let cookie = [("Cache-Control", "max-age=60"), ("Set-Cookie", "sid=1"), ("ETag", "\"a\"")]

    @Test("set-cookie = strip: nobody gets it, not even by a 304, and what came to a credential stays with it (C-25.1)")
    func stripped() {
        let world = world(CachingRule(name: "r", setCookie: .strip))
        let clients = (0..<2).map { _ in world.get() }
        world.last.answer(200, cookie, "abc")
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.text == "abc" && $0.following?.fields.contains(.setCookie) == false })
        #expect(world.get().stored?.fields.contains(.setCookie) == false)
        world.timekeeper.advance(by: .seconds(70))
        let validated = world.get()
        world.last.answer(304, cookie)
        world.runUntilIdle()
        #expect(validated.stored?.fields.contains(.setCookie) == false && world.get().isHit)

        world.get("/b", [("Cookie", "sid=0")])
        world.last.answer(200, cookie, "hers")
        world.runUntilIdle()
        #expect(world.get("/b", [("Cookie", "sid=0")]).isHit && !world.get("/b").isHit)
    }

    @Test("set-cookie after a reload: what is held loses the field, or goes (C-25.1)")
    func setCookieReload() {
        let world = World()
        world.fill("/a", cookie)
        #expect(world.get().stored?.fields.contains(.setCookie) == true)
        world.service.reconfigure { $0.configure { $0.caching.rules = [CachingRule(name: "r", setCookie: .strip)] } }
        let stripped = world.get()
        #expect(stripped.isHit && stripped.stored?.fields.contains(.setCookie) == false)
        world.fill("/b", fresh)
        world.service.reconfigure { $0.configure { $0.caching.rules = [] } }
        world.fill("/c", cookie)
        world.service.reconfigure { $0.configure { $0.caching.rules = [CachingRule(name: "r", setCookie: .refuse)] } }
        #expect(world.get("/b").isHit && !world.get("/c").isHit)
    }

    // MARK: ttl-by-status

    @Test("ttl-by-status counts for what is held as soon as it is configured (C-25.1)")
    func ttlByStatus() {
        let world = World()
        world.get()
        world.last.answer(404, fresh, "abc")
        world.runUntilIdle()
        let lifetimes = [StatusLifetime(404...404, seconds: 5000)]
        world.service.configure { $0.caching.rules = [CachingRule(name: "r", ttlByStatus: lifetimes)] }
        world.timekeeper.advance(by: .seconds(4999))
        #expect(world.get().isHit)
        world.timekeeper.advance(by: .seconds(1))
        #expect(!world.get().isHit)
    }

    // MARK: explain

    @Test("explain names what rules changed: of the key, of the request, of what is held (C-25.1)")
    func explained() {
        let rules = [
            CachingRule(name: "rule 1", ttlSeconds: 60, ignoresClientNoCache: true, cacheEven: .noStore),
            CachingRule(name: "rule 2", keyFields: [Array("X-Tenant".utf8)], partition: .named("staging")),
            CachingRule(name: "rule 3", varyIgnore: [Array("Origin".utf8)], setCookie: .strip),
        ]
        let world = world(rules[0], rules[1], rules[2])
        world.get()
        world.last.answer(200, [("Cache-Control", "no-store"), ("Vary", "Origin"), ("Set-Cookie", "a=b")], "abc")
        world.runUntilIdle()
        var fields = Fields()
        fields.append(name: "Cache-Control", value: "no-cache")
        let box = LockedBox<[String]>([])
        world.resource().explain(.get, fields) { explanation in box.change { $0 = explanation.text } }
        world.runUntilIdle()
        let text = box.value.filter { !$0.contains("would change with") }
        #expect(
            text.dropFirst(4) == [
                "looks into: shared",
                "outcome: serve (Cache-Status: respite; hit; ttl=60; detail=ignore-client-no-cache)",
                "  key-header: the request's x-tenant is part of the key, by rule 2 (RFC 9111 §2)",
                "  partition: responses are stored under the name staging, apart from others, by rule 2 (RFC 9111 §2)",
                "  ignore-client-no-cache: the request asks for a reload, which is ignored, by rule 1 (RFC 9111 §5.2.1.4)",
                "  fresh: age 0 s is below the lifetime; 60 s are left (RFC 9111 §4.2)",
                "holds: 200, shared, age 0 s, selected",
                "  rule: fresh for 60 s, by rule 1 (RFC 9111 §4.2.1)",
                "  cache-even: no-store in the response is ignored, by rule 1; the response to a credential "
                    + "stays with that credential (RFC 9111 §5.2.2)",
                "  vary-ignore: origin in Vary does not select, by rule 3 (RFC 9111 §4.1)",
                "  set-cookie: Set-Cookie is removed, by rule 3 (RFC 9111 §7.3)",
                "  ignore-client-no-cache: the request asks for a reload, which is ignored, by rule 1 (RFC 9111 §5.2.1.4)",
                "  fresh: age 0 s is below the lifetime; 60 s are left (RFC 9111 §4.2)",
            ]
        )
    }
}
