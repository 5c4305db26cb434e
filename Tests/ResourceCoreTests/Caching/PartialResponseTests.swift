import HTTPCaching
import HTTPCore
import ResourceCore
import Testing

/// Digits, from which the origins of these tests send parts.
private let content = "0123456789"
private let fresh = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")]

extension World {
    /// A GET for a part.
    @discardableResult
    fileprivate func part(_ range: String, _ lines: [(String, String)] = []) -> Client {
        get("/a", [("Range", "bytes=\(range)")] + lines)
    }

    /// The origin answers with these octets of the content.
    fileprivate func answerPart(
        _ range: Range<Int>,
        _ lines: [(String, String)] = fresh,
        total: String? = nil,
        contentRange: String? = nil
    ) {
        let text = String(Array(content)[range])
        let value = contentRange ?? "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total ?? "\(content.count)")"
        last.answer(206, lines + [("Content-Range", value)], text)
        settle()
    }

    /// Loads a part, so that it is stored.
    fileprivate func fillPart(_ range: Range<Int>, _ lines: [(String, String)] = fresh, total: String? = nil) {
        part("\(range.lowerBound)-\(range.upperBound - 1)")
        answerPart(range, lines, total: total)
    }

    fileprivate var parts: [StoredRecord] { store?.records(of: Self.uri("/a")).filter { $0.extent != nil } ?? [] }
}

@Suite("Stored parts (RFC 9111 §3.3)")
struct PartialResponseTests {
    @Test("C-16.2 a 206 with freshness is stored as a part, with its place and the total, and relayed as it came")
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
        "C-16.2 a stored part answers requests inside it",
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
        "C-16.2 what a stored part does not hold goes to the origin as it was asked for",
        arguments: ["0-2", "6-6", "5-6", "2-", "-5", "2-3,6-7", "5-20", "0-", "20-"] as [String]
    )
    func outside(range: String) {
        let world = World()
        world.fillPart(2..<6)
        let client = world.part(range)
        #expect(world.provider.count == 2)
        #expect(world.last.value(of: .range) == "bytes=\(range)")
        world.answerPart(0..<1)
        #expect(client.outcome?.forward == .partial)
    }

    @Test("C-16.2 without a known total a part answers only what names its last octet", arguments: [true, false])
    func unknownTotal(isInside: Bool) {
        let world = World()
        world.fillPart(2..<6, total: "*")
        for range in isInside ? ["2-5", "3-3,5-5"] : ["2-", "-1", "3-6"] {
            #expect(world.part(range).isHit == isInside)
        }
    }

    @Test("C-16.2 a stored part never answers a request for the whole, nor a HEAD")
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

    @Test("C-16.2 for programs a part is no data")
    func noData() {
        let world = World()
        let observer = EventRecorder()
        world.resource().addObserver(observer)
        world.fillPart(2..<6)
        #expect(world.resource().latestResponse == nil)
        #expect(world.resource().latestData == nil)
        #expect(world.resource().snapshot.plain == nil)
        #expect(!world.resource().isLoading)
        #expect(observer.events == ["observerAdded"])
    }

    @Test("C-16.2 several ranges are requested at once, each by itself (C-23.0)")
    func notCollapsed() {
        let world = World()
        let one = world.part("0-1")
        let other = world.part("0-1")
        #expect(world.provider.count == 2)
        world.provider.exchanges[1].answer(206, fresh + [("Content-Range", "bytes 0-1/10")], "01")
        world.settle()
        // The first is older, and changes nothing any more.
        world.provider.exchanges[0].answer(206, fresh + [("Content-Range", "bytes 0-1/10"), ("X-Old", "1")], "01")
        world.settle()
        #expect(one.text == "01")
        #expect(other.text == "01")
        let hit = world.part("0-0")
        #expect(hit.isHit)
        #expect(hit.stored?.fields.values(named: Array("x-old".utf8)).isEmpty == true)
    }

    @Test(
        "C-22.2 a 206 whose Content-Range is malformed, or contradicts its length or what was asked, is only relayed (H-109)",
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
        "C-22.2 content without a length of its own is held to Content-Range at its end",
        arguments: ["234", "23456"]
    )
    func contradictoryAtEnd(text: String) {
        let world = World(store: MemoryVariantStore())
        let client = world.part("2-5")
        world.last.head(206, fresh + [("Content-Range", "bytes 2-5/10")])
        world.last.content(text)
        world.last.end()
        world.settle()
        #expect(client.text == text)
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
    }

    @Test("C-22.2 a 206 of several parts is not stored")
    func multipart() {
        let world = World(store: MemoryVariantStore())
        let client = world.part("0-0,5-5")
        world.last.answer(206, fresh + [("Content-Type", "multipart/byteranges; boundary=x")], "--x--")
        world.settle()
        #expect(client.text == "--x--")
        #expect(client.outcome?.detail == "partial-content")
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
    }

    @Test("C-22.2 a part whose total contradicts what is stored under the same strong tag is not stored")
    func contradictsStored() {
        let world = World()
        world.fillPart(2..<6)
        let client = world.part("7-8")
        world.answerPart(7..<9, total: "11")
        #expect(client.outcome?.isStored == false)
        #expect(client.outcome?.detail == "content-range")
        #expect(world.part("2-3").isHit)
    }

    @Test("C-16.2 a 206 that was cut is not stored")
    func cut() {
        let world = World(store: MemoryVariantStore())
        let client = world.part("2-5")
        world.last.head(206, fresh + [("Content-Range", "bytes 2-5/10")], length: 4)
        world.last.content("23")
        world.last.fail(.responseIncomplete, begun: true)
        world.settle()
        #expect(client.ending == .failed)
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
    }

    @Test("C-16.2 a 206 with all octets is stored as the whole (RFC 9110 §15.3.7.3)")
    func allOctets() {
        let world = World(store: MemoryVariantStore())
        #expect(world.part("0-").answers == 0)
        world.answerPart(0..<10)
        let whole = world.get()
        #expect(whole.isHit)
        #expect(whole.stored?.status == 200)
        #expect(whole.text == content)
        #expect(world.store?.records(of: World.uri("/a")).first?.extent == nil)
    }

    @Test("C-16.2 a 200 in answer to a range is relayed, and stored as the whole")
    func wholeForRange() {
        let world = World()
        let client = world.part("2-5")
        world.last.answer(200, fresh, content)
        world.settle()
        #expect(client.following?.status == 200)
        #expect(world.get().isHit)
        #expect(world.part("2-5").isHit)
    }

    @Test("C-16.2 a stale part is validated by its tag; a 304 freshens it, and its place stays")
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
        world.settle()
        #expect(clients.allSatisfy { $0.stored?.extent == ContentExtent(2..<6, total: 10) })
        world.timekeeper.advance(by: .seconds(99))
        #expect(world.part("2-2").isHit)
        #expect(world.parts.first?.extent == ContentExtent(2..<6, total: 10))
        #expect(world.parts.first?.fields.text(of: .contentLength) == "10")
    }

    @Test("C-16.2 who waits for the validation of a part and wants the whole asks for it then")
    func wholeWaitsForPart() {
        let world = World()
        world.fillPart(0..<6)
        world.timekeeper.advance(by: .seconds(61))
        let part = world.part("3-4")
        let whole = world.get()
        world.last.answer(304, [("ETag", "\"v1\"")])
        world.settle()
        #expect(part.stored?.extent == ContentExtent(0..<6, total: 10))
        #expect(whole.answers == 0)
        #expect(world.last.value(of: .range) == "bytes=6-")
    }

    @Test("C-16.2 a 200 in answer to the validation of a part takes its place")
    func replaced() {
        let world = World()
        world.fillPart(2..<6)
        world.timekeeper.advance(by: .seconds(61))
        let part = world.part("3-4")
        let whole = world.get()
        #expect(world.provider.count == 2)
        world.last.answer(200, [("Cache-Control", "max-age=60"), ("ETag", "\"v2\"")], "abcdef")
        world.settle()
        // It is free to ask for its part of what is new.
        #expect(part.pass == .range)
        #expect(whole.text == "abcdef")
        #expect(world.get().isHit)
        let hit = world.part("0-1")
        #expect(hit.isHit)
        #expect(hit.stored?.extent == nil)
    }

    @Test("C-16.2 a stale part answers when the origin is gone, inside it")
    func disconnected() {
        let world = World()
        world.fillPart(2..<6)
        world.timekeeper.advance(by: .seconds(61))
        let client = world.part("3-4")
        world.last.fail()
        world.settle()
        #expect(client.outcome?.detail == "disconnected")
        world.timekeeper.advance(by: .seconds(2))
        let whole = world.get()
        world.last.fail()
        world.settle()
        #expect(whole.failure?.status == 502)
    }

    @Test(
        "C-16.2 a part asked for later replaces a whole only if that may not be used as it is, and has another tag",
        arguments: [("max-age=60", "\"v2\"", false), ("no-cache", "\"v1\"", false), ("no-cache", "\"v2\"", true)]
    )
    func wholeStays(control: String, tag: String, yields: Bool) {
        let world = World()
        world.get()
        let client = world.part("2-5")
        world.provider.exchanges[0].answer(200, [("Cache-Control", control), ("ETag", "\"v1\"")], content)
        world.settle()
        world.answerPart(2..<6, [("Cache-Control", "max-age=60"), ("ETag", tag)])
        #expect(client.text == "2345")
        #expect(client.outcome?.isStored == yields)
        #expect(world.resource().latestResponse?.contentLength == (yields ? nil : 10))
        #expect(!yields || world.part("2-3").isHit)
    }

    @Test("C-16.2 a whole without validator stays, however stale, when a part of it comes")
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

    @Test("C-16.2 the whole that arrives takes the place of a part of it that came meanwhile, but of no other")
    func wholeArrivesLater() {
        for tag in ["\"v1\"", "\"v2\""] {
            let world = World()
            world.get()
            let exchange = world.last
            exchange.head(200, [("Cache-Control", "max-age=60"), ("ETag", tag)], length: 10)
            world.settle()
            world.fillPart(2..<6)
            exchange.content(content)
            exchange.end()
            world.settle()
            #expect((world.resource().latestResponse != nil) == (tag == "\"v1\""))
            #expect(world.part("2-5").isHit)
        }
    }

    @Test("C-16.2 Vary, credentials and no-store count for parts as for wholes")
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

    @Test("C-16.2 a purge takes parts away, an invalidation has them validated, what was under way is not stored")
    func purged() {
        let world = World(store: MemoryVariantStore())
        world.fillPart(2..<6)
        world.resource().invalidate()
        world.settle()
        world.part("2-5")
        #expect(world.last.value(of: .ifNoneMatch) == "\"v1\"")
        world.last.answer(304, fresh)
        world.settle()
        #expect(world.part("2-5").isHit)
        world.part("7-8")
        world.resource().purge()
        world.answerPart(7..<9)
        #expect(world.parts.isEmpty)
        #expect(!world.part("2-5").isHit)
    }

    @Test("C-16.2 a part is found again in the store, as a part")
    func foundAgain() {
        let store = MemoryVariantStore()
        World(store: store).fillPart(2..<6)
        let world = World(store: store)
        #expect(world.part("3-4").isHit)
        #expect(world.provider.count == 0)
        #expect(world.get().answers == 0)
        #expect(world.provider.count == 1)
    }

    @Test("C-16.2 a HEAD that speaks of the same whole freshens a part, another length marks it stale (C-21.7)")
    func head() {
        for (length, isHit) in [("10", true), ("11", false)] {
            let world = World()
            world.fillPart(2..<6)
            world.timekeeper.advance(by: .seconds(50))
            var head = ResponseHead(status: 200)
            for (name, value) in fresh + [("Content-Length", length)] { head.fields.append(name: name, value: value) }
            world.resource().didReceiveHead(head, for: world.request(method: .head))
            world.settle()
            world.timekeeper.advance(by: .seconds(20))
            #expect(world.part("2-5").isHit == isHit)
        }
    }

    @Test("C-16.2 offline, a part serves what is inside it, however old")
    func offline() {
        let world = World()
        world.fillPart(2..<6)
        world.service.configuration.mode = .offline
        world.timekeeper.advance(by: .seconds(1000))
        #expect(world.part("2-5").isHit)
        #expect(world.part("0-5").refusal == .offline)
        #expect(world.get().refusal == .offline)
    }

    @Test("C-16.2 an answer to conditions of the client's, or to If-Range, goes past the store (RFC 9110 §15.3.7)")
    func conditional() {
        let world = World()
        #expect(world.part("2-5", [("If-None-Match", "\"x\"")]).pass == .range)
        #expect(world.part("2-5", [("If-Range", "\"x\"")]).pass == .range)
        #expect(world.provider.count == 0)
    }

    @Test("C-25.3 a failed request for a part is remembered, and forgotten with the next that succeeds")
    func failure() {
        let world = World()
        let client = world.part("2-5")
        world.last.fail()
        world.settle()
        #expect(client.failure?.status == 502)
        #expect(world.part("2-5").failure?.isRemembered == true)
        #expect(world.resource().latestFailure == nil)
        world.timekeeper.advance(by: .seconds(2))
        world.fillPart(2..<6)
        #expect(world.part("2-5").isHit)
    }
}

@Suite("Completing stored parts (RFC 9111 §3.4)")
struct CompletionTests {
    private static let rest = fresh + [("Content-Range", "bytes 4-9/10")]

    @Test("C-16.3 the rest is asked for under the strong tag, and both are the whole: streamed, then stored")
    func completed() throws {
        let world = World(store: MemoryVariantStore())
        world.fillPart(0..<4, fresh + [("X-Old", "1"), ("X-Both", "1")])
        world.timekeeper.advance(by: .seconds(10))
        let client = world.get()
        #expect(world.last.value(of: .range) == "bytes=4-")
        #expect(world.last.value(of: .ifRange) == "\"v1\"")
        // Nothing is given out before the origin has told that it is the same.
        #expect(client.answers == 0)
        world.last.head(206, Self.rest + [("X-Both", "2")], length: 6)
        world.settle()
        #expect(client.following?.status == 200)
        #expect(client.following?.contentLength == 10)
        #expect(client.outcome?.forward == .partial)
        #expect(client.outcome?.forwardStatus == 206)
        #expect(client.text == "0123")
        world.last.content("456")
        world.settle()
        #expect(client.text == "0123456")
        #expect(world.parts.count == 1)
        world.last.content("789")
        world.last.end()
        world.settle()
        #expect(client.ending == .complete)
        #expect(client.text == content)
        let record = try #require(world.store?.records(of: World.uri("/a")).first)
        #expect(record.extent == nil)
        #expect(record.status == 200)
        #expect(record.fields.text(of: .contentLength) == "10")
        #expect(record.fields.text(of: .contentRange) == nil)
        #expect(record.fields.values(named: Array("x-both".utf8)).map { String(decoding: $0, as: UTF8.self) } == ["2"])
        #expect(record.fields.values(named: Array("x-old".utf8)).count == 1)
        let hit = world.get()
        #expect(hit.isHit)
        #expect(hit.text == content)
        #expect(hit.stored?.currentAge(at: world.timekeeper.now) == 0)
    }

    @Test("C-16.3 a 200 is used whole, whatever was held", arguments: ["\"v1\"", "\"v2\""])
    func whole(tag: String) {
        let world = World()
        world.fillPart(0..<4)
        let client = world.get()
        world.last.answer(200, [("Cache-Control", "max-age=60"), ("ETag", tag)], "abcdef")
        world.settle()
        #expect(client.text == "abcdef")
        #expect(world.provider.count == 2)
        #expect(world.get().text == "abcdef")
    }

    @Test("C-16.3 without a strong tag the rest is asked for without If-Range", arguments: ["W/\"v1\"", ""])
    func weak(tag: String) {
        let world = World()
        let lines = [("Cache-Control", "max-age=60")] + (tag.isEmpty ? [] : [("ETag", tag)])
        world.fillPart(0..<4, lines)
        let client = world.get()
        #expect(world.last.value(of: .range) == "bytes=4-")
        #expect(world.last.value(of: .ifRange) == nil)
        world.last.head(206, lines + [("Content-Range", "bytes 4-9/10")], length: 6)
        world.settle()
        // What cannot be put together is asked for once more as a whole; the client has got nothing.
        #expect(client.answers == 0)
        #expect(world.provider.exchanges[1].isCancelled)
        #expect(world.provider.count == 3)
        #expect(world.last.value(of: .range) == nil)
        world.last.answer(200, lines, content)
        world.settle()
        #expect(client.text == content)
        #expect(client.following?.status == 200)
    }

    @Test(
        "C-16.3 a 206 that does not continue what is held is not combined, the whole is asked for",
        arguments: [
            ("\"v2\"", "bytes 4-9/10"), ("W/\"v1\"", "bytes 4-9/10"), ("\"v1\"", "bytes 5-9/10"),
            ("\"v1\"", "bytes 3-9/10"), ("\"v1\"", "bytes 4-8/10"), ("\"v1\"", "bytes 4-9/*"),
            ("\"v1\"", "bytes 4-10/11"), ("\"v1\"", "bytes 4-9/10, bytes 4-9/10"), ("\"v1\"", ""), ("", "bytes 4-9/10"),
        ]
    )
    func notCombined(tag: String, contentRange: String) {
        let world = World(store: MemoryVariantStore())
        world.fillPart(0..<4)
        let client = world.get()
        var lines = [("Cache-Control", "max-age=60")]
        if !tag.isEmpty { lines.append(("ETag", tag)) }
        if !contentRange.isEmpty { lines.append(("Content-Range", contentRange)) }
        world.last.head(206, lines, length: 6)
        world.settle()
        #expect(client.answers == 0)
        #expect(world.provider.count == 3)
        #expect(world.last.value(of: .range) == nil)
        #expect(world.last.value(of: .ifRange) == nil)
        world.last.answer(200, [("ETag", "\"v2\""), ("Cache-Control", "max-age=60")], "abc")
        world.settle()
        #expect(client.text == "abc")
        #expect(world.parts.isEmpty)
    }

    @Test("C-16.3 another Last-Modified under the same tag is not relied on")
    func otherDate() {
        let world = World()
        world.fillPart(0..<4, fresh + [("Last-Modified", httpDate(900_000))])
        world.get()
        world.last.head(206, Self.rest + [("Last-Modified", httpDate(900_001))], length: 6)
        world.settle()
        #expect(world.provider.count == 3)
    }

    @Test("C-16.3 a 416 has the whole asked for: it may be shorter by now, or no longer than what is held")
    func notSatisfiable() {
        let world = World()
        world.fillPart(0..<4, total: "*")
        let client = world.get()
        world.last.answer(416, [("Content-Range", "bytes */4")])
        world.settle()
        #expect(world.last.value(of: .range) == nil)
        world.last.answer(200, fresh, "0123")
        world.settle()
        #expect(client.text == "0123")
    }

    @Test("C-16.3 a rest that is cut cuts the client; the part stays", arguments: [true, false])
    func cut(failsBeforeHead: Bool) {
        let world = World(store: MemoryVariantStore())
        world.fillPart(0..<4)
        let client = world.get()
        if !failsBeforeHead {
            world.last.head(206, Self.rest, length: 6)
            world.last.content("45")
            world.settle()
        }
        world.last.fail(.responseIncomplete, begun: !failsBeforeHead)
        world.settle()
        if failsBeforeHead { #expect(client.failure?.status == 502) } else { #expect(client.ending == .failed) }
        #expect(world.parts.count == 1)
        #expect(world.part("0-3").isHit)
    }

    @Test(
        "C-16.3 a rest of another length than announced is a cut, and is not stored",
        arguments: ["45678", "4567890"]
    )
    func otherLength(text: String) {
        let world = World(store: MemoryVariantStore())
        world.fillPart(0..<4)
        let client = world.get()
        world.last.head(206, Self.rest)
        world.last.content(text)
        world.last.end()
        world.settle()
        #expect(client.ending == .failed)
        #expect(client.octetCount <= 10)
        #expect(world.store?.records(of: World.uri("/a")).allSatisfy { $0.extent != nil } == true)
        #expect(!world.resource().isLoading)
    }

    @Test("C-16.3 requests for the whole share the completion; ranges inside the part do not wait for it")
    func shared() {
        let world = World()
        world.fillPart(0..<4)
        let clients = (0..<5).map { _ in world.get() }
        #expect(world.provider.count == 2)
        #expect(world.part("1-2").isHit)
        world.last.head(206, Self.rest, length: 6)
        world.settle()
        let late = world.get()
        world.last.content("456789")
        world.last.end()
        world.settle()
        #expect((clients + [late]).allSatisfy { $0.text == content })
        #expect(world.provider.count == 2)
    }

    @Test("C-16.3 a stale or invalidated part is completed too: the same tag is its validation")
    func stale() {
        let world = World()
        world.fillPart(0..<4, [("Cache-Control", "max-age=60, must-revalidate"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(61))
        world.resource().invalidate()
        let client = world.get()
        world.last.answer(206, Self.rest, "456789")
        world.settle()
        #expect(client.text == content)
        #expect(world.get().isHit)
    }

    @Test("C-16.3 a purge amid the completion: its clients are served, nothing is stored")
    func purged() {
        let world = World(store: MemoryVariantStore())
        world.fillPart(0..<4)
        let client = world.get()
        world.last.head(206, Self.rest, length: 6)
        world.settle()
        world.resource().purge()
        world.last.content("456789")
        world.last.end()
        world.settle()
        #expect(client.text == content)
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
    }

    @Test("C-16.3 a part in a file is put before the rest by workers, as fast as it is taken; the rest waits")
    func prefixInFile() throws {
        let octets = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        let store = MemoryVariantStore()
        var record = try Self.record(Array(octets[..<2_500_000]), total: 3_000_000)
        record.body = .file(MemoryBodyFile(Array(octets[..<2_500_000])))
        store.put(record)
        store.refuseBodies()
        let world = World(store: store)
        let client = world.get(isReading: false)
        #expect(world.last.value(of: .range) == "bytes=2500000-")
        world.last.head(
            206,
            [("ETag", "\"v1\""), ("Content-Range", "bytes 2500000-2999999/3000000"), ("Cache-Control", "max-age=9")],
            length: 500_000
        )
        world.settle()
        let body = try #require(client.following?.body)
        // Nobody reads: no more is taken from the file than may wait, and the origin may send what it could from the start.
        #expect(body.received <= 512 * 1024)
        let exchange = world.last
        exchange.content(Array(octets[2_500_000..<2_700_000]))
        world.settle()
        #expect(body.received <= 512 * 1024)
        client.beginReading(body)
        world.settle()
        #expect(client.octetCount == 2_700_000)
        exchange.content(Array(octets[2_700_000...]))
        exchange.end()
        world.settle()
        #expect(client.ending == .complete)
        #expect(client.octets == octets)
    }

    @Test("C-16.3 workers that are all busy only delay the first part; one that is damaged cuts, and is dropped")
    func prefixTrouble() throws {
        for isDamaged in [false, true] {
            let store = MemoryVariantStore()
            var record = try Self.record(Array("0123".utf8), total: 10)
            record.body = .file(isDamaged ? DamagedFile() : MemoryBodyFile(Array("0123".utf8)))
            store.put(record)
            let world = World(store: store)
            let client = world.get()
            world.workers.isFull = true
            world.last.head(206, Self.rest, length: 6)
            world.last.content("456789")
            world.last.end()
            world.settle()
            #expect(client.text.isEmpty)
            world.workers.isFull = false
            world.timekeeper.advance(by: .milliseconds(10))
            world.settle()
            #expect(client.ending == (isDamaged ? .failed : .complete))
            #expect(client.text == (isDamaged ? "" : content))
            #expect(!world.resource().isLoading)
        }
    }

    @Test("C-16.3 a client that leaves amid a first part from a file ends the completion, and nothing stays")
    func leavesAmidPrefix() throws {
        let store = MemoryVariantStore()
        var record = try Self.record([UInt8](repeating: 1, count: 9_000_000), total: 90_000_000)
        record.body = .file(MemoryBodyFile([UInt8](repeating: 1, count: 9_000_000)))
        store.put(record)
        let world = World(store: store)
        let client = world.get(isReading: false)
        let lines = [("ETag", "\"v1\""), ("Content-Range", "bytes 9000000-89999999/90000000")]
        world.last.head(206, lines, length: 81_000_000)
        world.settle()
        weak let body = client.following?.body
        #expect(body != nil)
        client.leave()
        world.settle()
        #expect(world.last.isCancelled)
        #expect(!world.resource().isLoading)
        client.forget()
        world.settle()
        #expect(body == nil)
    }

    /// The first octets, stored under the tag of the origin, fresh.
    private static func record(_ octets: [UInt8], total: Int64) throws -> StoredRecord {
        var fields = Fields()
        for (name, value) in fresh { fields.append(name: name, value: value) }
        let time = HTTPDate(seconds: 1_000_000)
        return StoredRecord(
            uri: World.uri("/a"),
            partition: .shared,
            selection: [],
            status: 206,
            reason: [],
            fields: fields,
            requestFields: Fields(),
            requestTime: time,
            responseTime: time,
            isInvalidated: false,
            body: .octets([ByteChunk(octets)]),
            extent: ContentExtent(0..<Int64(octets.count), total: total)
        )
    }

    @Test("C-16.3 a part that does not begin at the first octet is of no use for the whole")
    func notFirst() {
        let world = World()
        world.fillPart(2..<6)
        let client = world.get()
        #expect(world.last.value(of: .range) == nil)
        world.last.answer(200, fresh, content)
        world.settle()
        #expect(client.outcome?.forward == .partial)
    }
}

/// A body file whose octets are not what was stored.
private final class DamagedFile: BodyFile {
    let count: Int64 = 4
    let descriptor: Int32 = 99

    func read(_ count: Int, at offset: Int64) -> [UInt8]? { nil }
    func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) { completion(false) }
}
