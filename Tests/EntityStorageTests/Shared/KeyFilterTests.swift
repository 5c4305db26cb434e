import HTTPCore
import ResourceCore
import Testing
import TestSupport

@testable import EntityStorage

/// What is known of URIs without a record, before anything is looked up.
@Suite("Keys of a store")
struct KeyFilterTests {
    private static func uri(_ number: Int) -> TargetURI { EntityStorageTests.uri("/\(number)") }

    // MARK: The filter

    @Test("nothing is ruled out before the first walk has ended, then what neither it nor a commit has brought")
    func walk() {
        let filter = KeyFilter()
        #expect(!filter.add(Self.uri(0)) && filter.mayHold(Self.uri(1)))
        let number = filter.begin(seed: 7, entries: 2)
        #expect(filter.add([RecordKey.prefix(Self.uri(1), seed: 7)], of: number))
        #expect(!filter.add(Self.uri(2)))
        #expect(filter.mayHold(Self.uri(3)))
        filter.finish(number)
        #expect(filter.mayHold(Self.uri(1)) && filter.mayHold(Self.uri(2)))
        #expect(!filter.mayHold(Self.uri(3)))
        #expect(!filter.add(Self.uri(3)) && filter.mayHold(Self.uri(3)))
        #expect(filter.absenceCount == 1)
    }

    @Test("what a walk finds of a database that is no more counts for nothing")
    func otherDatabase() {
        let filter = KeyFilter()
        let first = filter.begin(seed: 7, entries: 0)
        let second = filter.begin(seed: 8, entries: 0)
        #expect(!filter.add([1], of: first))
        filter.finish(first)
        #expect(filter.mayHold(Self.uri(0)))
        filter.finish(second)
        #expect(!filter.mayHold(Self.uri(0)))
        filter.end()
        #expect(filter.mayHold(Self.uri(0)) && !filter.add([1], of: second))
    }

    @Test("a full filter is made anew once, and knows meanwhile what it knew and what comes")
    func renewal() throws {
        let filter = KeyFilter()
        filter.finish(filter.begin(seed: 7, entries: 0))
        #expect(filter.renew(entries: 0) == nil)
        var count = 0
        while !filter.add(Self.uri(count)), count < 1_000_000 { count += 1 }
        #expect(count > 16_000 && count < 100_000)
        let number = try #require(filter.renew(entries: count))
        #expect(filter.renew(entries: count) == nil)
        #expect(!filter.add(Self.uri(-1)) && filter.mayHold(Self.uri(-1)) && filter.mayHold(Self.uri(0)))
        #expect(filter.add((0..<10).map { RecordKey.prefix(Self.uri($0), seed: 7) }, of: number))
        filter.finish(number)
        for known in -1..<10 { #expect(filter.mayHold(Self.uri(known))) }
        // What has gone meanwhile, nearly all of it, is known to be gone.
        #expect((10..<count).count { filter.mayHold(Self.uri($0)) } < count / 100)
    }

    @Test("of 50,000 URIs without a record fewer than 2 in 100 are looked up beside as many with one")
    func falsePositives() {
        let filter = KeyFilter()
        let number = filter.begin(seed: 7, entries: 25_000)
        for key in 0..<50_000 { _ = filter.add(Self.uri(key)) }
        filter.finish(number)
        #expect((0..<50_000).allSatisfy { filter.mayHold(Self.uri($0)) })
        #expect((50_000..<100_000).count { filter.mayHold(Self.uri($0)) } < 1000)
    }

    // MARK: A store

    let directory = TemporaryDirectory()

    /// Has the walk over so many pages end.
    private func walk(_ store: OpenStore, pages: Int) async {
        await store.flush()
        // Each page stands in the reader's queue before the look-up behind it.
        for _ in 0...pages { _ = await store.lookUp(Self.uri(-1)) }
    }

    @Test("a store tells of URIs it has no record of, and counts them among the look-ups that found none")
    func absence() async throws {
        let store = try OpenStore(directory)
        #expect(await store.openError == nil)
        await walk(store, pages: 1)
        let misses = store.store.statistics().misses
        #expect(!store.store.mayHold(Self.uri(1)))
        #expect(store.store.statistics().misses == misses + 1)
        await store.commit(record("/1", bytes(10)))
        #expect(store.store.mayHold(Self.uri(1)) && !store.store.mayHold(Self.uri(2)))
    }

    @Test("a record on its way to the store is known from the call on")
    func queued() async throws {
        let store = try OpenStore(directory)
        await walk(store, pages: 1)
        store.store.commit(record("/1", bytes(10))) { _ in }
        #expect(store.store.mayHold(Self.uri(1)))
        await store.flush()
        #expect(await store.lookUp(Self.uri(1)).count == 1)
    }

    @Test("after a start all records of several pages are known, and others are not")
    func restart() async throws {
        let first = try OpenStore(directory)
        for number in 0..<2500 { first.store.commit(record("/\(number)", bytes(10))) { _ in } }
        await first.flush()
        await first.close()
        let store = try OpenStore(directory)
        // Whatever the walk has come to: nothing that is there is ruled out.
        for number in 0..<2500 { #expect(store.store.mayHold(Self.uri(number))) }
        await walk(store, pages: 3)
        for number in 0..<2500 { #expect(store.store.mayHold(Self.uri(number))) }
        #expect((2500..<5000).count { store.store.mayHold(Self.uri($0)) } < 50)
        #expect(await store.lookUp(Self.uri(2499)).count == 1)
    }
}
