import ResourceDoubles
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore
import TestDoubles
import Testing

/// Wall-clock dates of the test's clock, which begins at 1,000,000 s.
func httpDate(_ seconds: Int64) -> String { String(decoding: HTTPDate(seconds: seconds).bytes, as: UTF8.self) }

@Suite("Ground rules of caching")
struct GroundRuleTests {
    private static let lines = [
        ("Date", httpDate(999_990)), ("Expires", httpDate(1_000_060)), ("Vary", "Accept"), ("ETag", "\"v1\""),
        ("X-Unknown", "a"), ("x-unknown", "b"), ("Content-Encoding", "unknown"), ("Content-Language", "de"),
    ]

    @Test("status, content, Date, Expires, Vary, ETag and unknown fields come from the store as they came (C-0.4)")
    func unchanged() {
        let world = World()
        world.get()
        world.last.answer(203, Self.lines, "abc")
        world.runUntilIdle()
        let stored = world.get().stored
        #expect(stored?.status == 203)
        let fields = stored?.reusableFields ?? Fields()
        let text = fields.lines.map { line in
            String(decoding: fields.name(of: line) + Array(": ".utf8) + fields.value(of: line), as: UTF8.self)
        }
        #expect(text.filter { !$0.hasPrefix("Content-Length") } == Self.lines.map { "\($0.0): \($0.1)" })
        #expect(world.get().text == "abc")
        // Neither is freshness lengthened: 70 s by the origin's clock, 10 of them gone on arrival.
        #expect(stored?.ttl(at: world.timekeeper.now) == 60)
    }

    @Test("a missing Date is added, one that cannot be read stays (C-0.4)")
    func dateAdded() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60")])
        #expect(world.get("/a").stored?.fields.text(of: .date) == httpDate(1_000_000))
        world.fill("/b", [("Cache-Control", "max-age=60"), ("Date", "yesterday")])
        #expect(world.get("/b").stored?.fields.text(of: .date) == "yesterday")
    }

    @Test("a request whose exchange fails, or is answered with an error, is not sent again by itself (C-0.5)")
    func sentOnce() {
        let world = World()
        world.get("/a")
        world.last.fail(.responseIncomplete)
        world.runUntilIdle()
        #expect(world.provider.count == 1)
        for status in [500, 502, 503, 504] as [UInt16] {
            world.get("/\(status)")
            world.last.answer(status, [("Retry-After", "0")], "down")
            world.runUntilIdle()
        }
        #expect(world.provider.count == 5)
    }

    @Test("whatever the status, stale is validated, served to max-stale and when the origin is gone (C-10.2)")
    func staleStatuses() {
        for status in [200, 204, 299, 302, 404, 410, 500, 503, 599] as [UInt16] {
            let world = World()
            let path = "/\(status)"
            world.get(path)
            world.last.answer(status, [("Cache-Control", "max-age=60"), ("ETag", "\"v\"")])
            world.runUntilIdle()
            world.timekeeper.advance(by: .seconds(59))
            #expect(world.get(path).isHit)
            world.timekeeper.advance(by: .seconds(1))
            #expect(world.get(path, [("Cache-Control", "max-stale")]).outcome?.detail == "max-stale")
            #expect(world.provider.count == 1)
            let client = world.get(path)
            #expect(world.last.value(of: .ifNoneMatch) == "\"v\"")
            world.last.fail()
            world.runUntilIdle()
            #expect(client.stored?.status == status)
            #expect(client.outcome?.detail == "disconnected")
        }
    }

    @Test(
        "of several variants that match, the one with the latest Date answers (C-11.5)",
        arguments: [-5, 5] as [Int64]
    )
    func latestDate(offset: Int64) {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=600"), ("Date", httpDate(1_000_000))], "plain")
        world.get("/a", [("Cache-Control", "no-cache"), ("X-Kind", "a")])
        let lines = [("Cache-Control", "max-age=600"), ("Date", httpDate(1_000_000 + offset)), ("Vary", "X-Kind")]
        world.last.answer(200, lines, "kind a")
        world.runUntilIdle()
        #expect(world.get("/a", [("X-Kind", "a")]).text == (offset > 0 ? "kind a" : "plain"))
        #expect(world.get("/a", [("X-Kind", "b")]).text == "plain")
        #expect(world.provider.count == 2)
    }

    @Test("a new variant does not evict others (C-11.1)")
    func variantsStay() {
        let world = World()
        for kind in ["a", "b", "c"] {
            world.get("/a", [("X-Kind", kind)])
            world.last.answer(200, [("Cache-Control", "max-age=60"), ("Vary", "X-Kind")], kind)
            world.runUntilIdle()
        }
        for kind in ["a", "b", "c"] { #expect(world.get("/a", [("X-Kind", kind)]).text == kind) }
        #expect(world.provider.count == 3)
    }

    @Test("a validation goes out with the fields that Vary nominates, as the client presents them (C-13.2)")
    func nominatedFields() {
        let world = World()
        let kind = [("X-Kind", "a, b"), ("Accept-Language", "de, en;q=0.5")]
        world.get("/a", kind)
        let vary = ("Vary", "X-Kind, Accept-Language")
        world.last.answer(200, [("Cache-Control", "max-age=60"), ("ETag", "\"v\""), vary], "x")
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(61))
        world.get("/a", [("X-Kind", "a,b"), ("Accept-Language", "de, en; q=0.5")])
        #expect(world.last.value(of: .ifNoneMatch) == "\"v\"")
        #expect(world.last.request.fields.values(named: Array("x-kind".utf8)) == [Array("a,b".utf8)])
        #expect(world.last.value(of: .acceptLanguage) == "de, en; q=0.5")
    }

    @Test("the query is part of the key, and no obstacle (C-17.4)")
    func query() {
        let world = World()
        world.fill("/a?x=1", [("Cache-Control", "max-age=60")], "one")
        world.fill("/a?x=2", [("Cache-Control", "max-age=60")], "two")
        #expect(world.get("/a?x=1").text == "one")
        #expect(world.get("/a?x=2").text == "two")
        #expect(world.get("/a?x=1").isHit)
        #expect(world.provider.count == 2)
        world.get("/a")
        #expect(world.provider.count == 3)
    }
}
