import ResourceDoubles
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore
import ResourceModel
import TestDoubles
import Testing
import Transforms

private let content = World.digits
private let fresh = World.freshPart

@Suite("Stored parts (RFC 9111 §3.3)")
struct PartialResponseTests {
    @Test("a 206 with freshness is stored as a part, with its place and the total, and relayed as it came (C-16.2)")
    func stored() throws {
        let world = World(store: MemoryVariantStore())
        let client = world.part("2-5")
        #expect(world.last.value(of: .range) == "bytes=2-5")
        world.answerPart(2..<6)
        #expect(client.following?.status == 206)
        #expect(client.following?.fields.text(of: .contentRange) == "bytes 2-5/10")
        #expect(client.text == "2345")
        #expect(client.outcome?.forward == .uriMiss)
        #expect(client.outcome?.isStored == true)
        let record = try #require(world.parts.first)
        #expect(record.status == 206)
        #expect(record.extent == ContentExtent(2..<6, total: 10))
        #expect(record.body.count == 4)
        // The fields are those of the whole.
        #expect(record.fields.text(of: .contentRange) == nil)
        #expect(record.fields.text(of: .contentLength) == "10")
    }

    @Test(
        "a stored part answers requests inside it (C-16.2)",
        arguments: ["2-5", "3-4", "5-5", "2-2,4-5", "-4,6-6"] as [String]
    )
    func inside(range: String) {
        let world = World()
        world.fillPart(2..<10)
        let client = world.part(range)
        #expect(client.isHit)
        #expect(client.stored?.extent == ContentExtent(2..<10, total: 10))
        #expect(world.provider.count == 1)
    }

    @Test(
        "of what a stored part does not hold the first hole is asked for alone, under the tag (C-22.1)",
        arguments: [
            ("0-2", "0-1"), ("6-6", "6-6"), ("5-6", "6-6"), ("2-", "6-9"), ("-5", "6-9"), ("2-3,6-7", "6-7"),
            ("5-20", "6-9"),
            ("0-", "0-1"),
        ]
    )
    func outside(range: String, hole: String) {
        let world = World()
        world.fillPart(2..<6)
        let client = world.part(range)
        #expect(world.provider.count == 2)
        #expect(world.last.value(of: .range) == "bytes=\(hole)")
        #expect(world.last.value(of: .ifRange) == "\"v1\"")
        #expect(client.answers == 0)
    }

    @Test(
        "without a strong tag, or beyond the end, a range goes to the origin as it was asked for (C-16.2)",
        arguments: [("0-2", "W/\"v1\""), ("5-20", "W/\"v1\""), ("20-", "\"v1\"")]
    )
    func unchanged(range: String, tag: String) {
        let world = World()
        world.fillPart(2..<6, [("Cache-Control", "max-age=60"), ("ETag", tag)])
        let client = world.part(range)
        #expect(world.last.value(of: .range) == "bytes=\(range)")
        world.answerPart(0..<1)
        #expect(client.outcome?.forward == .partial)
    }

    @Test("without a known total a part answers only what names its last byte (C-16.2)", arguments: [true, false])
    func unknownTotal(isInside: Bool) {
        let world = World()
        world.fillPart(2..<6, total: "*")
        for range in isInside ? ["2-5", "3-3,5-5"] : ["2-", "-1", "3-6"] {
            #expect(world.part(range).isHit == isInside)
        }
    }

    @Test("a stored part never answers a request for the whole, nor a HEAD (C-16.2)")
    func neverTheWhole() {
        let world = World()
        world.fillPart(0..<6)
        let whole = world.get()
        #expect(whole.answers == 0)
        #expect(world.provider.count == 2)
        #expect(world.get(method: .head).pass == .head)
        // A range under another validator is a request for the whole.
        #expect(world.part("0-1", [("If-Range", "\"v0\"")]).pass == .range)
        #expect(world.part("0-1", [("If-Range", "\"v1\"")]).isHit)
        #expect(world.get("/a", [("Cache-Control", "only-if-cached")]).refusal == .onlyIfCached)
    }

    @Test("for programs a part is no data (C-16.2)")
    func noData() {
        let world = World()
        let observer = EventRecorder()
        world.resource().addObserver(observer)
        world.fillPart(2..<6)
        #expect(world.resource().latestResponse == nil)
        #expect(world.resource().latestData == nil)
        #expect(world.resource().snapshot.sharedHit == nil)
        #expect(!world.resource().isLoading)
        #expect(observer.events == ["observerAdded"])
    }

    @Test("several ranges are requested at once, each by itself (C-16.2, C-23.0)")
    func notCollapsed() {
        let world = World()
        let one = world.part("0-1")
        let other = world.part("0-1")
        #expect(world.provider.count == 2)
        world.provider.exchanges[1].answer(206, fresh + [("Content-Range", "bytes 0-1/10")], "01")
        world.runUntilIdle()
        // The first is older, and changes nothing any more.
        world.provider.exchanges[0].answer(206, fresh + [("Content-Range", "bytes 0-1/10"), ("X-Old", "1")], "01")
        world.runUntilIdle()
        #expect(one.text == "01")
        #expect(other.text == "01")
        let hit = world.part("0-0")
        #expect(hit.isHit)
        #expect(hit.stored?.fields.values(named: Array("x-old".utf8)).isEmpty == true)
    }

    @Test(
        "a 206 whose Content-Range is malformed, or contradicts its length or what was asked, is only relayed (C-22.2, H-109)",
        arguments: [
            "bytes 2-6/10", "bytes 1-4/10", "bytes 3-6/10", "bytes 2-4/10", "bytes 2-5/5", "bytes 5-2/10",
            "lines 2-5/10", "bytes 2-5", "bytes */10",
            "bytes 2-5/x", "2-5/10", "bytes 2-99999999999999999999/*", "bytes 2-5/10, bytes 2-5/10", "bytes -5/10",
        ]
    )
    func contradictory(contentRange: String) {
        let world = World(store: MemoryVariantStore())
        let client = world.part("2-5")
        world.answerPart(2..<6, contentRange: contentRange)
        #expect(client.following?.status == 206)
        #expect(client.following?.fields.text(of: .contentRange) == contentRange)
        #expect(client.text == "2345")
        #expect(client.outcome?.isStored == false)
        #expect(client.outcome?.detail == "content-range")
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
        world.part("2-5")
        #expect(world.provider.count == 2)
    }

    @Test(
        "content without a length of its own is held to Content-Range at its end (C-22.2)",
        arguments: ["234", "23456"]
    )
    func contradictoryAtEnd(text: String) {
        let world = World(store: MemoryVariantStore())
        let client = world.part("2-5")
        world.last.head(206, fresh + [("Content-Range", "bytes 2-5/10")])
        world.last.content(text)
        world.last.end()
        world.runUntilIdle()
        #expect(client.text == text)
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
    }

    @Test("a 206 of several parts is not stored (C-22.2)")
    func multipart() {
        let world = World(store: MemoryVariantStore())
        let client = world.part("0-0,5-5")
        world.last.answer(206, fresh + [("Content-Type", "multipart/byteranges; boundary=x")], "--x--")
        world.runUntilIdle()
        #expect(client.text == "--x--")
        #expect(client.outcome?.detail == "partial-content")
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
    }

    @Test("a part whose total contradicts what is stored under the same strong tag is not stored (C-22.2)")
    func contradictsStored() {
        let world = World()
        world.fillPart(2..<6)
        let client = world.part("7-8")
        world.answerPart(7..<9, total: "11")
        #expect(client.pass == .range)
        #expect(world.part("2-3").isHit)
    }

    @Test("a 206 without a strong tag that was cut is not stored (C-16.2)")
    func cut() {
        let world = World(store: MemoryVariantStore())
        let client = world.part("2-5")
        let lines = [("Cache-Control", "max-age=60"), ("ETag", "W/\"v1\"")]
        world.last.head(206, lines + [("Content-Range", "bytes 2-5/10")], length: 4)
        world.last.content("23")
        world.last.fail(.responseIncomplete)
        world.runUntilIdle()
        #expect(client.ending == .failed)
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
    }

    @Test("a 206 with all bytes is stored as the whole (RFC 9110 §15.3.7.3) (C-16.2)")
    func allBytes() {
        let world = World(store: MemoryVariantStore())
        #expect(world.part("0-").answers == 0)
        world.answerPart(0..<10)
        let whole = world.get()
        #expect(whole.isHit)
        #expect(whole.stored?.status == 200)
        #expect(whole.text == content)
        #expect(world.store?.records(of: World.uri("/a")).first?.extent == nil)
    }

    @Test("a 200 in answer to a range is relayed, and stored as the whole (C-16.2)")
    func wholeForRange() {
        let world = World()
        let client = world.part("2-5")
        world.last.answer(200, fresh, content)
        world.runUntilIdle()
        #expect(client.following?.status == 200)
        #expect(world.get().isHit)
        #expect(world.part("2-5").isHit)
    }

    @Test("a stale part is validated by its tag; a 304 freshens it, and its place stays (C-16.2)")
    func freshened() {
        let world = World(store: MemoryVariantStore())
        world.fillPart(2..<6)
        world.timekeeper.advance(by: .seconds(61))
        let clients = (0..<10).map { _ in world.part("3-4") }
        // C-23.6
        #expect(world.provider.count == 2)
        #expect(world.last.value(of: .ifNoneMatch) == "\"v1\"")
        #expect(world.last.value(of: .range) == nil)
        world.last.answer(304, [("ETag", "\"v1\""), ("Cache-Control", "max-age=100"), ("X-New", "1")])
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.stored?.extent == ContentExtent(2..<6, total: 10) })
        world.timekeeper.advance(by: .seconds(99))
        #expect(world.part("2-2").isHit)
        #expect(world.parts.first?.extent == ContentExtent(2..<6, total: 10))
        #expect(world.parts.first?.fields.text(of: .contentLength) == "10")
    }

    @Test("who waits for the validation of a part and wants the whole asks for it then (C-16.2)")
    func wholeWaitsForPart() {
        let world = World()
        world.fillPart(0..<6)
        world.timekeeper.advance(by: .seconds(61))
        let part = world.part("3-4")
        let whole = world.get()
        world.last.answer(304, [("ETag", "\"v1\"")])
        world.runUntilIdle()
        #expect(part.stored?.extent == ContentExtent(0..<6, total: 10))
        #expect(whole.answers == 0)
        #expect(world.last.value(of: .range) == "bytes=6-")
    }

    @Test("a 200 in answer to the validation of a part takes its place (C-16.2)")
    func replaced() {
        let world = World()
        world.fillPart(2..<6)
        world.timekeeper.advance(by: .seconds(61))
        let part = world.part("3-4")
        let whole = world.get()
        #expect(world.provider.count == 2)
        world.last.answer(200, [("Cache-Control", "max-age=60"), ("ETag", "\"v2\"")], "abcdef")
        world.runUntilIdle()
        // Its part of what is new is asked for.
        #expect(part.answer == nil)
        #expect(world.last.value(of: .range) == "bytes=3-4")
        #expect(whole.text == "abcdef")
        #expect(world.get().isHit)
        let hit = world.part("0-1")
        #expect(hit.isHit)
        #expect(hit.stored?.extent == nil)
    }

    @Test("a stale part answers when the origin is gone, inside it (C-16.2)")
    func disconnected() {
        let world = World()
        world.fillPart(2..<6)
        world.timekeeper.advance(by: .seconds(61))
        let client = world.part("3-4")
        world.last.fail()
        world.runUntilIdle()
        #expect(client.outcome?.detail == "disconnected")
        world.timekeeper.advance(by: .seconds(2))
        let whole = world.get()
        world.last.fail()
        world.runUntilIdle()
        #expect(whole.failure?.status == 502)
    }

    @Test(
        "a part asked for later replaces a whole only if that may not be used as it is, and has another tag (C-16.2)",
        arguments: [("max-age=60", "\"v2\"", false), ("no-cache", "\"v1\"", false), ("no-cache", "\"v2\"", true)]
    )
    func wholeStays(control: String, tag: String, yields: Bool) {
        let world = World()
        world.get()
        let client = world.part("2-5")
        world.provider.exchanges[0].answer(200, [("Cache-Control", control), ("ETag", "\"v1\"")], content)
        world.runUntilIdle()
        world.answerPart(2..<6, [("Cache-Control", "max-age=60"), ("ETag", tag)])
        #expect(client.text == "2345")
        #expect(client.outcome?.isStored == yields)
        #expect(world.resource().latestResponse?.contentLength == (yields ? nil : 10))
        #expect(!yields || world.part("2-3").isHit)
    }

    @Test("a whole without validator stays, however stale, when a part of it comes (C-16.2)")
    func unvalidatedWholeStays() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60")], content)
        world.timekeeper.advance(by: .seconds(61))
        let client = world.part("2-5")
        #expect(world.last.value(of: .range) == "bytes=2-5")
        world.answerPart(2..<6)
        #expect(client.outcome?.isStored == false)
        #expect(client.outcome?.detail == "whole-is-stored")
        #expect(world.resource().latestResponse?.contentLength == 10)
    }

    @Test("the whole that arrives takes the place of a part of it that came meanwhile, but of no other (C-16.2)")
    func wholeArrivesLater() {
        for tag in ["\"v1\"", "\"v2\""] {
            let world = World()
            world.get()
            let exchange = world.last
            exchange.head(200, [("Cache-Control", "max-age=60"), ("ETag", tag)], length: 10)
            world.runUntilIdle()
            world.fillPart(2..<6)
            exchange.content(content)
            exchange.end()
            world.runUntilIdle()
            #expect((world.resource().latestResponse != nil) == (tag == "\"v1\""))
            #expect(world.part("2-5").isHit)
        }
    }

    @Test("Vary, credentials and no-store count for parts as for wholes (C-16.2)")
    func selection() {
        let world = World()
        world.part("0-1", [("X-Kind", "a")])
        world.answerPart(0..<2, fresh + [("Vary", "X-Kind")])
        #expect(world.part("0-1", [("X-Kind", "a")]).isHit)
        #expect(!world.part("0-1", [("X-Kind", "b")]).isHit)
        let other = World()
        other.part("0-1", [("Authorization", "x")])
        other.answerPart(0..<2)
        #expect(other.part("0-1", [("Authorization", "x")]).isHit)
        #expect(!other.part("0-1").isHit)
        #expect(!other.part("0-1", [("Authorization", "y")]).isHit)
        let third = World()
        #expect(third.part("0-1", [("Cache-Control", "no-store")]).pass == .requestNoStore)
        third.part("0-1")
        third.answerPart(0..<2, [("Cache-Control", "no-store"), ("ETag", "\"v1\"")])
        #expect(!third.part("0-1").isHit)
    }

    @Test("a purge takes parts away, an invalidation has them validated, what was under way is not stored (C-16.2)")
    func purged() {
        let world = World(store: MemoryVariantStore())
        world.fillPart(2..<6)
        world.resource().invalidate()
        world.runUntilIdle()
        world.part("2-5")
        #expect(world.last.value(of: .ifNoneMatch) == "\"v1\"")
        world.last.answer(304, fresh)
        world.runUntilIdle()
        #expect(world.part("2-5").isHit)
        world.part("7-8")
        world.resource().purge()
        world.answerPart(7..<9)
        #expect(world.parts.isEmpty)
        #expect(!world.part("2-5").isHit)
    }

    @Test("a part is found again in the store, as a part (C-16.2)")
    func foundAgain() {
        let store = MemoryVariantStore()
        World(store: store).fillPart(2..<6)
        let world = World(store: store)
        #expect(world.part("3-4").isHit)
        #expect(world.provider.count == 0)
        #expect(world.get().answers == 0)
        #expect(world.provider.count == 1)
    }

    @Test("a HEAD that speaks of the same whole freshens a part, another length marks it stale (C-16.2, C-21.7)")
    func head() {
        for (length, isHit) in [("10", true), ("11", false)] {
            let world = World()
            world.fillPart(2..<6)
            world.timekeeper.advance(by: .seconds(50))
            var head = ResponseHead(status: 200)
            for (name, value) in fresh + [("Content-Length", length)] { head.fields.append(name: name, value: value) }
            world.resource().didReceiveHead(head, for: world.request(method: .head))
            world.runUntilIdle()
            world.timekeeper.advance(by: .seconds(20))
            #expect(world.part("2-5").isHit == isHit)
        }
    }

    @Test("offline, a part serves what is inside it, however old (C-16.2)")
    func offline() {
        let world = World()
        world.fillPart(2..<6)
        world.service.configuration.mode = .offline
        world.timekeeper.advance(by: .seconds(1000))
        #expect(world.part("2-5").isHit)
        #expect(world.part("0-5").refusal == .offline)
        #expect(world.get().refusal == .offline)
    }

    @Test("an answer to conditions of the client's, or to If-Range, goes past the store (RFC 9110 §15.3.7) (C-16.2)")
    func conditional() {
        let world = World()
        #expect(world.part("2-5", [("If-None-Match", "\"x\"")]).pass == .range)
        #expect(world.part("2-5", [("If-Range", "\"x\"")]).pass == .range)
        #expect(world.provider.count == 0)
    }

    @Test("a failed request for a part is remembered, and forgotten with the next that succeeds (C-25.3)")
    func failure() {
        let world = World()
        let client = world.part("2-5")
        world.last.fail()
        world.runUntilIdle()
        #expect(client.failure?.status == 502)
        #expect(world.part("2-5").failure?.isRemembered == true)
        #expect(world.resource().latestFailure == nil)
        world.timekeeper.advance(by: .seconds(2))
        world.fillPart(2..<6)
        #expect(world.part("2-5").isHit)
    }
}
