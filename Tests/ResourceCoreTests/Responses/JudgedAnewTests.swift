import Configurations
import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing

@testable import ResourceCore

/// How another configuration judges what is stored.
@Suite("Responses that are judged anew") struct JudgedAnewTests {
    private let bench = Workbench()
    private let lines = [("Cache-Control", "max-age=60"), ("Age", "10")]

    private func context(_ change: (inout Configuration) -> Void) -> ResourceContext {
        var configuration = Configuration()
        change(&configuration)
        return bench.context.by(EffectiveConfiguration(values: configuration, sources: [], partName: nil))
    }

    @Test(
        "a response that nothing changes stays itself; mode replay freezes it, and another mode lets it go on (C-25.2)"
    )
    func frozen() {
        let stored = bench.stored(1, lines)
        #expect(stored.judged(bench.context) === stored)
        let frozen = stored.judged(context { $0.mode = .replay })
        #expect(frozen !== stored && frozen.isFrozen && frozen.isSame(as: stored))
        #expect(frozen.judged(context { $0.mode = .replay }) === frozen)
        let again = frozen.judged(bench.context)
        #expect(!again.isFrozen && again.freshUntil == stored.freshUntil && again.ageAtReceipt == 10)
        let local = bench.stored(1, lines, isLocal: true)
        #expect(!local.judged(context { $0.mode = .replay }).isFrozen)
    }

    @Test("a rule's lifetime counts from the receipt; hits and age go on")
    func lifetime() {
        let stored = bench.stored(1, lines)
        for _ in 0..<2 { stored.noteUse() }
        let judged = stored.judged(context { $0.caching.rules = [CachingRule(name: "r", ttlSeconds: 20)] })
        #expect(judged.freshUntil == stored.receivedAt + .seconds(10) && judged.ageAtReceipt == 10)
        #expect(judged.hitCount == 2 && judged.takeUses() == 2 && judged.loadNumber == 1)
        #expect(judged.renditions !== stored.renditions, "there were none to take over")
        let renditions = stored.renditions
        let next = stored.judged(context { $0.caching.rules = [CachingRule(name: "r", ttlSeconds: 30)] })
        #expect(next.renditions === renditions)
    }

    @Test("an override has the expiration time of the configuration, its end included")
    func local() {
        let context = bench.context
        let local = StoredResponse.local([1], Fields(), 200, lifetime: context.configuration.expirationTime, context)
        #expect(local.judged(context) === local)
        let judged = local.judged(self.context { $0.expirationTime = .seconds(7) })
        #expect(judged.isLocal && judged.isFresh(at: context.now + .seconds(7)))
        #expect(!judged.isFresh(at: context.now + .seconds(7) + .nanoseconds(1)))
    }

    @Test(
        "a response from the future stays stale, at its very second it does not (S-251)",
        arguments: [(-1, 10, true), (0, 10, true), (1, 60, false)] as [(Int64, Int64, Bool)]
    )
    func future(seconds: Int64, age: Int64, isFresh: Bool) {
        // Given a clock that was set back by as many seconds
        let stored = bench.stored(1, lines)
        let wall = bench.context.wallNow.seconds
        bench.world.timekeeper.setWall(HTTPDate(seconds: wall - seconds))
        let judged = stored.judged(context { $0.mode = .replay }).judged(context { $0.mode = .online })
        #expect(judged.ageAtReceipt == age && judged.isFresh(at: bench.context.now) == isFresh)
    }

    @Test(
        "a record from the future is stale when it is found, at its very second it is not (S-251)",
        arguments: [(0, 10, true), (1, 60, false), (-5, 15, true)] as [(Int64, Int64, Bool)]
    )
    func found(seconds: Int64, age: Int64, isFresh: Bool) {
        let record = bench.stored(1, lines).record
        let wall = bench.context.wallNow.seconds
        bench.world.timekeeper.setWall(HTTPDate(seconds: wall - seconds))
        let found = StoredResponse.found(record, bench.context)
        #expect(found.ageAtReceipt == age && found.isFresh(at: bench.context.now) == isFresh)
        #expect(found.loadNumber == 0 && found.receivedAt == bench.context.now && !found.isFrozen)
        #expect(StoredResponse.found(record, context { $0.mode = .replay }).isFrozen)
    }

    @Test("a response stays if it may be stored, and its selection fits its Vary; an override stays anyway")
    func staying() {
        let varied = [("Cache-Control", "max-age=60"), ("Vary", "Accept")]
        let never = context { $0.caching.rules = [CachingRule(name: "r", neverCache: true)] }
        let stored = bench.stored(1, varied)
        #expect(stored.mayStay(bench.context) && !stored.judged(never).mayStay(never))
        #expect(!bench.stored(1, varied) { $0.selection = [1] }.mayStay(bench.context))
        #expect(bench.stored(1, varied, isLocal: true).judged(never).mayStay(never))
    }

    @Test("what sets a cookie stays in a partition of its own; where rules add to the key, none is (C-20.1)")
    func cookies() {
        let lines = [("Cache-Control", "max-age=60"), ("Set-Cookie", "a=b")]
        let options: (inout Configuration) -> Void = { $0.caching.setCookie = .private }
        let context = context(options)
        let shared = bench.stored(1, lines)
        let own = bench.stored(1, lines) { $0.partition = .credential([1]) }
        #expect(!shared.judged(context).mayStay(context) && own.judged(context).mayStay(context))
        let keyed = self.context { configuration in
            options(&configuration)
            configuration.caching.rules = [CachingRule(name: "r", keyFields: [Array("X-Key".utf8)])]
        }
        #expect(!own.judged(keyed).mayStay(keyed))
    }

    @Test("hits go on after a 304; renditions do while the tag is the same (C-14.3)")
    func freshened() {
        let stored = bench.stored(
            1,
            [("Cache-Control", "max-age=60"), ("ETag", "\"1\""), ("Content-Type", "text/plain")]
        )
        for _ in 0..<3 { stored.noteUse() }
        let renditions = stored.renditions
        func freshened(_ lines: [(String, String)]) -> StoredResponse {
            let head = ResponseHead(status: 304, fields: Workbench.fields(lines))
            return stored.freshened(by: head, bench.request(), sentAt: bench.context.now, number: 7, bench.context).0
        }
        let same = freshened([("ETag", "\"1\""), ("Cache-Control", "max-age=90")])
        #expect(same.hitCount == 3 && same.takeUses() == 0 && same.loadNumber == 7)
        #expect(same.metadata.lifetimeSeconds == 90 && same.renditions === renditions)
        #expect(freshened([("ETag", "\"2\"")]).renditions !== renditions)
    }

    @Test("a 304 that took three seconds makes the response three seconds old, and valid again")
    func slow() {
        let stored = bench.stored(1, [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]) { $0.isInvalidated = true }
        let cause = bench.cause()
        bench.world.timekeeper.advance(by: .seconds(3))
        let (head, context) = (ResponseHead(status: 304, fields: Workbench.fields([("ETag", "\"1\"")])), bench.context)
        let fresh = stored.freshened(by: head, cause, 7, context).forAll
        #expect(fresh.ageAtReceipt == 3 && fresh.receivedAt == context.now && !fresh.record.isInvalidated)
        #expect(fresh.record.responseTime == context.wallNow)
        #expect(fresh.record.requestTime.seconds == context.wallNow.seconds - 3)
        #expect(fresh.isFresh(at: context.now + .seconds(56)) && !fresh.isFresh(at: context.now + .seconds(57)))
    }

    @Test("a 304 without a cookie is for all that wait, if the response stays; with one it is its request's (H-114)")
    func forAll() {
        let stored = bench.stored(1, [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")])
        func freshened(_ lines: [(String, String)], _ request: [(String, String)] = []) -> FreshenedResponse {
            let head = ResponseHead(status: 304, fields: Workbench.fields(lines))
            return stored.freshened(by: head, bench.cause(request), 7, bench.context)
        }
        let plain = freshened([("ETag", "\"1\"")])
        #expect(plain.isForAll && plain.fate == .replace && plain.forLeader === plain.forAll)
        let removed = freshened([("Cache-Control", "no-store")])
        #expect(!removed.isForAll && removed.fate == .remove && removed.forLeader === removed.forAll)
        let cookie = freshened([("Set-Cookie", "a=b")], [("Cookie", "id=1")])
        #expect(!cookie.isForAll && !cookie.forAll.fields.contains(.setCookie))
        #expect(cookie.forLeader.fields.text(of: .setCookie) == "a=b")
        let varied = freshened([("Vary", "Accept")])
        #expect(varied.fate == .remove)
    }
}
