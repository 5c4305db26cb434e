import ResourceDoubles
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore
import TestDoubles
import Testing

@Suite("Validation")
struct ValidationTests {
    private let tagged = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\""), ("X-Kept", "yes")]

    @Test(
        "a stale response is validated with its own validators; the client's conditions and Range stay behind (C-13.1)"
    )
    func validators() {
        let world = World()
        world.fill("/a", tagged + [("Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT")])
        world.timekeeper.advance(by: .seconds(60))
        world.get("/a", [("If-None-Match", "\"other\""), ("Range", "bytes=0-1"), ("X-Own", "1")])
        #expect(world.last.value(of: .ifNoneMatch) == "\"v1\"")
        #expect(world.last.value(of: .ifModifiedSince) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(world.last.value(of: .range) == nil)
    }

    @Test("many stale hits cause one conditional request, whose 304 serves them all from store (C-23.6)")
    func collapsed() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", tagged)
        world.timekeeper.advance(by: .seconds(61))
        let clients = (0..<100).map { _ in world.get() } + [world.get("/a", [("Range", "bytes=0-1")])]
        #expect(world.provider.count == 2)
        world.last.answer(304, [("ETag", "\"v1\""), ("Cache-Control", "max-age=90"), ("X-New", "1")])
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.text == "abc" && $0.outcome?.forwardStatus == 304 && !$0.isHit })
        // C-14.3, C-14.4: fields replaced or kept, the age starts anew.
        let stored = clients[0].stored
        #expect(stored?.fields.text(of: .cacheControl) == "max-age=90")
        #expect(stored?.fields.values(named: Array("x-kept".utf8)).count == 1)
        #expect(stored?.fields.values(named: Array("x-new".utf8)).count == 1)
        #expect(world.store?.log.suffix(1) == ["freshen"])
        world.timekeeper.advance(by: .seconds(89))
        #expect(world.get().isHit)
        #expect(world.provider.count == 2)
    }

    @Test("a 304 that names a tag we do not hold leads to one load without conditions (C-21.6)")
    func unknownTag() {
        let world = World()
        world.fill("/a", tagged)
        world.timekeeper.advance(by: .seconds(61))
        let client = world.get()
        world.last.answer(304, [("ETag", "\"v9\"")])
        world.runUntilIdle()
        #expect(world.provider.count == 3)
        #expect(world.last.value(of: .ifNoneMatch) == nil)
        world.last.answer(200, tagged, "new")
        world.runUntilIdle()
        #expect(client.text == "new")
    }

    @Test("a 304 to a request without conditions is a failure (S-098)")
    func senseless304() {
        let world = World()
        let client = world.get()
        world.last.answer(304)
        world.runUntilIdle()
        #expect(client.failure?.status == 502)
        #expect(client.failure?.kind == .protocolError)
    }

    @Test("the tags of all variants are offered, and the 304's tag selects one (C-21.6)")
    func severalVariants() {
        let world = World()
        for kind in ["1", "2"] {
            world.get("/a", [("X-Kind", kind)])
            let lines = [("Cache-Control", "max-age=60"), ("ETag", "\"v\(kind)\""), ("Vary", "X-Kind")]
            world.last.answer(200, lines, "kind \(kind)")
            world.runUntilIdle()
        }
        world.timekeeper.advance(by: .seconds(61))
        let client = world.get("/a", [("X-Kind", "1")])
        #expect(world.last.value(of: .ifNoneMatch) == "\"v1\", \"v2\"")
        world.last.answer(304, [("ETag", "\"v2\""), ("Vary", "X-Kind")])
        world.runUntilIdle()
        #expect(client.text == "kind 2")
    }

    @Test("beside the own tag those of other responses are offered that the request may have, and no others (C-21.6)")
    func offered() {
        let world = World()
        let date = "Thu, 01 Jan 1970 00:00:00 GMT"
        let alice = [("Authorization", "alice")]
        for (kind, validator, request) in [
            ("1", ("ETag", "\"v1\""), []), ("2", ("Last-Modified", date), []), ("3", ("ETag", "W/\"v3\""), []),
            ("4", ("ETag", "\"v4\""), alice),
        ] as [(String, (String, String), [(String, String)])] {
            world.get("/a", [("X-Kind", kind)] + request)
            world.last.answer(200, [("Cache-Control", "max-age=60"), ("Vary", "X-Kind"), validator], kind)
            world.runUntilIdle()
        }
        world.timekeeper.advance(by: .seconds(61))
        func tags(_ kind: String, _ request: [(String, String)] = []) -> String? {
            world.get("/a", [("X-Kind", kind)] + request)
            return world.last.value(of: .ifNoneMatch)
        }
        #expect(tags("1") == "\"v1\", W/\"v3\"" && tags("3") == "W/\"v3\", \"v1\"")
        #expect(tags("2") == nil && world.last.value(of: .ifModifiedSince) == date)
        #expect(tags("4", alice) == "\"v4\", \"v1\", W/\"v3\"" && world.provider.count == 8)
    }

    @Test("a 304 that forbids storing serves those who waited, and the copy goes")
    func noStoreIn304() {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", tagged)
        world.timekeeper.advance(by: .seconds(61))
        let client = world.get()
        world.last.answer(304, [("Cache-Control", "no-store")])
        world.runUntilIdle()
        #expect(client.text == "abc")
        #expect(world.table.find(World.uri("/a"))?.snapshot.variants.isEmpty ?? true)
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
    }

    @Test("what a new response takes the place of, but may not be stored, answers nobody, whatever else is under way")
    func superseded() {
        let world = World()
        world.fill("/a", tagged)
        #expect(world.isHit())
        world.get("/a", [("Cache-Control", "no-cache")])
        let reload = world.last
        world.get("/a", [("Cache-Control", "no-cache"), ("Authorization", "x")])
        #expect(world.provider.count == 3)
        reload.answer(200, [("Cache-Control", "no-store")], "new")
        world.runUntilIdle()
        #expect(!world.isHit())
    }

    @Test("a request for a range gets leave to ask for it when the validation brings another response")
    func rangeAfterChange() {
        let world = World()
        world.fill("/a", tagged)
        world.timekeeper.advance(by: .seconds(61))
        let client = world.get("/a", [("Range", "bytes=0-1")])
        world.last.answer(200, tagged, "new")
        world.runUntilIdle()
        #expect(client.pass == .range)
        #expect(world.get().text == "new")
    }

    @Test("no-cache is validated before every use (C-6.4)")
    func noCache() {
        let world = World()
        world.fill("/a", [("Cache-Control", "no-cache, max-age=60"), ("ETag", "\"v1\"")])
        #expect(!world.isHit())
        let client = world.get()
        #expect(world.last.value(of: .ifNoneMatch) == "\"v1\"")
        world.last.answer(304)
        world.runUntilIdle()
        #expect(client.text == "abc")
    }

    @Test("only-if-cached is refused when nothing usable is held (C-21.4)")
    func onlyIfCached() {
        let world = World()
        #expect(world.get("/a", [("Cache-Control", "only-if-cached")]).refusal == .onlyIfCached)
        world.fill()
        #expect(world.get("/a", [("Cache-Control", "only-if-cached")]).isHit)
        world.timekeeper.advance(by: .seconds(61))
        #expect(world.get("/a", [("Cache-Control", "only-if-cached")]).refusal == .onlyIfCached)
        #expect(world.provider.count == 1)
    }

    @Test(
        "an answer to HEAD freshens what it agrees with and marks what it contradicts (C-21.7)",
        arguments: [true, false]
    )
    func head(agrees: Bool) {
        let world = World(store: MemoryVariantStore())
        world.fill("/a", tagged)
        world.timekeeper.advance(by: .seconds(61))
        let client = world.get(method: .head)
        #expect(client.pass == .head)
        var fields = Fields()
        fields.append(.etag, agrees ? "\"v1\"" : "\"v2\"")
        fields.append(.cacheControl, "max-age=90")
        let request = world.request(method: .head)
        world.resource().didReceiveHead(ResponseHead(status: 200, fields: fields), for: request)
        world.runUntilIdle()
        #expect(world.get().isHit == agrees)
        #expect(world.store?.records(of: World.uri("/a")).first?.isInvalidated == !agrees)
    }

    // MARK: Stale while revalidate

    @Test("within the window stale content is served at once and refreshed by one load (C-7.1)")
    func staleWhileRevalidate() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60, stale-while-revalidate=30"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(70))
        let clients = (0..<50).map { _ in world.get("/a", [("X-Own", "1")]) }
        #expect(clients.allSatisfy { $0.isHit && $0.outcome?.detail == "stale-while-revalidate" })
        #expect(world.provider.count == 2)
        #expect(world.last.request.fields.values(named: Array("x-own".utf8)).count == 1)
        world.last.answer(200, [("Cache-Control", "max-age=60")], "new")
        world.runUntilIdle()
        let after = world.get()
        #expect(after.isHit && after.text == "new")
        #expect(world.provider.count == 2)
    }

    /// A response of which a tenth of the lifetime is left.
    private func worldAhead(_ lines: [(String, String)] = []) -> World {
        let world = World()
        world.service.configuration.caching.rules = [CachingRule(name: "r", refreshAheadPercent: 20)]
        world.fill("/a", [("Cache-Control", "max-age=100"), ("ETag", "\"v1\"")] + lines)
        world.timekeeper.advance(by: .seconds(79))
        #expect(world.get().isHit && world.provider.count == 1)
        world.timekeeper.advance(by: .seconds(11))
        return world
    }

    @Test("refresh-ahead: uses at the end of the lifetime are hits, and one load validates")
    func refreshAhead() {
        let world = worldAhead()
        let clients = (0..<20).map { _ in world.get() }
        #expect(clients.allSatisfy { $0.isHit && $0.outcome?.detail == nil })
        #expect(world.provider.count == 2)
        #expect(world.last.request.fields.value(of: .ifNoneMatch) == Array("\"v1\"".utf8))
        world.last.answer(304, [("Cache-Control", "max-age=100")])
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(50))
        #expect(world.get().isHit && world.provider.count == 2)
        world.timekeeper.advance(by: .seconds(40))
        #expect(world.get().isHit && world.provider.count == 3)
    }

    @Test("refresh-ahead: what comes of it, it is tried once", arguments: [403, 500, 503] as [UInt16])
    func failedRefreshAhead(status: UInt16) {
        let world = worldAhead()
        #expect(world.get().isHit)
        world.last.answer(status, [("Cache-Control", "no-store")])
        world.runUntilIdle()
        for _ in 0..<5 { #expect(world.get().isHit) }
        #expect(world.provider.count == 2)
    }

    @Test("refresh-ahead: a request for stored responses only, or of mode offline, loads nothing")
    func noRefreshAhead() {
        let world = worldAhead()
        #expect(world.get("/a", [("Cache-Control", "only-if-cached")]).isHit)
        #expect(world.provider.count == 1)
        world.service.configuration.mode = .offline
        #expect(world.get().isHit && world.provider.count == 1)
    }

    @Test("what the refresh brings replaces the stored response, also when it says no-store (C-7.1)")
    func refreshBringsNoStore() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60, stale-while-revalidate=30"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(70))
        world.get()
        world.last.answer(200, [("Cache-Control", "no-store")], "new")
        world.runUntilIdle()
        #expect(!world.get().isHit)
    }

    @Test(
        "a refresh that a HEAD, a Range or a condition caused brings the whole (C-7.1)",
        arguments: [(Method.head, []), (.get, [("Range", "bytes=0-1")]), (.get, [("If-None-Match", "\"x\"")])]
            as [(Method, [(String, String)])]
    )
    func refreshByOthers(method: Method, lines: [(String, String)]) {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60, stale-while-revalidate=30"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(70))
        #expect(world.get("/a", lines, method: method).isHit)
        #expect(world.last.request.method == .get)
        world.last.answer(200, [("Cache-Control", "max-age=60")], "new")
        world.runUntilIdle()
        #expect(world.get().text == "new")
        #expect(world.provider.count == 2)
    }

    @Test("after the window the client waits for the origin (C-7.1)")
    func afterWindow() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60, stale-while-revalidate=30")])
        world.timekeeper.advance(by: .seconds(90))
        #expect(world.get().answers == 0)
    }

    @Test("a refresh that failed is not tried again within the retry time")
    func failedRefresh() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60, stale-while-revalidate=30"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(70))
        world.get()
        world.last.fail()
        #expect(world.get().isHit)
        #expect(world.provider.count == 2)
        world.timekeeper.advance(by: .milliseconds(1001))
        #expect(world.get().isHit)
        #expect(world.provider.count == 3)
    }

    @Test("a refresh whose response may not be stored and is large is given up, and the next one can begin")
    func unstorableRefresh() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60, stale-while-revalidate=30"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(61))
        #expect(world.get().isHit)
        #expect(world.provider.count == 2)
        world.last.head(200, [("Cache-Control", "no-store")], length: 10 << 20)
        world.runUntilIdle()
        #expect(world.last.isCancelled)
        #expect(world.get().isHit)
        #expect(world.provider.count == 3)
    }

    @Test("the answer to a HEAD says nothing of what was stored after it was sent (S-256)")
    func olderHead() {
        let world = World()
        let request = world.request(method: .head)
        world.timekeeper.advance(by: .seconds(1))
        world.fill("/a", tagged)
        var fields = Fields()
        fields.append(.etag, "\"v0\"")
        world.resource().didReceiveHead(ResponseHead(status: 200, fields: fields, framing: .none), for: request)
        #expect(world.get().isHit)
        let later = world.request(method: .head)
        world.resource().didReceiveHead(ResponseHead(status: 200, fields: fields, framing: .none), for: later)
        #expect(!world.get().isHit)
    }
}
