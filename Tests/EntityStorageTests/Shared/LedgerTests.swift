import HTTPCaching
import HTTPCore
import Locking
import Testing

@testable import EntityStorage

/// What the threads of a store share.
@Suite("Shared counts of a store") struct LedgerTests {
    // MARK: Numbers

    @Test("numbers ascend, and go on behind those of a database that is opened")
    func numbers() {
        let numbers = RowIDs()
        #expect((0..<3).map { _ in numbers.next() } == [1, 2, 3] && numbers.epoch == 0)
        #expect(numbers.bound() == (4, 0) && numbers.next() == 5)
        numbers.begin(after: 100)
        #expect(numbers.bound() == (101, 1) && numbers.next() == 102)
        numbers.begin(after: 50)
        #expect(numbers.next() == 103 && numbers.epoch == 2)
        numbers.begin(after: 103)
        #expect(numbers.next() == 104 && numbers.epoch == 3)
    }

    // MARK: Uses

    @Test("a used row is saved once, and its mark is taken once, by its number or by its URI")
    func uses() {
        let uses = UseBits()
        uses.touch(uri("/before"))
        uses.begin(seed: 7)
        #expect(!uses.take(1, resource: RecordKey.prefix(uri("/before"), seed: 7)))
        for row in [1, 2, 1] as [Int64] { uses.touch(row) }
        #expect(uses.takeUnsaved().sorted() == [1, 2] && uses.takeUnsaved().isEmpty)
        uses.touch(1)
        #expect(uses.takeUnsaved().isEmpty, "it is saved already")
        uses.putBack([2, 9])
        #expect(uses.takeUnsaved() == [2], "it could not be saved; nobody used row 9")
        #expect(uses.take(1, resource: 0) && !uses.take(1, resource: 0) && uses.take(2, resource: 0))
        uses.touch(3)
        #expect(uses.take(3, resource: 0) && uses.takeUnsaved().isEmpty)
        uses.touch(1)
        #expect(uses.takeUnsaved() == [1])
        let resource = RecordKey.prefix(uri("/a"), seed: 7)
        uses.touch(uri("/a"))
        #expect(uses.takeUnsaved().isEmpty && !uses.take(9, resource: resource &+ 1))
        #expect(uses.take(9, resource: resource) && !uses.take(9, resource: resource))
    }

    // MARK: Removals

    @Test("a removal covers the rows of its URIs below its bound, until it ends")
    func removals() {
        let removals = Removals()
        #expect(removals.isEmpty && !removals.snapshot.cover(uri("/a"), row: 1, nil))
        let number = removals.begin { $0 == uri("/a") }
        let early = removals.snapshot
        #expect(
            !removals.isEmpty && early.cover(uri("/a"), row: Int64.max - 1, nil) && !early.cover(uri("/b"), row: 1, nil)
        )
        removals.limit(number, to: 10)
        removals.limit(number + 1, to: 0)
        let bounded = removals.snapshot
        #expect([9, 10, 11].map { bounded.cover(uri("/a"), row: $0, nil) } == [true, false, false])
        let other = removals.begin { _ in true }
        #expect(other != number && removals.snapshot.cover(uri("/a"), row: 10, nil))
        removals.end(number)
        #expect(!removals.isEmpty && removals.snapshot.cover(uri("/b"), row: 1, nil))
        removals.end(other)
        #expect(removals.isEmpty && !removals.snapshot.cover(uri("/a"), row: 9, nil))
        #expect(bounded.cover(uri("/a"), row: 9, nil), "a snapshot stays what it was")
    }

    @Test("a removal by tag covers responses that have one of the tags; what cannot be read is not covered")
    func taggedRemovals() throws {
        let removals = Removals()
        let tags = Set([try #require(CacheTag("one".utf8)), try #require(CacheTag("two".utf8))])
        _ = removals.begin(taggedBy: tags) { _ in true }
        func covers(_ value: String?) -> Bool {
            var fields = Fields()
            if let value { fields.append(name: "Cache-Tag", value: value) }
            return removals.snapshot.cover(uri("/a"), row: 1, value == nil ? nil : fields)
        }
        #expect(covers("two") && covers("three, one") && !covers("three") && !covers(nil))
    }

    // MARK: Savings

    @Test("what was saved is what the database has, and what came since; each hit is credited once")
    func savings() {
        let ledger = SavingsLedger()
        let counted = Lock(Savings())
        #expect(ledger.unsaved == nil && ledger.total == Savings())
        ledger.begin { counted.withLock { $0 } }
        let start = HTTPDate(seconds: 5)
        ledger.adopt(Savings(requests: 100, bytes: 1000, since: start))
        #expect(ledger.unsaved == nil && ledger.total == Savings(requests: 100, bytes: 1000, since: start))
        counted.withLock { $0 = Savings(requests: 3, bytes: 0) }
        #expect(ledger.unsaved == Savings(requests: 3, bytes: 0))
        #expect(ledger.total == Savings(requests: 103, bytes: 1000, since: start))
        ledger.credit(Savings(requests: 3, bytes: 0), since: HTTPDate(seconds: 9))
        #expect(ledger.unsaved == nil && ledger.total == Savings(requests: 103, bytes: 1000, since: start))
        counted.withLock { $0 = Savings(requests: 3, bytes: 70) }
        #expect(ledger.unsaved == Savings(requests: 0, bytes: 70))
        ledger.credit(Savings(requests: 0, bytes: 70), since: HTTPDate(seconds: 9))
        // When another database is opened, then what was credited to the former one is not lost twice
        ledger.adopt(Savings())
        #expect(ledger.unsaved == nil && ledger.total == Savings())
        ledger.credit(Savings(requests: 1, bytes: 2), since: start)
        #expect(ledger.total.since == start)
    }

    @Test("compressed content and shared files are counted as they come and go")
    func space() {
        var space = SpaceSavings()
        space.count(1, content: 10, compressed: 0)
        #expect(space == SpaceSavings())
        space.count(1, content: 10, compressed: 4)
        space.count(1, content: 20, compressed: 5)
        space.countShared(1, size: 7)
        var expected = SpaceSavings()
        (expected.compressedEntries, expected.compressedContent, expected.compressedBytes) = (2, 30, 9)
        (expected.sharedBodies, expected.sharedBytes) = (1, 7)
        #expect(space == expected)
        let sum = space + space
        #expect(sum.compressedEntries == 4 && sum.compressedContent == 60 && sum.compressedBytes == 18)
        #expect(sum.sharedBodies == 2 && sum.sharedBytes == 14)
        space.count(-1, content: 10, compressed: 4)
        space.count(-1, content: 20, compressed: 5)
        space.countShared(-1, size: 7)
        #expect(space == SpaceSavings())
    }

    // MARK: States

    @Test("a change of state is told once; the same kind of trouble again is none")
    func states() {
        let notices = Lock<[String]>([])
        let counters = StoreCounters(limit: 5) { notice in notices.withLock { $0.append(notice.message) } }
        #expect(counters.snapshot.limit == 5 && counters.state == .opening)
        let steps: [(StoreState, String?)] = [
            (.ok, nil), (.ok, "ok again"), (.full(reason: "a"), "full"), (.full(reason: "b"), "still full"),
            (.locked(reason: "a", isOpen: false), "locked"), (.locked(reason: "b", isOpen: true), "still locked"),
            (.ok, "ok"),
            (.disabled(reason: "a"), "disabled"), (.disabled(reason: "b"), "still disabled"), (.closed, "closed"),
        ]
        for (state, message) in steps {
            counters.enter(state, message.map { StoreNotice(.info, $0) })
            #expect(counters.state == state)
        }
        #expect(notices.withLock { $0 } == ["full", "locked", "ok", "disabled", "closed"])
        counters.send(StoreNotice(.error, "sent"))
        #expect(notices.withLock { $0.last } == "sent")
    }

    @Test("new body files are begun while an open database is in order or locked, and in no other state")
    func keepsBodies() {
        let states: [StoreState] = [
            .opening, .ok, .full(reason: ""), .locked(reason: "", isOpen: true), .locked(reason: "", isOpen: false),
            .disabled(reason: ""), .closed,
        ]
        #expect(states.map(\.keepsBodies) == [false, true, false, true, false, false, false])
        let initial = StoreStatistics()
        let counts = [initial.evictions, initial.reinsertions, initial.hits, initial.misses, initial.damaged]
        #expect(counts.allSatisfy { $0 == 0 } && initial.entries == 0 && initial.usedBytes == 0)
        #expect(initial.refused == 0 && initial.queued == 0 && initial.pendingInvalidations == 0)
    }

    @Test("a review is under way until the writer has found that none is needed")
    func review() {
        let flag = ReviewFlag()
        #expect(flag.isUnderWay)
        flag.isUnderWay = false
        #expect(!flag.isUnderWay)
        flag.isUnderWay = true
        #expect(flag.isUnderWay)
    }

    @Test("the keys of questions to a target are known apart from its own")
    func questions() {
        let filter = KeyFilter()
        let number = filter.begin(seed: 7, entries: 0)
        filter.finish(number)
        let question = uri("/a").question(.post, [UInt8](repeating: 1, count: 32))
        #expect(!filter.containsQuestions(to: uri("/a")) && !filter.contains(uri("/a")))
        _ = filter.add(uri("/a"))
        #expect(!filter.containsQuestions(to: uri("/a")) && filter.contains(uri("/a")))
        _ = filter.add(question)
        #expect(filter.containsQuestions(to: uri("/a")) && !filter.containsQuestions(to: uri("/b")))
        #expect(filter.absenceCount == 0)
    }
}
