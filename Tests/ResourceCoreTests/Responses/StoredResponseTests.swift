import Configurations
import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore

/// What a stored response says of itself.
@Suite("A stored response") struct StoredResponseTests {
    private let bench = Workbench()
    private static let fresh = ("Cache-Control", "max-age=60")

    // MARK: Traits

    private func claims(_ stored: StoredResponse) -> [Bool] {
        [stored.isFrozen, stored.isInvalidated, stored.isLocal, stored.applied != nil, stored.isTagged]
    }

    @Test("each trait is its own: none implies another")
    func traits() {
        #expect(claims(bench.stored()) == [false, false, false, false, false])
        #expect(claims(bench.stored(1, isFrozen: true)) == [true, false, false, false, false])
        #expect(claims(bench.stored { $0.isInvalidated = true }) == [false, true, false, false, false])
        #expect(claims(bench.stored(1, isLocal: true)) == [false, false, true, false, false])
        #expect(claims(bench.stored(1, [("Cache-Tag", "a")])) == [false, false, false, false, true])
        var configuration = Configuration()
        configuration.caching.rules = [CachingRule(name: "r", ttlSeconds: 60)]
        #expect(claims(Workbench(configuration).stored()) == [false, false, false, true, false])
    }

    @Test("a rule's refresh begins within the last part of the lifetime, once, and not for what is frozen or local")
    func refreshAhead() {
        var configuration = Configuration()
        configuration.caching.rules = [CachingRule(name: "r", refreshAheadPercent: 10)]
        let bench = Workbench(configuration)
        let (stored, now) = (bench.stored(1, [("Cache-Control", "max-age=100")]), bench.context.now)
        #expect(!stored.isRefreshedAhead(at: now) && stored.isRefreshedAhead(at: now + .seconds(95)))
        #expect(!bench.stored(1, isFrozen: true).isRefreshedAhead(at: now + .seconds(59)))
        #expect(!bench.stored(1, isLocal: true).isRefreshedAhead(at: now + .seconds(59)))
        stored.noteHead(5)
        #expect(stored.isRefreshedAhead(at: now + .seconds(95)))
        stored.noteRefresh()
        #expect(!stored.isRefreshedAhead(at: now + .seconds(95)) && stored.headNote == 5)
        #expect(!self.bench.stored().isRefreshedAhead(at: now + .seconds(59)), "no rule says so")
    }

    @Test("a note of the head leaves alone whether the head has references, and whether it was refreshed")
    func headNote() {
        let plain = bench.stored()
        #expect(plain.headNote == 0 && !plain.hasReferences)
        let stored = bench.stored(1, [Self.fresh, ("Location", "/b")])
        #expect(stored.headNote == 0 && stored.hasReferences)
        for note in [63, 1, 32, 0] as [UInt8] {
            for one in [plain, stored] { one.noteHead(note) }
            #expect(plain.headNote == note && !plain.hasReferences)
            #expect(stored.headNote == note && stored.hasReferences)
        }
    }

    // MARK: Times

    @Test("age and lifetime count from the receipt; a local override has its own lifetime and no age")
    func ages() {
        let (now, stored) = (bench.context.now, bench.stored(1, [Self.fresh, ("Age", "10")]))
        #expect(stored.ageAtReceipt == 10 && stored.currentAge(at: now + .milliseconds(4_999)) == 14)
        #expect(stored.ttl(at: now) == 50 && stored.ttl(at: now + .seconds(51)) == -1)
        #expect(stored.isFresh(at: now + .nanoseconds(49_999_999_999)) && !stored.isFresh(at: now + .seconds(50)))
        let frozen = bench.stored(1, [Self.fresh, ("Age", "10")], isFrozen: true)
        #expect(frozen.currentAge(at: now + .seconds(100)) == 10 && frozen.isFresh(at: now + .seconds(1000)))
        #expect(!bench.stored(1, [Self.fresh, ("Age", "60")], isFrozen: true).isFresh(at: now))
        let lifetime = Duration.seconds(5)
        let local = StoredResponse.local([1], Fields(), 203, lifetime: lifetime, bench.context)
        #expect(local.isLocal && local.status == 203 && local.currentAge(at: now) == 0 && local.ageAtReceipt == 0)
        #expect(local.isFresh(at: now + lifetime) && !local.isFresh(at: now + lifetime + .nanoseconds(1)))
        #expect([0, 3, 5, 7].map { local.ttl(at: now + .seconds($0)) } == [5, 2, 0, -1])
        #expect(local.fields.value(of: .date) == bench.context.wallNow.bytes)
        let dated = StoredResponse.local([1], Workbench.fields([("Date", "x")]), 200, lifetime: lifetime, bench.context)
        #expect(dated.fields.values(of: .date) == [Array("x".utf8)])
    }

    @Test("an age never exceeds the largest that Age can say, however old a response is")
    func oldest() {
        let (now, limit) = (bench.context.now, DeltaSeconds.limit)
        let stored = bench.stored(1, [Self.fresh, ("Age", "\(limit - 5)")])
        #expect(stored.ageAtReceipt == limit - 5 && stored.currentAge(at: now + .seconds(4)) == limit - 1)
        for seconds in [5, 6, limit] { #expect(stored.currentAge(at: now + .seconds(seconds)) == limit) }
        #expect(stored.ttl(at: now + .seconds(limit)) == 60 - limit)
    }

    @Test(
        "the head of a hit has the length of the content, if its status allows any",
        arguments: [(200, true), (404, true), (205, true), (204, false), (304, false)] as [(UInt16, Bool)]
    )
    func preparedLength(status: UInt16, hasLength: Bool) {
        let prepared = bench.stored { $0.status = status }.prepared
        let text = String(decoding: prepared.bytes.prefix(prepared.count), as: UTF8.self).lowercased()
        #expect(text.hasPrefix("http/1.1 \(status)") && text.contains("content-length: 3") == hasLength)
    }

    @Test("what must be validated is never fresh by itself")
    func unfresh() {
        let now = bench.context.now
        #expect(!bench.stored { $0.isInvalidated = true }.isFresh(at: now))
        #expect(!bench.stored(1, [("Cache-Control", "max-age=60, no-cache"), ("ETag", "\"1\"")]).isFresh(at: now))
        #expect(bench.stored().isFresh(at: now) && !bench.stored().invalidated.isFresh(at: now))
        let marked = bench.stored(7, [("Cache-Control", "max-age=60"), ("Age", "10")], isFrozen: true).invalidated
        #expect(marked.isInvalidated && marked.isFrozen && !marked.isLocal && marked.loadNumber == 7)
        #expect(marked.ageAtReceipt == 10 && marked.receivedAt == now)
        #expect(bench.stored(1, isLocal: true).invalidated.isLocal)
        let used = bench.stored()
        for _ in 0..<2 { used.noteUse() }
        #expect(used.invalidated.hitCount == 2 && used.invalidated.takeUses() == 2)
    }

    @Test("the time of the request is kept to the second, whatever it was")
    func requestTime() {
        let now = bench.context.wallNow
        for delay in [0, 1, 3600] as [Int64] {
            let stored = bench.stored { $0.requestTime = HTTPDate(seconds: now.seconds - delay) }
            #expect(stored.requestTime.seconds == now.seconds - delay && stored.responseTime == now)
        }
        let absurd = bench.stored { $0.requestTime = HTTPDate(seconds: .min) }
        #expect(absurd.requestTime == now)
    }

    // MARK: What it keeps

    private static let changes: [@Sendable (inout StoredRecord) -> Void] = [
        { _ in },
        { $0.partition = .credential([1, 2]) },
        { $0.selection = [3] },
        { $0.reason = Array("Fine".utf8) },
        { $0.requestFields = Workbench.fields([("Accept", "a/b")]) },
        { $0.extent = ContentExtent(2..<5, total: 9) },
        { $0.rendition = [4] },
        { $0.isInvalidated = true },
        { $0.status = 404 },
    ]

    @Test("the record of a response is the one that it was made of, whatever is unusual about it", arguments: 0..<9)
    func record(which: Int) {
        var expected: StoredRecord?
        let stored = bench.stored(1, [Self.fresh, ("ETag", "\"1\""), ("X-Other", "y")]) { record in
            Self.changes[which](&record)
            expected = record
        }
        let record = stored.record
        #expect(record.uri == expected?.uri && record.partition == expected?.partition)
        #expect(record.selection == expected?.selection && record.status == expected?.status)
        #expect(record.reason == expected?.reason && record.fields == expected?.fields)
        #expect(record.requestFields == expected?.requestFields && record.extent == expected?.extent)
        #expect(record.requestTime == expected?.requestTime && record.responseTime == expected?.responseTime)
        #expect(record.isInvalidated == expected?.isInvalidated && record.rendition == expected?.rendition)
        #expect(record.body.count == 3 && record.pieces.isEmpty && record.isPurged == nil)
    }

    @Test("a customary reason is not kept; another one is")
    func reason() {
        #expect(bench.stored { $0.reason = Array("OK".utf8) }.reason.isEmpty)
        #expect(bench.stored { $0.reason = Array("Okay".utf8) }.reason == Array("Okay".utf8))
    }

    @Test("without the whole content only the reusable fields are sent, without Age and Content-Length")
    func reusableFields() {
        let lines = [
            Self.fresh, ("Age", "1"), ("Content-Length", "3"), ("ETag", "\"1\""), ("Cache-Tag", "a"), ("X-Other", "y"),
        ]
        let names = bench.stored(1, lines).reusableFields.lines.count
        let fields = bench.stored(1, lines).reusableFields
        #expect(fields.text(of: .cacheControl) == "max-age=60" && fields.text(of: .etag) == "\"1\"")
        #expect(fields.contains(named: Array("x-other".utf8)) && names == 3)
        #expect(!fields.contains(.age) && !fields.contains(.contentLength))
    }

    @Test("the head of a 304 needs a Date")
    func notModified() throws {
        let date = String(decoding: bench.context.wallNow.bytes, as: UTF8.self)
        let stored = bench.stored(1, [Self.fresh, ("Date", date), ("ETag", "\"1\"")])
        let head = try #require(stored.notModifiedHead)
        #expect(String(decoding: head.bytes.prefix(12), as: UTF8.self) == "HTTP/1.1 304")
        #expect(bench.stored(1, [Self.fresh]).notModifiedHead == nil)
    }

    // MARK: Use

    @Test("hits of a response and of its renditions count together; the eviction policy sees each three times at most")
    func hits() {
        let stored = bench.stored()
        #expect(stored.hitCount == 0 && stored.takeUses() == 0)
        for _ in 0..<2 { stored.noteUse() }
        #expect(stored.hitCount == 2)
        stored.renditions.hits.add()
        #expect(stored.hitCount == 3 && stored.takeUses() == 2 && stored.takeUses() == 0)
        for _ in 0..<3 { stored.renditions.hits.add() }
        #expect(stored.takeUses() == 3 && stored.hitCount == 6)
        let next = bench.stored(2)
        next.takeHits(of: stored, isSame: false)
        #expect(next.hitCount == 2 && next.takeUses() == 0)
    }

    @Test("the identity is that of URI, partition and selection; nothing else counts")
    func identity() {
        let first = bench.stored()
        #expect(bench.stored(2, [("ETag", "\"2\"")]).identity == first.identity)
        #expect(bench.stored { $0.partition = .credential([1]) }.identity != first.identity)
        #expect(bench.stored { $0.selection = [1] }.identity != first.identity)
        #expect(bench.stored { $0.uri = World.uri("/b") }.identity != first.identity)
    }

    @Test("content in files keeps as many descriptors open; content in memory keeps none")
    func descriptors() {
        let files = (0..<2).map { _ in RecordBody.file(MemoryBodyFile([1, 2, 3])) }
        #expect(bench.stored().descriptorCount == 0 && bench.stored { $0.body = files[0] }.descriptorCount == 1)
        let parts = [
            JoinedBody.Part(0..<3, files[0]), JoinedBody.Part(5..<8, files[1]), JoinedBody.Part(9..<10, .bytes([1])),
        ]
        #expect(bench.stored { $0.body = .file(JoinedBody(parts)) }.descriptorCount == 2)
    }
}
