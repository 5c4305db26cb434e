import Exchanges
import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing
import Transforms

private let content = World.digits
private let fresh = World.freshPart

@Suite("Completing stored parts (RFC 9111 §3.4)")
struct CompletionTests {
    private static let rest = fresh + [("Content-Range", "bytes 4-9/10")]

    @Test("the rest is asked for under the strong tag, and both are the whole: streamed, then stored (C-16.3)")
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
        world.runUntilIdle()
        #expect(client.following?.status == 200)
        #expect(client.following?.contentLength == 10)
        #expect(client.outcome?.forward == .partial)
        #expect(client.outcome?.forwardStatus == 206)
        #expect(client.text == "0123")
        world.last.content("456")
        world.runUntilIdle()
        #expect(client.text == "0123456")
        #expect(world.parts.count == 1)
        world.last.content("789")
        world.last.end()
        world.runUntilIdle()
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

    @Test("a 200 is used whole, whatever was held (C-16.3)", arguments: ["\"v1\"", "\"v2\""])
    func whole(tag: String) {
        let world = World()
        world.fillPart(0..<4)
        let client = world.get()
        world.last.answer(200, [("Cache-Control", "max-age=60"), ("ETag", tag)], "abcdef")
        world.runUntilIdle()
        #expect(client.text == "abcdef")
        #expect(world.provider.count == 2)
        #expect(world.get().text == "abcdef")
    }

    @Test("without a strong tag the rest is asked for without If-Range (C-16.3)", arguments: ["W/\"v1\"", ""])
    func weak(tag: String) {
        let world = World()
        let lines = [("Cache-Control", "max-age=60")] + (tag.isEmpty ? [] : [("ETag", tag)])
        world.fillPart(0..<4, lines)
        let client = world.get()
        #expect(world.last.value(of: .range) == "bytes=4-")
        #expect(world.last.value(of: .ifRange) == nil)
        world.last.head(206, lines + [("Content-Range", "bytes 4-9/10")], length: 6)
        world.runUntilIdle()
        // What cannot be put together is asked for once more as a whole; the client has got nothing.
        #expect(client.answers == 0)
        #expect(world.provider.exchanges[1].isCancelled)
        #expect(world.provider.count == 3)
        #expect(world.last.value(of: .range) == nil)
        world.last.answer(200, lines, content)
        world.runUntilIdle()
        #expect(client.text == content)
        #expect(client.following?.status == 200)
    }

    @Test(
        "a 206 that does not continue what is held is not combined, the whole is asked for (C-16.3)",
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
        world.runUntilIdle()
        #expect(client.answers == 0)
        #expect(world.provider.count == 3)
        #expect(world.last.value(of: .range) == nil)
        #expect(world.last.value(of: .ifRange) == nil)
        world.last.answer(200, [("ETag", "\"v2\""), ("Cache-Control", "max-age=60")], "abc")
        world.runUntilIdle()
        #expect(client.text == "abc")
        #expect(world.parts.isEmpty)
    }

    @Test("another Last-Modified under the same tag is not relied on (C-16.3)")
    func otherDate() {
        let world = World()
        world.fillPart(0..<4, fresh + [("Last-Modified", httpDate(900_000))])
        world.get()
        world.last.head(206, Self.rest + [("Last-Modified", httpDate(900_001))], length: 6)
        world.runUntilIdle()
        #expect(world.provider.count == 3)
    }

    @Test("a 416 has the whole asked for: it may be shorter by now, or no longer than what is held (C-16.3)")
    func notSatisfiable() {
        let world = World()
        world.fillPart(0..<4, total: "*")
        let client = world.get()
        world.last.answer(416, [("Content-Range", "bytes */4")])
        world.runUntilIdle()
        #expect(world.last.value(of: .range) == nil)
        world.last.answer(200, fresh, "0123")
        world.runUntilIdle()
        #expect(client.text == "0123")
    }

    @Test("a rest that is cut cuts the client; the part stays (C-16.3)", arguments: [true, false])
    func cut(failsBeforeHead: Bool) {
        let world = World(store: MemoryVariantStore())
        world.fillPart(0..<4)
        let client = world.get()
        #expect(world.last.value(of: .range) == "bytes=4-")
        if !failsBeforeHead {
            world.last.head(206, Self.rest, length: 6)
            world.last.content("45")
            world.runUntilIdle()
        }
        world.last.fail(.responseIncomplete)
        world.runUntilIdle()
        // What the client has had is gone on with a few times.
        for _ in 0..<4 where !failsBeforeHead {
            #expect(world.last.value(of: .range) == "bytes=6-")
            world.last.fail(.connectionRefused)
            world.runUntilIdle()
            world.timekeeper.advance(by: .seconds(2))
            world.runUntilIdle()
        }
        if failsBeforeHead { #expect(client.failure?.status == 502) } else { #expect(client.ending == .failed) }
        #expect(world.parts.count == 1)
        #expect(world.part("0-3").isHit)
    }

    @Test(
        "a rest of another length than announced is a cut, and is not stored (C-16.3)",
        arguments: ["45678", "4567890"]
    )
    func otherLength(text: String) {
        let world = World(store: MemoryVariantStore())
        world.fillPart(0..<4)
        let client = world.get()
        world.last.head(206, Self.rest)
        world.last.content(text)
        world.last.end()
        world.runUntilIdle()
        #expect(client.ending == .failed)
        #expect(client.byteCount <= 10)
        #expect(world.store?.records(of: World.uri("/a")).allSatisfy { $0.extent != nil } == true)
        #expect(!world.resource().isLoading)
    }

    @Test("requests for the whole share the completion; ranges inside the part do not wait for it (C-16.3)")
    func shared() {
        let world = World()
        world.fillPart(0..<4)
        let clients = (0..<5).map { _ in world.get() }
        #expect(world.provider.count == 2)
        #expect(world.part("1-2").isHit)
        world.last.head(206, Self.rest, length: 6)
        world.runUntilIdle()
        let late = world.get()
        world.last.content("456789")
        world.last.end()
        world.runUntilIdle()
        #expect((clients + [late]).allSatisfy { $0.text == content })
        #expect(world.provider.count == 2)
    }

    @Test("a stale or invalidated part is completed too: the same tag is its validation (C-16.3)")
    func stale() {
        let world = World()
        world.fillPart(0..<4, [("Cache-Control", "max-age=60, must-revalidate"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(61))
        world.resource().invalidate()
        let client = world.get()
        world.last.answer(206, Self.rest, "456789")
        world.runUntilIdle()
        #expect(client.text == content)
        #expect(world.get().isHit)
    }

    @Test("a purge amid the completion: its clients are served, nothing is stored (C-16.3)")
    func purged() {
        let world = World(store: MemoryVariantStore())
        world.fillPart(0..<4)
        let client = world.get()
        world.last.head(206, Self.rest, length: 6)
        world.runUntilIdle()
        world.resource().purge()
        world.last.content("456789")
        world.last.end()
        world.runUntilIdle()
        #expect(client.text == content)
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
    }

    @Test("a part in a file is put before the rest by workers, as fast as it is taken; the rest waits (C-16.3)")
    func prefixInFile() throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        let store = MemoryVariantStore()
        var record = try Self.record(Array(bytes[..<2_500_000]), total: 3_000_000)
        record.body = .file(MemoryBodyFile(Array(bytes[..<2_500_000])))
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
        world.runUntilIdle()
        let body = try #require(client.following?.body)
        // Nobody reads: no more is taken from the file than may wait, and the origin may send what it could from the
        // start.
        #expect(body.received <= 512 * 1024)
        let exchange = world.last
        exchange.content(Array(bytes[2_500_000..<2_700_000]))
        world.runUntilIdle()
        #expect(body.received <= 512 * 1024)
        client.beginReading(body)
        world.runUntilIdle()
        #expect(client.byteCount == 2_700_000)
        exchange.content(Array(bytes[2_700_000...]))
        exchange.end()
        world.runUntilIdle()
        #expect(client.ending == .complete)
        #expect(client.bytes == bytes)
    }

    @Test("workers that are all busy only delay the first part; one that is damaged cuts, and is dropped (C-16.3)")
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
            world.runUntilIdle()
            #expect(client.text.isEmpty)
            world.workers.isFull = false
            world.timekeeper.advance(by: .milliseconds(10))
            world.runUntilIdle()
            #expect(client.ending == (isDamaged ? .failed : .complete))
            #expect(client.text == (isDamaged ? "" : content))
            #expect(!world.resource().isLoading)
            #expect(store.records(of: World.uri("/a")).map(\.status) == (isDamaged ? [] : [200]))
        }
    }

    @Test("a first part that is damaged fails as one of which the client has the head (C-16.3)")
    func damagedPrefix() throws {
        let store = MemoryVariantStore()
        var record = try Self.record(Array("0123".utf8), total: 10)
        record.body = .file(DamagedFile())
        store.put(record)
        let world = World(store: store)
        let client = world.get(isReading: false)
        world.workers.isFull = true
        world.last.head(206, Self.rest, length: 6)
        world.runUntilIdle()
        let body = try #require(client.following?.body)
        let reader = try #require(body.addReader(context: world.context) {})
        world.workers.isFull = false
        world.timekeeper.advance(by: .milliseconds(10))
        world.runUntilIdle()
        guard case .failed(let failure) = reader.read(maximum: 10) else {
            Issue.record("it has not failed")
            return
        }
        let expected = ExchangeFailure(.internalError, "what is stored cannot be read")
        #expect(failure == expected)
    }

    @Test("a client that leaves amid a first part from a file ends the completion, and nothing stays (C-16.3)")
    func leavesAmidPrefix() throws {
        let store = MemoryVariantStore()
        var record = try Self.record([UInt8](repeating: 1, count: 9_000_000), total: 90_000_000)
        record.body = .file(MemoryBodyFile([UInt8](repeating: 1, count: 9_000_000)))
        store.put(record)
        let world = World(store: store)
        let client = world.get(isReading: false)
        let lines = [("ETag", "\"v1\""), ("Content-Range", "bytes 9000000-89999999/90000000")]
        world.last.head(206, lines, length: 81_000_000)
        world.runUntilIdle()
        weak let body = client.following?.body
        #expect(body != nil)
        client.leave()
        world.runUntilIdle()
        #expect(world.last.isCancelled)
        #expect(!world.resource().isLoading)
        client.forget()
        world.runUntilIdle()
        #expect(body == nil)
    }

    /// The first bytes, stored under the tag of the origin, fresh.
    private static func record(_ bytes: [UInt8], total: Int64) throws -> StoredRecord {
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
            body: .bytes(bytes),
            extent: ContentExtent(0..<Int64(bytes.count), total: total)
        )
    }

    @Test(
        "of the whole, the bytes before a fresh part are asked for; a stale part is of no use for it (C-16.3, C-22.1)"
    )
    func notFirst() {
        for age in [0, 61] {
            let world = World()
            world.fillPart(2..<6)
            world.timekeeper.advance(by: .seconds(age))
            let client = world.get()
            #expect(world.last.value(of: .range) == (age == 0 ? "bytes=0-1" : nil))
            world.last.answer(200, fresh, content)
            world.runUntilIdle()
            #expect(client.outcome?.forward == .partial)
            #expect(client.text == content)
        }
    }
}

/// A body file whose bytes are not what was stored.
private final class DamagedFile: BodyFile {
    let count: Int64 = 4

    func piece(_ range: Range<Int64>) -> BodyPiece { .chunks([]) }
    func read(_ count: Int, at offset: Int64) -> [UInt8]? { nil }
    func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) { completion(false) }
    func isVerified(_ range: Range<Int64>) -> Bool { false }
}
