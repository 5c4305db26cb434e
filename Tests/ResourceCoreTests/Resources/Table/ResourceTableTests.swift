import Configurations
import ResourceDoubles
import HTTPCaching
import HTTPCore
import ResourceCore
import ResourceModel
import TestDoubles
import Testing

@Suite("The table")
struct ResourceTableTests {
    @Test("one URI is one resource as long as anybody holds it (S-013, T-234, S-015)")
    func identity() {
        let world = World()
        let resource = world.resource("/a")
        #expect(world.resource("/a") === resource)
        #expect(world.resource("/b") !== resource)
        #expect(world.table.find(World.uri("/a")) === resource)
        #expect(world.table.find(canonical: World.uri("/a").bytes.span) === resource)
        #expect(world.table.find(canonical: World.uri("/b").bytes.span) == nil)
    }

    @Test("a URI that was asked for once leaves nothing behind when nothing is stored (S-016)")
    func noLeak() {
        let world = World()
        for number in 0..<300 {
            world.get("/\(number)")
            world.last.answer(200, [("Cache-Control", "no-store")], "abc")
            world.runUntilIdle()
        }
        #expect(world.table.count == 0)
    }

    @Test("a resource that is asked for again after it was let go loads on, whoever is let go meanwhile")
    func againAfterLettingGo() {
        let world = World(shardCount: 1)
        world.get("/a")
        world.last.answer(200, [("Cache-Control", "no-store")], "abc")
        world.runUntilIdle()
        let second = world.get("/a")
        let exchange = world.last
        // Others come and go meanwhile
        for number in 0..<3 {
            world.get("/\(number)")
            world.last.answer(200, [("Cache-Control", "no-store")], "abc")
            world.runUntilIdle()
        }
        exchange.answer(200, [("Cache-Control", "no-store")], "def")
        world.runUntilIdle()
        #expect(second.text == "def" && !exchange.isCancelled)
        #expect(world.table.count == 0)
    }

    @Test("a resource leaves once its failure is no longer remembered")
    func failureLeaves() {
        let world = World()
        world.get()
        world.last.fail()
        world.runUntilIdle()
        #expect(world.table.count == 1)
        // At the retry time the failure still counts.
        world.timekeeper.advance(by: .seconds(1))
        #expect(world.table.count == 1)
        world.timekeeper.advance(by: .milliseconds(1))
        #expect(world.table.count == 0)
    }

    @Test("a HEAD that no configuration lets be cached leaves no resource behind")
    func uncachedHead() {
        let world = World()
        world.service.reconfigure { list in
            list.configure(methods: [.head]) { $0.caching.rules = [CachingRule(name: "r", neverCache: true)] }
        }
        let client = Client(context: world.context)
        let request = world.request("/a", method: .head)
        if case .answered(let result, _) = world.service.resourceToServe(World.uri("/a")).serve(request, to: client) {
            client.take(result)
        }
        #expect(client.pass == .neverCache && world.table.count == 0 && world.provider.count == 0)
    }

    @Test("limits below 0 count as 0, and a table without shards has one")
    func limits() {
        let environment = World().table.environment
        let table = ResourceTable(environment: environment, shardCount: 0, countLimit: 5)
        #expect(table.countLimit == 5)
        table.countLimit = -1
        #expect(table.countLimit == 0 && ResourceTable(environment: environment).countLimit == .max)
        let service = Service(name: "test", table: table)
        let resources = ["/a", "/b"].map { service.resource(for: World.uri($0)) }
        #expect(table.count == 2 && table.find(World.uri("/b")) === resources[1])
        #expect(table.resources(limit: -1).isEmpty && table.resources(limit: 1).map(\.uri) == [World.uri("/a")])
        withExtendedLifetime((service, resources)) {}
    }

    @Test("a flush frees what nobody holds, observes or loads; T-170 the others stay (S-017, T-236)")
    func flush() {
        let world = World()
        world.fill("/a")
        world.fill("/b")
        let owner = LockedBox(0)
        world.resource("/b").addObserver(owner: owner) { _, _ in }
        world.get("/c")
        world.table.flushUnused()
        #expect(world.table.find(World.uri("/a")) == nil)
        #expect(world.table.count == 2)
        // T-171
        world.resource("/b").removeObservers(ownedBy: owner)
        world.table.flushUnused()
        #expect(world.table.count == 1)
    }

    @Test("many resources come and go, and each is found by its bytes")
    func many() {
        let world = World()
        for round in 0..<3 {
            for number in 0..<2000 { world.resource("/\(round)/\(number)").overrideLocalData([1], fields: Fields()) }
            for number in stride(from: 0, to: 2000, by: 3) { world.resource("/\(round)/\(number)").wipe() }
        }
        for round in 0..<3 {
            for number in 0..<2000 {
                let uri = World.uri("/\(round)/\(number)")
                let found = world.table.find(uri)
                #expect((found == nil) == (number % 3 == 0))
                #expect(found == nil || found?.uri == uri)
            }
        }
    }

    @Test("listings go by number in pages, and filter")
    func paging() {
        let world = World()
        for number in 0..<10 { world.resource("/\(number)").overrideLocalData([1], fields: Fields()) }
        let first = world.table.resources(limit: 4)
        let second = world.table.resources(after: first[3].id, limit: 100)
        #expect((first + second).map(\.uri.text) == (0..<10).map { World.uri("/\($0)").text })
        #expect(world.table.resources(limit: 10) { $0 == World.uri("/7") }.count == 1)
        #expect(world.table.resource(id: first[2].id) === first[2])
    }

    @Test("the plain variant is there for what everybody may get, and only for that")
    func plain() {
        let cases: [([(String, String)], [(String, String)], Bool)] = [
            ([("Cache-Control", "max-age=60")], [], true),
            ([("Cache-Control", "max-age=60"), ("Vary", "Accept")], [], false),
            ([("Cache-Control", "max-age=60, no-cache"), ("ETag", "\"a\"")], [], false),
            ([("Cache-Control", "max-age=60, private")], [("Authorization", "x")], false),
            ([("Cache-Control", "max-age=60")], [("Authorization", "x")], false),
            ([("Cache-Control", "max-age=60, public")], [("Authorization", "x")], true),
        ]
        for (response, request, isPlain) in cases {
            let world = World()
            world.get("/a", request)
            world.last.answer(200, response, "abc")
            world.runUntilIdle()
            let plain = world.table.sharedHit(of: World.uri("/a").bytes.span)
            #expect((plain != nil) == isPlain)
            guard let plain else { continue }
            #expect(plain.isFresh(at: world.timekeeper.now + .nanoseconds(59_999_999_999)))
            #expect(!plain.isFresh(at: world.timekeeper.now + .seconds(60)))
            #expect(plain.ttl(at: world.timekeeper.now) == 60)
        }
    }

    @Test("uses are counted up to three and taken")
    func uses() {
        let world = World()
        world.fill()
        let stored = world.get().stored
        _ = stored?.takeUses()
        for _ in 0..<5 { stored?.noteUse() }
        #expect(stored?.takeUses() == 3)
        #expect(stored?.takeUses() == 0)
    }
}
